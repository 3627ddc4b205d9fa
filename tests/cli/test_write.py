"""What commands write appears whole or not at all, even when the process is killed."""

import os
import signal
import subprocess
import sys

import pytest

from heedful.cli._errors import UserError
from heedful.cli._write import check_output, write_whole

HALF = """
import sys, time
import pandas as pd
def half(self, file, **_):
    file.write(b"prediction\\n1.0\\n" * 100_000)
    file.flush()
    print("half", flush=True)
    time.sleep(60)
pd.DataFrame.to_csv = half
from heedful.cli import main
sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_killed_in_mid_write_leaves_the_old_file(made, tmp_path, blow):
    out = tmp_path / "p.csv"
    out.write_text("old\n", encoding="utf-8")
    command = [sys.executable, "-c", HALF, "predict", f"{made}/regression.skops", f"{made}/new.csv", "-o", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "half\n"
        process.send_signal(blow)
    assert process.returncode == (-9 if blow == signal.SIGKILL else 143)
    assert out.read_text(encoding="utf-8") == "old\n"
    if blow == signal.SIGTERM or nameless(tmp_path):
        assert list(tmp_path.iterdir()) == [out]


def nameless(folder):
    """Return whether the system has files without names here."""
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_RDWR))
    except (AttributeError, OSError):
        return False
    return True


def test_a_file_that_cannot_be_written_is_one_line_that_names_it(tmp_path):
    with pytest.raises(UserError, match=r"nowhere/f: the file cannot be written: No such file or directory\."):
        write_whole(tmp_path / "nowhere" / "f", lambda file: file.write(b"new"))


@pytest.mark.skipif(os.name != "posix", reason="devices of POSIX")
def test_a_device_is_never_replaced(tmp_path):
    with pytest.raises(UserError, match="must be a file"):
        check_output(tmp_path / "../../../../../../../dev/null", [])
