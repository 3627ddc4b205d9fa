"""Unpack the sdist into an empty folder and run tests there: all that they need must have come along.

Run as ``python tools/try_sdist.py dist tests/attention tests/_frames`` (``make test-sdist``).
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path


def main() -> int:
    """Return what pytest returns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dist", type=Path, help="folder with one sdist")
    parser.add_argument("tests", nargs="+", help="tests to run, as paths within the sdist")
    args = parser.parse_args()
    (archive,) = args.dist.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        (root,) = Path(folder).iterdir()
        # before the checkout that the environment points at
        environment = os.environ | {"PYTHONPATH": str(root / "src"), "NUMBA_CACHE_DIR": str(Path(folder) / "kernels")}
        where = [sys.executable, "-c", "import heedful; print(heedful.__file__)"]
        found = Path(subprocess.run(where, env=environment, capture_output=True, text=True, check=True).stdout.strip())
        if not found.is_relative_to(root):
            raise RuntimeError(f"Tests must run the sdist's code, got that of {found}.")
        command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", *args.tests]
        return subprocess.run(command, cwd=root, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
