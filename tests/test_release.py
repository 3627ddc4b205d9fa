"""What a release needs: types for users, workflows that run what is here with few rights, one version everywhere."""

import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import heedful

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = {*re.findall(r"^([a-z0-9_-]+):", MAKEFILE, re.MULTILINE)}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def load(path):
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML 1.1 takes the word for a boolean
    return found | {"on": found[True]}


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def test_there_are_workflows():
    assert {path.stem for path in WORKFLOWS} == {"docs", "newest", "release", "tests"}


@each_workflow
def test_actions_are_pinned_by_a_commit_and_say_which_version_it_is(path):
    used = [line.strip() for line in read(path).splitlines() if re.match(r"\s*-?\s*uses:", line)]
    assert used
    assert len(used) == sum("uses" in step for step in steps(load(path)))
    assert all(re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line) for line in used)


def test_one_action_has_one_commit_in_all_workflows():
    pairs = {pair for path in WORKFLOWS for pair in re.findall(r"uses: (\S+)@(\S+ # \S+)", read(path))}
    assert len(pairs) == len(dict(pairs))


@each_workflow
def test_jobs_may_read_and_only_the_one_that_publishes_may_say_who_it_is(path):
    workflow = load(path)
    assert workflow["permissions"] == {"contents": "read"}
    asked = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert asked == ({"publish": {"id-token": "write"}} if path.stem == "release" else {})
    assert "secrets." not in read(path)
    assert "pull_request_target" not in workflow["on"]
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())
    checkouts = [step for step in steps(workflow) if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


@each_workflow
def test_workflows_call_targets_that_exist(path):
    lines = [step["run"] for step in steps(load(path)) if "run" in step]
    called = [word for line in lines if line.startswith("make ") for word in line.split()[1:] if "=" not in word]
    assert called
    assert {*called} <= TARGETS


def test_what_publishes_runs_nothing_of_ours():
    publish = load(ROOT / ".github" / "workflows" / "release.yml")["jobs"]["publish"]
    assert publish["environment"] == "pypi"
    assert publish["needs"] == "build"
    assert not any("run" in step or "checkout" in step["uses"] for step in publish["steps"])


def test_every_python_that_is_named_is_tested():
    named = {name[1] for name in map(re.compile(r".* :: (3\.\d+)$").match, PROJECT["project"]["classifiers"]) if name}
    tested = {*re.findall(r"python(3\.\d+)", re.search(r"^PYTHONS \?= (.*)$", MAKEFILE, re.MULTILINE)[1])}
    matrix = load(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert named == tested == {*matrix}
    assert PROJECT["project"]["requires-python"] == f">={min(named)}"


def test_the_wheel_is_tried_with_every_extra():
    tried = re.search(r"^EXTRAS \?= (.*)$", MAKEFILE, re.MULTILINE)[1].split()
    # torch is too large to be tried
    assert {*tried, "dev", "docs", "league-torch"} == {*PROJECT["project"]["optional-dependencies"]}
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        from try_wheel import USES
    finally:
        sys.path.pop(0)
    assert {*tried, ""} == {*USES}


def test_the_sdist_holds_every_file_and_folder_of_the_project():
    held = {name.strip("/") for name in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}
    assert all((ROOT / name).exists() for name in held)
    made = {".git", ".gitignore", "build", "dist", "pyproject.toml", "PKG-INFO", "__pycache__"}
    other = {path.name for path in ROOT.iterdir()} - held - made
    assert not {name for name in other if not re.match(r"\.(venv|\w+_cache|hypothesis|coverage)", name)}


def test_all_pages_know_the_version():
    assert f"\nversion: {heedful.__version__}\n" in read("CITATION.cff")
    date = re.search(r"date-released: (\S+)", read("CITATION.cff"))[1]
    assert re.search(r"^## \d.*", read("CHANGELOG.md"), re.MULTILINE)[0] == f"## {heedful.__version__} ({date})"


def test_changes_are_few_lines_under_headings_that_name_what_they_are_about():
    sections = re.split(r"^## ", read("CHANGELOG.md"), flags=re.MULTILINE)[1:]
    for section in sections:
        topics = re.split(r"^### ", section, flags=re.MULTILINE)[1:]
        assert topics
        assert all("\n- " in topic for topic in topics)
        assert len(section.splitlines()) <= 80


def test_the_paper_is_cited():
    citation = pytest.importorskip("yaml").safe_load(read("CITATION.cff"))
    (paper,) = citation["references"]
    assert paper["title"] == "Supervised learning pays attention"
    assert "2512.09912" in paper["url"] == PROJECT["project"]["urls"]["Paper"]
    assert citation["preferred-citation"] == paper


@pytest.mark.more
@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is in the extra dev")
def test_types_reach_the_programs_of_users(tmp_path):
    (tmp_path / "user.py").write_text(read("tests/typed_user.py"), encoding="utf-8")
    command = ["mypy", "--disallow-untyped-defs", "--warn-unused-ignores", "user.py"]
    done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
