"""Predictions block by block: the same numbers and errors as at once, in the memory of one block."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import FEATURES, TARGETS, make_table, write

from heedful import AttentionLasso
from heedful.cli import main
from heedful.cli._model import load_model
from heedful.cli._predict import rows_at_a_time


def predict(made, table, out, *options, task="regression"):
    """Predict a table and return the bytes that were written."""
    assert main(["predict", f"{made}/{task}.skops", str(table), "-o", str(out), *map(str, options)]) == 0
    return out.read_bytes()


@pytest.mark.one_value
@pytest.mark.parametrize("task", TARGETS)
def test_csv_files_are_the_same_to_the_byte_whatever_the_block_size(made, tmp_path, task):
    table, out = made / f"{task}.csv", tmp_path / "p.csv"
    whole = predict(made, table, out, task=task)
    for size in (1, 7, 59, 60, 10**12):
        assert predict(made, table, out, "--block-size", size, task=task) == whole
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.one_value
@pytest.mark.parametrize("task", TARGETS)
def test_parquet_files_hold_the_same_whatever_the_block_size(made, tmp_path, task):
    table = made / f"{task}.parquet"
    predict(made, table, tmp_path / "whole.parquet", task=task)
    predict(made, table, tmp_path / "blocks.parquet", "--block-size", 7, task=task)
    whole, blocks = (pd.read_parquet(tmp_path / f"{name}.parquet") for name in ("whole", "blocks"))
    pd.testing.assert_frame_equal(blocks, whole, check_exact=True)


def test_what_a_cell_of_a_csv_file_is_does_not_depend_on_its_block(made, tmp_path):
    rows = ["1,12345678901234567,12,1", "2,50,12,0", "0.1234567890123456789,4e1,north,True", ",,,false", "3,41,,"]
    table = write(tmp_path / "t.csv", "\n".join([",".join(FEATURES), *rows, ""]))
    whole = predict(made, table, tmp_path / "p.csv")
    assert predict(made, table, tmp_path / "p.csv", "--block-size", 2) == whole


BAD = {
    "text": ("age", "old", ["'age'", "must hold numbers", "'old' in row 12"]),
    "a word among numbers": ("dose", "True", ["'dose'", "'True' in row 12"]),
    "infinity": ("dose", "inf", ["'dose'", "infinity"]),
    "no boolean": ("smoker", "maybe", ["'smoker'", "must hold booleans", "'maybe' in row 12"]),
}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("case", BAD)
def test_a_bad_cell_of_the_last_block_is_the_same_error_as_in_one(refused, made, tmp_path, case, ending):
    name, cell, naming = BAD[case]
    table, path = pd.read_csv(made / "new.csv", dtype=str), tmp_path / f"t.{ending}"
    table.loc[11, name] = cell
    table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path)
    command = ["predict", made / "regression.skops", path, "-o", tmp_path / "p.csv"]
    whole = refused(*command, naming=[path.name, *naming])
    assert refused(*command, "--block-size", 5) == whole


def test_columns_are_checked_before_any_row_is_predicted(refused, made, tmp_path, monkeypatch):
    monkeypatch.setattr(AttentionLasso, "predict", None)
    make_table()[FEATURES[:3]].to_parquet(tmp_path / "t.parquet")
    command = ["predict", made / "regression.skops", tmp_path / "t.parquet", "-o", tmp_path / "p.parquet"]
    refused(*command, naming=["'smoker'", "Add"])
    refused(*command, "--drop", "dosis", naming=["'dosis'", "--drop", "'dose'"])
    refused(*command, "--block-size", "0", naming=["--block-size", "at least 1"])


def test_a_missing_pyarrow_is_noticed_before_any_work(refused, made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    command = ["predict", tmp_path / "none.skops", made / "new.csv", "-o", tmp_path / "p.parquet"]
    refused(*command, naming=["p.parquet", "pip install 'heedful[cli]'"])


def test_the_default_block_shrinks_with_the_width_of_the_model(made):
    saved = load_model(made / "regression.skops")
    wide = saved._replace(header=saved.header | {"columns": saved.header["columns"] * 100})
    assert rows_at_a_time(saved) > 50 * rows_at_a_time(wide) > 0


def test_one_bar_counts_the_rows_of_all_blocks(made, tmp_path, capsys):
    predict(made, made / "regression.csv", tmp_path / "p.csv", "--block-size", 20, "-v")
    shown = capsys.readouterr().err
    assert "60/60" in shown
    assert "block" not in shown
    predict(made, made / "regression.csv", tmp_path / "p.csv", "--block-size", 20, "-v", "--quiet")
    assert capsys.readouterr().err == ""


IN_BLOCKS = """
import sys, time
import heedful
predict, asked = heedful.AttentionLasso.predict, []
def slow(self, X):
    asked.append(len(X))
    if len(asked) == 3:
        print("third block", flush=True)
        time.sleep(60)
    return predict(self, X)
heedful.AttentionLasso.predict = slow
from heedful.cli import main
sys.exit(main())
"""


@pytest.mark.more
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_control_c_between_blocks_leaves_the_old_file_and_no_other(made, tmp_path, ending):
    out = write(tmp_path / f"p.{ending}", "old")
    command = [sys.executable, "-c", IN_BLOCKS, "predict", f"{made}/regression.skops", f"{made}/regression.{ending}"]
    with subprocess.Popen(
        [*command, "-o", str(out), "--block-size", "10"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "third block\n"
        process.send_signal(2)
        _, printed = process.communicate(timeout=30)
    assert (process.returncode, printed) == (130, "heedful: interrupted\n")
    assert out.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [out]


PEAK = """
import re, sys
from pathlib import Path
import numpy as np
import heedful
from heedful.cli import main
heedful.AttentionLasso.predict = lambda self, X: np.zeros(len(X))
model, *runs = sys.argv[1:]
for table, size in zip(runs[::2], runs[1::2]):
    ending = table[table.rindex("."):]
    assert main(["predict", model, table, "-o", table + ".out" + ending, "--quiet", "--block-size", size]) == 0
    print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text()).group(1))
"""


@pytest.mark.long
@pytest.mark.more
@pytest.mark.skipif(sys.platform != "linux", reason="where Linux says how much memory was held")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_memory_is_that_of_a_block_however_many_rows_there_are(made, tmp_path, ending):
    rng = np.random.default_rng(0)
    for name, n_rows in (("short", 1000), ("long", 60_000)):
        table = make_table()[FEATURES].sample(n_rows, replace=True, random_state=0)
        table["dose"] = rng.normal(size=n_rows)
        path = tmp_path / f"{name}.{ending}"
        table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path, index=False)
    # in this order, as a process knows only the most that it has ever held
    runs = ("short", 1000), ("long", 1000), ("long", 10**9)
    command = [str(part) for name, size in runs for part in (tmp_path / f"{name}.{ending}", size)]
    command = [sys.executable, "-c", PEAK, str(made / "regression.skops"), *command]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    few, many, whole = (int(peak) / 1024 for peak in done.stdout.split())
    assert whole - few > 8, (few, whole)
    assert many - few < (whole - few) / 2, (few, many, whole)
