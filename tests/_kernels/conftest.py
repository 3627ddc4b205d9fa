"""Tests of one file run in one process: each kernel is then compiled once, not by all processes at the same time."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.parent.name == "_kernels":
            item.add_marker(pytest.mark.xdist_group(item.path.name))
