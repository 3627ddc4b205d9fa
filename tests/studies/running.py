"""Python in a process of its own, in the project's folder."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_python(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout
