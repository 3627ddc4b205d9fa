"""The command line: ``heedful fit``, ``predict``, ``explain``, ``drift``, ``demo`` and ``compile``."""

from heedful.cli._main import main

__all__ = ["main"]
