"""The command line: ``heedful fit``, ``predict``, ``explain``, ``drift`` and ``demo``."""

from heedful.cli._main import main

__all__ = ["main"]
