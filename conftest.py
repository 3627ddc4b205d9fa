"""What examples in docstrings and pages share."""

import sys

import pytest


@pytest.fixture(autouse=True)
def closed_figures(request):
    """Close the figures that an example opened: there are more of them than matplotlib likes to have open."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None and isinstance(request.node, pytest.DoctestItem):
        pyplot.close("all")
