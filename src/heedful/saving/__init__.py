"""Fitted models as files of skops, never pickles, that say which version wrote them."""

from heedful.saving._file import load_model, read_header, save_model, trusted_types

__all__ = ["load_model", "read_header", "save_model", "trusted_types"]
