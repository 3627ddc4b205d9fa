"""Models whose arrays are read-only need kernels of their own: one process compiles them."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.name == "test_contract.py" and "pickle(readonly_memmap" in item.name:
            item.add_marker(pytest.mark.xdist_group("read-only"))
