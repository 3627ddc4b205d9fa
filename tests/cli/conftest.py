"""Tables and models in files, made once."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from heedful.cli import main

ROWS = 60
TARGETS = {"regression": ["yield"], "classification": ["grade"], "survival": ["event", "time"]}
FEATURES = ["dose", "age", "site", "smoker"]


def make_table():
    """Return a table with text, missing cells, a boolean and every kind of target."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"dose": rng.normal(size=ROWS).round(3), "age": rng.normal(50, 10, ROWS).round(1)})
    table["site"] = rng.choice(["north", "south", "12"], ROWS)
    table["smoker"] = rng.random(ROWS) < 0.3
    table["yield"] = table["dose"] * np.where(table["site"] == "north", 3.0, -1.0) + 0.1 * rng.normal(size=ROWS)
    table["grade"] = np.where(table["yield"] > 0, "high", "low")
    table["event"] = rng.random(ROWS) < 0.7
    table["time"] = rng.exponential(np.exp(-table["yield"] / 2)) + 0.01
    table.loc[3, "age"] = np.nan
    table.loc[[5, 9], "site"] = None
    return table


def target_options(task):
    names = TARGETS[task]
    return ["--target", *names] if len(names) == 1 else ["--event", names[0], "--time", names[1]]


def run(*arguments, **options):
    """Run the program in a process of its own."""
    command = [sys.executable, "-m", "heedful", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with train.csv, train.parquet, new.csv and a model of each task; for reading only."""
    folder = tmp_path_factory.mktemp("cli")
    table = make_table()
    for task, names in TARGETS.items():
        part = table[[*FEATURES, *names]]
        part.to_csv(folder / f"{task}.csv", index=False)
        part.to_parquet(folder / f"{task}.parquet")
        arguments = ["fit", folder / f"{task}.csv", *target_options(task), "--trees", "20", "-o"]
        assert main([*map(str, arguments), str(folder / f"{task}.skops"), "--quiet"]) == 0
    table[FEATURES].head(12).to_csv(folder / "new.csv", index=False)
    # under a limit there is no smooth model: heads and curves have shares
    bent = table[FEATURES].assign(**{"yield": table["yield"] + 4 * np.abs(table["dose"])})
    bent.to_csv(folder / "curves.csv", index=False)
    arguments = ["fit", folder / "curves.csv", "--target", "yield", "--limit", "age=+", "--trees", "20", "-o"]
    assert main([*map(str, arguments), str(folder / "curves.skops"), "--quiet"]) == 0
    return folder


@pytest.fixture
def refused(capsys, tmp_path):
    """Run a command that must fail: exit code 2, one line that names what is asked for, no new file."""

    def check(*arguments, naming=()):
        capsys.readouterr()
        before = sorted(tmp_path.iterdir())
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert code == 2, printed.err
        assert printed.err.startswith("heedful: error: ")
        assert printed.err.count("\n") == 1
        for word in naming:
            assert str(word) in printed.err
        assert sorted(tmp_path.iterdir()) == before
        return printed

    return check


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
