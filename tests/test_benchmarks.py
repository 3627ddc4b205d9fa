"""``python -m benchmarks`` finds a study, passes on what it was asked, and says what is wrong in one line."""

import sys

import pytest

from benchmarks import __main__ as program
from benchmarks.study import read_options

STUDY = '"""Sums.\n\nMore of it.\n"""\n\nif __name__ == "__main__":\n    print("done")\n'


@pytest.fixture
def ran(monkeypatch):
    """The modules that were run, with their options, in place of running them."""
    found = []
    monkeypatch.setattr(sys, "argv", ["benchmarks"])
    monkeypatch.setattr(program.runpy, "run_module", lambda name, **_: found.append((name, sys.argv[1:])))
    return found


def options_of(monkeypatch, *given, **how):
    monkeypatch.setattr(sys, "argv", ["study", *given])
    return read_options("", **how)


def test_options_are_passed_on(ran):
    given = ["--datasets", "servo", "auto_mpg", "--runs", "2", "--smoke"]
    program.main(["paper.table1", *given])
    assert ran == [("benchmarks.paper.table1", given)]


def test_without_options_the_study_has_its_own_defaults(ran):
    program.main(["speed"])
    assert ran == [("benchmarks.speed", [])]


def test_an_unknown_study_is_an_error_that_names_those_there_are(ran):
    with pytest.raises(SystemExit, match=r"'table9'.* paper\.table1, "):
        program.main(["table9"])
    assert not ran


@pytest.mark.parametrize("given", [[], ["--help"]])
def test_studies_are_listed_with_one_line_each(ran, capsys, given):
    program.main(given)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == list(program.find_studies())
    assert all(len(line.split()) > 3 for line in lines[2:])
    assert not ran


def test_a_study_is_a_module_that_can_be_run(tmp_path):
    (tmp_path / "paper" / "sums").mkdir(parents=True)
    for name in ("__main__.py", "paper/sums/__main__.py", "paper/sums/readings.py"):
        (tmp_path / name).write_text(STUDY, encoding="utf-8")
    (tmp_path / "paper" / "sums" / "page.py").write_text('"""A page."""\n', encoding="utf-8")
    assert program.find_studies(tmp_path) == {"paper.sums": "Sums.", "paper.sums.readings": "Sums."}


def test_runs_are_also_called_splits(monkeypatch):
    assert options_of(monkeypatch, "--splits", "2", runs=5).runs == 2
    assert options_of(monkeypatch, runs=5).runs == 5


def test_fewer_runs_are_not_the_whole_study(monkeypatch):
    assert options_of(monkeypatch, runs=5).whole
    assert not options_of(monkeypatch, "--runs", "4", runs=5).whole
    assert not options_of(monkeypatch, "--smoke").whole


def test_a_smoke_run_is_small_and_keeps_nothing(monkeypatch):
    options = options_of(monkeypatch, "--smoke", runs=5, rows=(300, 60))
    assert (options.runs, options.jobs, options.fresh, options.rows) == (1, 1, True, 60)
    assert options_of(monkeypatch, runs=5, rows=(300, 60)).rows == 300


def test_studies_that_need_all_cores_run_one_split_at_a_time(monkeypatch):
    assert options_of(monkeypatch, runs=5, alone=True).jobs == 1
    assert options_of(monkeypatch, runs=5).jobs == -1
