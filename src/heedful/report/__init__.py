"""One interactive HTML page from an explanation or a drift report; never from an estimator."""

from heedful.report._show import show
from heedful.report._write import render, write

__all__ = ["render", "show", "write"]
