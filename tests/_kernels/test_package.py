import subprocess
import sys

import pytest

from heedful import _kernels


def test_every_listed_kernel_can_be_had():
    assert all(callable(getattr(_kernels, name)) for name in _kernels.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = _kernels.nonsense


def test_importing_the_package_does_not_import_numba():
    check = "import sys, heedful; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
