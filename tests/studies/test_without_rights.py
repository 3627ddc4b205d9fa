"""The README's example, run by a user who may write nowhere and has no home."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.studies.running import LONGEST, ROOT

import heedful

# Root may write anywhere: it becomes somebody who may read all and write nothing.
AS_NOBODY = [
    *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
]


def readme_example():
    """Return the first Python example of the README as a program, and the first lines that it prints."""
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[:1]
    lines = [line[4:] for line in block.splitlines() if line.startswith((">>> ", "... "))]
    expected = [line for line in block.splitlines() if line and not line.startswith((">>> ", "..."))]
    return "\n".join(lines), "".join(f"{line}\n" for line in expected)


@pytest.mark.skipif(os.name != "posix", reason="rights are different elsewhere")
def test_the_readme_example_works_without_rights_or_a_home(tmp_path):
    package = tmp_path / "package"
    shutil.copytree(Path(heedful.__file__).parent, package / "heedful", ignore=shutil.ignore_patterns("__pycache__"))
    for path in [*tmp_path.parents[:2], tmp_path, package, *package.rglob("*")]:
        path.chmod(0o755 if path in tmp_path.parents or path == tmp_path else 0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    if root and not shutil.which("setpriv"):
        pytest.skip("root cannot do without its rights here: no setpriv")
    program, expected = readme_example()
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(package), "HOME": "/nowhere", "TMPDIR": "/nowhere"}
    proof = f"open({str(package / 'proof')!r}, 'w')"
    command = [*(AS_NOBODY if root else []), sys.executable, "-c"]
    how = {"env": variables, "capture_output": True, "text": True, "cwd": "/", "timeout": LONGEST}
    denied = subprocess.run([*command, proof], check=False, **how)
    assert "PermissionError" in denied.stderr
    done = subprocess.run([*command, program], check=False, **how)
    assert (done.returncode, done.stdout[: len(expected)]) == (0, expected), done.stderr
    assert done.stderr.count("cannot be kept") == 1
    assert "NUMBA_CACHE_DIR" in done.stderr
