"""What commands write appears whole or not at all, even when the process is killed."""

import errno
import os
import signal
import subprocess
import sys

import pandas as pd
import pytest

from heedful.cli import main
from heedful.cli._errors import UserError
from heedful.cli._write import check_output, write_table, write_whole

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


@pytest.mark.more
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


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-high", "'-high"),
        ("-", "'-"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-1.5", "-1.5"),
        ("+2e-3", "+2e-3"),
        ("-1+1", "'-1+1"),
        ("a=b", "a=b"),
    ],
)
def test_text_that_a_spreadsheet_would_run_gets_a_mark_unless_cells_are_raw(tmp_path, cell, written):
    path = tmp_path / "t.csv"
    table = pd.DataFrame({"label": [cell], "x": [-1.5], "kind": pd.Categorical([cell])})
    write_table(path, [table], raw=False)
    assert path.read_text(encoding="utf-8").splitlines() == ["label,x,kind", f"{written},-1.5,{written}"]
    write_table(path, [table], raw=True)
    assert path.read_text(encoding="utf-8").splitlines()[1].split(",")[0].strip('"') == cell


def test_names_of_columns_get_a_mark_too_and_parquet_none(tmp_path):
    table = pd.DataFrame({"=x": ["=1"]})
    for ending in ("csv", "parquet"):
        write_table(tmp_path / f"t.{ending}", [table], raw=False)
    assert (tmp_path / "t.csv").read_text(encoding="utf-8").split() == ["'=x", "'=1"]
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "t.parquet"), table, check_dtype=False)


def test_labels_are_written_with_a_mark_unless_raw_cells_are_asked_for(tmp_path):
    rows = "".join(f"{i},{'=up' if i % 2 else '@down'}\n" for i in range(20))
    (tmp_path / "t.csv").write_text(f"a,y\n{rows}", encoding="utf-8")
    fit = ["fit", f"{tmp_path}/t.csv", "--target", "y", "--trees", "4", "-o", f"{tmp_path}/m.skops", "--quiet"]
    assert main(fit) == 0
    for options, labels in (([], {"'=up", "'@down"}), (["--raw-cells"], {"=up", "@down"})):
        predict = ["predict", f"{tmp_path}/m.skops", f"{tmp_path}/t.csv", "-o", f"{tmp_path}/p.csv", "--quiet"]
        assert main([*predict, *options]) == 0
        assert set(pd.read_csv(tmp_path / "p.csv")["prediction"]) <= labels


def test_what_fails_while_rows_are_made_is_not_blamed_on_the_output(tmp_path):
    def blocks():
        yield pd.DataFrame({"a": [1]})
        raise OSError(errno.ENOSPC, "No space left on device", "/scratch/part")

    with pytest.raises(UserError, match=r"^/scratch/part: the file cannot be used: No space left.*TMPDIR"):
        write_table(tmp_path / "t.csv", blocks(), raw=False)
    assert not list(tmp_path.iterdir())
