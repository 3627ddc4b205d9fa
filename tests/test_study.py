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
    monkeypatch.setattr(study, "fingerprint", lambda module, names: f"{module} {names}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sums").mkdir()
    return study


def make(study, calls, factor=1.0, names=(), name="sum", seconds=0.1):
    """Return a study that writes down what it is asked to measure."""

    def one_split(X, y, seed):
        calls.append(seed)
        return {name: {"error": float(factor * X["x"].sum() + seed), "seconds": seconds}}

    return study.Study(Path("sums"), one_split, ("numpy",), names)


def options(**given):
    return Namespace(**{"smoke": False, "fresh": False, "confirm": 0, "kept": False, "jobs": 1, "runs": 2} | given)


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


def test_what_has_changed_is_measured_anew_and_the_old_is_forgotten_once_all_is_in(study, tmp_path):
    calls = []
    run(study, {"sum": make(study, calls)}, WANTED)
    changed = {"sum": make(study, calls, factor=3.0, names=("x",))}
    run(study, changed, WANTED[:1])
    lines = kept.read_lines(tmp_path / "sums" / "splits.jsonl")
    assert sorted(line["scores"]["sum"]["error"] for line in lines) == [3, 4, 9]
    known, n_measured = run(study, changed, WANTED)
    assert n_measured == 2
    assert known["sum", "a", 0]["sum"]["error"] == 9
    assert len(kept.read_lines(tmp_path / "sums" / "splits.jsonl")) == 3


def test_a_page_says_at_which_commits_and_on_what_machines_its_splits_were_measured(study, monkeypatch):
    asked = options()
    for commit, machine, wanted in (("a1", "x86", WANTED[:2]), ("b2", "arm", WANTED)):
        monkeypatch.setattr(study, "where_measured", lambda told=(commit, machine): told)
        study.run_parts({"sum": make(study, [])}, TABLES, wanted, asked)
    assert study.tell_origins(asked).startswith("measured at commit a1 and b2 on arm and x86. Between kinds of machine")
    again = options()
    study.run_parts({"sum": make(study, [])}, TABLES, WANTED[:2], again)
    assert study.tell_origins(again) == "measured at commit a1 on x86."


def test_a_split_knows_the_commit_and_the_machine(study):
    commit, machine = study.where_measured()
    assert commit
    assert platform.machine() in machine


def test_splits_of_older_code_are_kept_if_the_first_of_each_table_is_the_same(study, tmp_path, monkeypatch):
    calls, asked = [], options(confirm=1)
    before, _ = run(study, {"sum": make(study, calls)}, WANTED)
    monkeypatch.setattr(study, "where_measured", lambda: ("b2", "arm"))
    changed = {"sum": make(study, calls, names=("x",), seconds=9.0)}
    known, n_measured = study.run_parts(changed, TABLES, WANTED, asked)
    assert known == before
    assert (n_measured, calls[3:]) == (0, [0, 0])
    told = study.tell_origins(asked)
    assert told.endswith(". The first split of each table, measured again at commit b2 on arm, gave the same numbers.")
    # they stay what they are: neither a second time nor a run without it measures anything
    assert run(study, changed, WANTED, confirm=1) == run(study, changed, WANTED) == (before, 0)
    assert len(calls) == 5


@pytest.mark.parametrize("change", [{"factor": 1.0 + 1e-6}, {"name": "total"}], ids=str)
def test_splits_of_older_code_stay_old_if_any_is_not_the_same(study, tmp_path, change):
    run(study, {"sum": make(study, [])}, WANTED)
    path = tmp_path / "sums" / "splits.jsonl"
    text = path.read_text(encoding="utf-8")
    changed = {"sum": make(study, [], names=("x",), **change)}
    with pytest.raises(SystemExit, match="numbers are no longer what they were, first sum, a, 0, sum"):
        run(study, changed, WANTED, confirm=1)
    assert path.read_text(encoding="utf-8") == text
    assert run(study, changed, WANTED)[1] == 3


def test_of_splits_that_several_codes_left_all_must_be_the_same_and_one_is_kept(study, tmp_path):
    path = tmp_path / "sums" / "splits.jsonl"
    for names, factor, confirmed in ((("y",), 1.0, True), (("z",), 1.1, False)):
        path.unlink(missing_ok=True)
        run(study, {"sum": make(study, [])}, WANTED)
        older = path.read_text(encoding="utf-8")
        path.unlink()
        run(study, {"sum": make(study, [], factor=factor, names=names)}, WANTED)
        path.write_text(path.read_text(encoding="utf-8") + older, encoding="utf-8")
        changed = {"sum": make(study, [], names=("x",))}
        if confirmed:
            assert run(study, changed, WANTED, confirm=1)[1] == 0
            assert len(kept.read_lines(path)) == 3
        else:
            with pytest.raises(SystemExit, match="no longer what they were"):
                run(study, changed, WANTED, confirm=1)


def test_splits_of_other_versions_of_others_packages_are_never_kept(study, tmp_path):
    run(study, {"sum": make(study, [])}, WANTED)
    path = tmp_path / "sums" / "splits.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("numpy ", "numpy 0"), encoding="utf-8")
    known, _ = run(study, {"sum": make(study, [], names=("x",))}, WANTED, confirm=1)
    assert known == {}


@pytest.mark.parametrize("how", [{"confirm": 1}, {"kept": True}], ids=str)
def test_a_page_of_what_is_kept_measures_nothing_new_and_says_of_what_there_is_less(study, how):
    calls = []
    with pytest.raises(SystemExit, match="Of some tables no split is kept: run without `--confirm` and `--kept` first"):
        study.run(make(study, calls), TABLES, options(**how))
    assert calls == []
    study.run(make(study, calls), TABLES, options(runs=1))
    study.run(make(study, calls), {"a": TABLES["a"]}, options())
    found = study.run(make(study, calls), TABLES, options(**how))
    assert len(calls) == 3
    assert study.tell_splits(found) == "2 random 50/50 splits (only 1 of b)"
    assert study.tell_splits(found.loc[["a"]]) == "2 random 50/50 splits"


def test_values_are_the_same_to_nine_digits_and_words_to_the_letter():
    assert kept.is_same([1.0, np.nan], [1.0 + 1e-12, np.nan])
    assert kept.is_same("own leaves", "own leaves")
    for old, new in [(1.0, 1.0 + 1e-7), ([1.0], [1.0, 2.0]), ("own leaves", "forest"), (1.0, None), (0.0, 1e-12)]:
        assert not kept.is_same(old, new)


def test_fresh_forgets_only_what_is_measured_again(study):
    studies = {"sum": make(study, []), "other": make(study, [])}
    run(study, studies, [*WANTED, ("other", "a", 0)])
    known, n_measured = run(study, studies, WANTED[:1], fresh=True)
    assert n_measured == 1
    assert set(known) == {*WANTED, ("other", "a", 0)}


def test_results_do_not_depend_on_the_number_of_jobs(study, tmp_path):
    one, _ = run(study, {"sum": make(study, [])}, WANTED)
    two, n_measured = run(study, {"sum": make(study, [])}, WANTED, jobs=2, fresh=True)
    assert n_measured == 3
    assert one == two


def test_a_study_without_parts_has_one_row_per_split(study):
    results = study.run(make(study, []), TABLES, options())
    assert results["error"]["sum"].to_dict() == {("a", 0): 3, ("a", 1): 4, ("b", 0): 3, ("b", 1): 4}


def test_lines_of_earlier_versions_without_parts_are_read(study, tmp_path):
    path = tmp_path / "splits.jsonl"
    path.write_text('{"key": "k", "table": "a", "seed": 0, "scores": {}}\n{"key": "old", "ta', encoding="utf-8")
    assert kept.read_parts(path, {"": "k"}) == {("", "a", 0): {}}


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
    monkeypatch.setattr(study, "running_module", lambda: "")
    folder = study.publish(tmp_path / "home", Namespace(smoke=smoke, whole=whole), "page")
    assert folder == tmp_path / place
    assert (folder / "results.md").read_text(encoding="utf-8") == "page"
