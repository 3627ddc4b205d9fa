"""Fitted models as files of skops, never pickles, that say which version wrote them."""

from heedful.saving._file import load_model, read_header, save_model
from heedful.saving._header import HEADER
from heedful.saving._trust import TREES

__all__ = ["HEADER", "TREES", "load_model", "read_header", "save_model"]
