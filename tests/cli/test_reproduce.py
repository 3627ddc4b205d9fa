"""``heedful reproduce`` finds a study, passes on what it was asked, and says what is wrong in one line."""

import json

import pytest

from heedful.cli import _reproduce, main

SCRIPT = """
import json, sys
print(json.dumps(sys.argv[1:]))
sys.exit("no tables here" if "--fail" in sys.argv or "broken" in __file__ else 0)
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with two studies, in place of the project."""
    for name in ("sums", "broken"):
        folder = tmp_path / "benchmarks" / "paper" / name
        folder.mkdir(parents=True)
        (folder / "run.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "benchmarks" / "paper" / "notes").mkdir()
    monkeypatch.setattr(_reproduce, "CHECKOUT", tmp_path)
    return tmp_path


def test_options_are_passed_on(checkout, capfd):
    given = ["--datasets", "servo", "auto_mpg", "--methods", "rivals", "extra", "--splits", "2", "--jobs", "1"]
    given += ["--data", "d", "--smoke"]
    assert main(["reproduce", "sums", *given]) == 0
    printed = capfd.readouterr().out.splitlines()
    assert sorted(json.loads(printed[0])) == sorted(given)
    assert printed[1].startswith("sums: done in ")


def test_without_options_the_study_has_its_own_defaults(checkout, capfd):
    assert main(["reproduce", "sums"]) == 0
    assert json.loads(capfd.readouterr().out.splitlines()[0]) == []


def test_json_is_one_object_and_nothing_else(checkout, capfd):
    assert main(["reproduce", "sums", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["study"] == "sums"


def test_quiet_prints_nothing(checkout, capfd):
    assert main(["reproduce", "sums", "--quiet"]) == 0
    assert capfd.readouterr().out == ""


def test_a_study_that_fails_is_an_error_after_its_own_message(checkout, capfd):
    assert main(["reproduce", "broken"]) == 2
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "no tables here"
    assert lines[1].startswith("heedful: error: broken: the study ended with code 1")


def test_an_unknown_study_is_an_error_that_names_those_there_are(checkout, refused):
    refused("reproduce", "table9", naming=["'table9'", "broken, sums"])


def test_the_current_folder_serves_an_installed_package(checkout, monkeypatch, capfd):
    monkeypatch.setattr(_reproduce, "CHECKOUT", checkout / "nowhere")
    monkeypatch.chdir(checkout)
    assert main(["reproduce", "sums"]) == 0


def test_without_a_checkout_the_error_says_where_studies_are(checkout, monkeypatch, refused):
    monkeypatch.setattr(_reproduce, "CHECKOUT", checkout / "nowhere")
    monkeypatch.chdir(checkout / "benchmarks")
    refused("reproduce", "sums", naming=["benchmarks/paper", "checkout"])


@pytest.mark.parametrize("study", ["lightgbm", "similarities", "spatial", "table1", "us_change"])
def test_the_studies_of_the_project_are_found(study):
    assert _reproduce.find_script(study).is_file()
