"""Python in a process of its own, in the project's folder."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The longest that any of them may take, in seconds; what hangs must not hold up the others for ever.
LONGEST = 600


def run_python(*arguments):
    how = {"capture_output": True, "text": True, "cwd": ROOT, "timeout": LONGEST}
    done = subprocess.run([sys.executable, *arguments], check=False, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout
