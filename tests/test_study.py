"""Studies keep what they have measured: an interrupted run goes on, a new method leaves the others alone."""

import platform
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import kept

TABLES = {"a": (pd.DataFrame({"x": [1.0, 2.0]}), np.zeros(2)), "b": (pd.DataFrame({"x": [3.0]}), np.zeros(1))}
WANTED = [("sum", "a", 0), ("sum", "b", 0), ("sum", "a", 1)]


@pytest.fixture
def study(monkeypatch, tmp_path):
    """The module of the studies, with its splits in a folder of their own."""
    from benchmarks import study

    monkeypatch.setattr(study, "PROJECT", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sums").mkdir()
    return study


def make(study, calls, factor=1.0, packages=("numpy",)):
    """Return a study that writes down what it is asked to measure."""

    def one_split(X, y, seed):
        calls.append(seed)
        return {"sum": {"error": float(factor * X["x"].sum() + seed), "seconds": 0.1}}

    return study.Study(Path("sums"), one_split, packages)


def options(**given):
    return Namespace(**{"smoke": False, "fresh": False, "jobs": 1, "runs": 2} | given)


def run(study, studies, wanted, **changed):
    return study.run_parts(studies, TABLES, wanted, Namespace(**vars(options()) | changed))


def test_nothing_is_measured_twice(study):
    calls = []
    first, n_first = run(study, {"sum": make(study, calls)}, WANTED)
    again, n_again = run(study, {"sum": make(study, calls)}, WANTED)
    assert (n_first, n_again, len(calls)) == (3, 0, 3)
    assert first == again


def test_an_interrupted_run_goes_on_and_a_line_cut_off_is_measured_again(study, tmp_path):
    calls = []
    whole, _ = run(study, {"sum": make(study, calls)}, WANTED)
    path = tmp_path / "sums" / "splits.jsonl"
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    again, n_measured = run(study, {"sum": make(study, calls)}, WANTED)
    assert n_measured == 1
    assert again == whole


def test_a_new_part_leaves_the_others_as_they_are(study):
    old, new = [], []
    run(study, {"sum": make(study, old)}, WANTED)
    studies = {"sum": make(study, old), "twice": make(study, new, factor=2.0)}
    known, n_measured = run(study, studies, [*WANTED, ("twice", "a", 0)])
    assert (n_measured, len(old), len(new)) == (1, 3, 1)
    assert known["twice", "a", 0]["sum"]["error"] == 2 * known["sum", "a", 0]["sum"]["error"]


def test_splits_of_other_versions_are_measured_again(study, tmp_path):
    calls = []
    run(study, {"sum": make(study, calls)}, WANTED)
    newer = {"sum": make(study, calls, factor=3.0, packages=("numpy", "pandas"))}
    assert run(study, newer, WANTED[:1])[1] == 1
    known, n_measured = run(study, newer, WANTED)
    assert n_measured == 2
    assert known["sum", "a", 0]["sum"]["error"] == 9
    assert len(kept.read_lines(tmp_path / "sums" / "splits.jsonl")) == 3


def test_a_page_says_at_which_commits_and_on_what_machines_its_splits_were_measured(study, monkeypatch):
    asked = options()
    for commit, machine, wanted in (("a1", "x86", WANTED[:2]), ("b2", "arm", WANTED)):
        monkeypatch.setattr(study, "where_measured", lambda told=(commit, machine): told)
        study.run_parts({"sum": make(study, [])}, TABLES, wanted, asked)
    assert study.describe_origins(asked).startswith(
        "Measured at commit a1 and b2 on arm and x86. Between kinds of machine"
    )
    again = options()
    study.run_parts({"sum": make(study, [])}, TABLES, WANTED[:2], again)
    assert study.describe_origins(again) == "Measured at commit a1 on x86."


def test_a_split_knows_the_commit_and_the_machine(study):
    commit, machine = study.where_measured()
    assert commit
    assert platform.machine() in machine


def test_a_study_says_of_which_tables_it_has_fewer_splits(study):
    found = study.run(make(study, []), TABLES, options()).drop(index=("b", 1))
    assert study.describe_splits(found) == "2 random 50/50 splits (only 1 of b)"
    assert study.describe_splits(found.loc[["a"]]) == "2 random 50/50 splits"


def test_fresh_forgets_only_what_is_measured_again(study):
    studies = {"sum": make(study, []), "other": make(study, [])}
    run(study, studies, [*WANTED, ("other", "a", 0)])
    known, n_measured = run(study, studies, WANTED[:1], fresh=True)
    assert n_measured == 1
    assert set(known) == {*WANTED, ("other", "a", 0)}


def test_a_fresh_run_that_is_interrupted_leaves_nothing_older(study, tmp_path):
    def stop_at_b(X, y, seed):
        if len(X) == 1:
            raise KeyboardInterrupt
        return {"sum": {"error": 9.0}}

    run(study, {"sum": make(study, [])}, WANTED)
    with pytest.raises(KeyboardInterrupt):
        run(study, {"sum": study.Study(Path("sums"), stop_at_b, ("numpy",))}, WANTED, fresh=True)
    lines = kept.read_lines(tmp_path / "sums" / "splits.jsonl")
    assert [line["scores"]["sum"]["error"] for line in lines] == [9.0]


def test_results_do_not_depend_on_the_number_of_jobs(study, tmp_path):
    one, _ = run(study, {"sum": make(study, [])}, WANTED)
    two, n_measured = run(study, {"sum": make(study, [])}, WANTED, jobs=2, fresh=True)
    assert n_measured == 3
    assert one == two


def test_a_study_without_parts_has_one_row_per_split(study):
    results = study.run(make(study, []), TABLES, options())
    assert results["error"]["sum"].to_dict() == {("a", 0): 3, ("a", 1): 4, ("b", 0): 3, ("b", 1): 4}


def test_a_number_that_is_missing_is_an_error(study):
    broken = make(study, [], factor=np.nan)
    with pytest.raises(SystemExit, match=r"3 numbers are not finite, first \('sum', 'a', 0, 'sum', 'error'\)"):
        run(study, {"sum": broken}, WANTED)


@pytest.mark.parametrize(
    ("smoke", "whole", "place"),
    [(False, True, "home"), (False, False, "build/home"), (True, False, "build/home-smoke")],
)
def test_only_a_whole_run_writes_beside_the_study(study, monkeypatch, tmp_path, smoke, whole, place):
    (tmp_path / "home").mkdir()
    folder = study.publish(tmp_path / "home", Namespace(smoke=smoke, whole=whole), "page")
    assert folder == tmp_path / place
    page = (folder / "results.md").read_text(encoding="utf-8")
    assert page.startswith("page\n")
    assert "Measured at commit" in page
