import sys

import numpy as np
import pytest

from heedful._optional import import_optional


def test_an_installed_package_is_imported():
    assert import_optional("numpy", "boost", "similarity='boosted'") is np


def test_a_missing_package_is_an_error_that_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    expected = (
        r"`similarity='boosted'` needs lightgbm, which is not installed\. Get it by: pip install 'heedful\[lightgbm\]'"
    )
    with pytest.raises(ImportError, match=expected):
        import_optional("lightgbm", "lightgbm", "similarity='boosted'")
