"""The command line: ``heedful fit``, ``predict``, ``explain``, ``effect``, ``drift``, ``demo`` and ``compile``."""

from heedful.cli._main import main

__all__ = ["main"]
