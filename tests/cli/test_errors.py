"""Whatever a user does wrong gives one line, exit code 2 and no file."""

import errno
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.conftest import make_table, run, write

from heedful import AttentionLasso
from heedful.cli import main

GOOD = "a,b,y\n" + "".join(f"{i},{i % 3},{i * 1.5}\n" for i in range(12))


def fit_arguments(table, tmp_path, *more):
    return ["fit", table, "--target", "y", "--trees", 10, "-o", tmp_path / "m.skops", *more]


def test_errors_from_the_shell_are_one_line_without_traceback(tmp_path):
    done = run("fit", tmp_path / "none.csv", "--target", "y", "-o", tmp_path / "m.skops", "--json")
    assert done.returncode == 2
    assert done.stderr == f"heedful: error: {tmp_path}/none.csv: there is no such file.\n"
    assert json.loads(done.stdout)["code"] == 2
    assert not list(tmp_path.iterdir())


def test_debug_shows_where(tmp_path, capsys):
    assert main(["fit", f"{tmp_path}/none.csv", "--target", "y", "-o", f"{tmp_path}/m", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "naming"),
    [
        ("", ["empty"]),
        ("a,b,y\n", ["no rows"]),
        ("a,b,y\n1,2,3\n1,2\n", ["line 3", "2 cells", "header has 3"]),
        ("a,b,y\n1,2,3,4\n1,2,3,4\n", ["line 2", "4 cells"]),
        ("a,a,y\n1,2,3\n", ["'a'", "more than once", "Rename"]),
        ("a,,y\n1,2,3\n", ["column 2", "no name"]),
        ('a,b,y\n1,2,"3\n', ["quotes"]),
        (GOOD.replace("y", "z"), ["'y'", "--target", "'a', 'b', 'z'"]),
        (GOOD.replace(",", ";"), ["'y'", "--sep"]),
        (GOOD + "1,2,\n3,4,\n", ["'y'", "2 missing cells", "row 13", "Delete"]),
        ("y\n1\n2\n3\n", ["no feature is left"]),
        (GOOD + "inf,1,2\n", ["'a'", "infinity"]),
        (GOOD + f"{'9' * 400},1,2\n", ["'a'", "infinity"]),
        (GOOD + f"1,1,-{'9' * 400}\n", ["'y'", "infinity"]),
        ("a,y\n" + "".join(f"{i},word{i}\n" for i in range(20)), ["'y'", "20 different values", "--task"]),
        ("a,y\n" + "".join(f"{i},same\n" for i in range(20)), ["'y'", "2 classes"]),
        ("a,y\n1,2\n", ["'y'"]),
    ],
)
def test_a_table_that_cannot_be_fitted(refused, tmp_path, text, naming):
    table = write(tmp_path / "t.csv", text)
    refused(*fit_arguments(table, tmp_path), naming=[table, *naming])


def test_a_directory_a_foreign_ending_and_other_encodings(refused, tmp_path):
    refused(*fit_arguments(tmp_path, tmp_path), naming=["directory"])
    refused(*fit_arguments(write(tmp_path / "t.xls", GOOD), tmp_path), naming=["t.xls", ".parquet"])
    (tmp_path / "latin.csv").write_bytes("a,y\ncafé,1\n".encode("latin1"))
    refused(*fit_arguments(tmp_path / "latin.csv", tmp_path), naming=["latin.csv", "UTF-8", "iconv"])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    refused(*fit_arguments(tmp_path / "bad.parquet", tmp_path), naming=["bad.parquet", "Parquet"])


@pytest.mark.parametrize(
    ("options", "naming"),
    [
        (["--drop", "c"], ["'c'", "--drop"]),
        (["--task", "survival"], ["--event", "--time"]),
        (["--task", "regression", "--event", "a"], ["--event", "survival"]),
        (["--task", "guess"], ["--task", "--help"]),
        (["--seed", "-1"], ["--seed"]),
        (["--trees", "0"], ["--trees"]),
        (["--nonsense"], ["--nonsense"]),
    ],
)
def test_options_that_do_not_fit(refused, tmp_path, options, naming):
    refused(*fit_arguments(write(tmp_path / "t.csv", GOOD), tmp_path, *options), naming=naming)


def test_a_text_target_is_no_regression(refused, tmp_path):
    table = write(tmp_path / "t.csv", "a,y\n1,red\n2,blue\n")
    refused(*fit_arguments(table, tmp_path, "--task", "regression"), naming=["'y'", "'red'", "--task classification"])


def test_numbers_for_classes_name_the_other_task(refused, tmp_path):
    table = write(tmp_path / "t.csv", "a,y\n" + "".join(f"{i},{i * 7}\n" for i in range(40)))
    arguments = fit_arguments(table, tmp_path, "--task", "classification")
    refused(*arguments, naming=[table, "'y'", "40 different numbers in 40 rows", "--task regression"])


@pytest.mark.parametrize(
    ("event", "time", "naming"),
    [
        ("2", "1", ["'e'", "1 and 0"]),
        ("1", "0", ["'t'", "> 0"]),
        ("maybe", "1", ["'e'"]),
        ("", "1", ["'e'", "missing"]),
    ],
)
def test_survival_needs_events_and_times(refused, tmp_path, event, time, naming):
    table = write(tmp_path / "t.csv", f"a,e,t\n1,1,2\n2,0,1\n3,{event},{time}\n")
    refused("fit", table, "--event", "e", "--time", "t", "-o", tmp_path / "m", naming=[table, *naming])


@pytest.mark.more
def test_outputs_that_cannot_be_written(refused, made, tmp_path):
    table = write(tmp_path / "t.csv", GOOD)
    refused("fit", table, "--target", "y", "-o", tmp_path / "no" / "m.skops", naming=["no folder"])
    refused("fit", table, "--target", "y", "-o", tmp_path, naming=["must be a file"])
    refused("fit", table, "--target", "y", "-o", table, naming=["replace an input"])
    refused(
        "predict", made / "regression.skops", made / "new.csv", "-o", tmp_path / "p.xlsx", naming=["p.xlsx", ".csv"]
    )
    refused("explain", made / "regression.skops", made / "new.csv", naming=["-o OUT", "--json"])


def test_predict_names_missing_and_unfit_columns(refused, made, tmp_path):
    table = pd.read_csv(made / "new.csv")

    def check(changed, *naming):
        changed.to_csv(tmp_path / "t.csv", index=False)
        refused("predict", made / "regression.skops", tmp_path / "t.csv", "-o", tmp_path / "p.csv", naming=naming)

    check(table.drop(columns=["age", "site"]), "t.csv", "'age', 'site'", "Add")
    check(table.assign(age=["old", *table["age"][1:]]), "t.csv", "'age'", "'old' in row 1")


def test_known_others_are_left_out(made, tmp_path):
    make_table()[["site", "dose", "age", "smoker", "yield", "time"]].to_csv(tmp_path / "t.csv", index=False)
    arguments = [
        "predict",
        f"{made}/regression.skops",
        f"{tmp_path}/t.csv",
        "--drop",
        "time",
        "-o",
        f"{tmp_path}/p.csv",
    ]
    assert main(arguments) == 0


@pytest.mark.more
def test_parquet_without_pyarrow_names_the_extra(refused, made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    command = ["fit", made / "regression.parquet", "--target", "yield", "-o", tmp_path / "m.skops"]
    refused(*command, naming=["pip install 'heedful[cli]'"])


def test_a_page_without_plotly_names_the_extra(refused, made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    naming = ["page.html", "plotly", "heedful[report]", "OUT.csv"]
    refused("explain", made / "regression.skops", made / "new.csv", "-o", tmp_path / "page.html", naming=naming)


@pytest.mark.parametrize("where", ["table", "output", "model"])
def test_a_name_that_is_too_long_is_a_plain_message(refused, made, tmp_path, where):
    long, model, table = tmp_path / f"{'n' * 300}.csv", made / "regression.skops", made / "new.csv"
    given = {
        "table": (model, long, tmp_path / "p.csv"),
        "output": (model, table, long),
        "model": (long, table, "p.csv"),
    }
    *inputs, output = given[where]
    done = "written" if where == "output" else "read"
    refused("predict", *inputs, "-o", output, naming=[long, f"cannot be {done}: File name too long", "shorter"])


def test_what_the_system_refuses_is_not_our_mistake(refused, made, tmp_path, monkeypatch):
    def fill(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(AttentionLasso, "predict", fill)
    command = ["predict", made / "regression.skops", made / "new.csv", "-o", tmp_path / "p.csv"]
    refused(*command, naming=["No space left on device", "TMPDIR"])


@pytest.mark.more
def test_a_file_that_cannot_be_read_is_said_to_be_read(refused, made, tmp_path, monkeypatch):
    plain = Path.open

    def broken(self, *arguments, **options):
        if self.name == "new.csv":
            raise OSError(errno.EIO, "Input/output error", str(self))
        return plain(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", broken)
    command = ["predict", made / "regression.skops", made / "new.csv", "-o", tmp_path / "p.csv"]
    refused(*command, naming=["new.csv: the file cannot be read: Input/output error"])


SHELL = {
    "closed": (">&-", 2, "standard output is closed"),
    "full": (">/dev/full", 2, "standard output cannot be written: No space left on device"),
    "closed and quiet": ("--quiet >&-", 0, None),
    "no standard error": (">/dev/null 2>&-", 0, None),
}


@pytest.mark.more
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="devices of Linux")
@pytest.mark.parametrize("case", SHELL)
def test_a_closed_or_full_standard_output_is_a_plain_message(made, tmp_path, case):
    redirect, code, words = SHELL[case]
    command = (
        f"{sys.executable} -m heedful predict {made}/regression.skops {made}/new.csv -o {tmp_path}/p.csv {redirect}"
    )
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert done.stderr.count("\n") == (words is not None)
    assert (words or "") in done.stderr
    assert (tmp_path / "p.csv").exists()
