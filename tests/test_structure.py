"""The structure keeps its promises: types that find a misspelled part, shallow estimators, short constructors."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import heedful
from heedful import baseline, similarity
from heedful._responses import Response

ROOT = Path(__file__).resolve().parent.parent
ROOMS = (heedful, baseline, similarity)
CLASSES = [getattr(room, name) for room in ROOMS for name in room.__all__]
ESTIMATORS = [target for target in CLASSES if inspect.isclass(target) and issubclass(target, BaseEstimator)]
# Who may ask what kind a response is, and why: these tasks are what users give, and no kinds of responses.
MAY_ASK = {
    "similarity/_boosted.py": "`task` is a parameter",
    "similarity/_forest.py": "`task` is a parameter",
    "cli/_tasks.py": "--task auto is an option",
}
WRONG = """
from heedful._flow.fitted import FittedAttention
from heedful._models.linear import FittedLinear
from heedful._responses import Classification, Response
from heedful.estimators import AttentionLasso
from heedful.estimators._base import AttentionEstimator
from heedful.similarity import Similarity


def ask(fitted: FittedAttention, models: FittedLinear, response: Response, entry: Similarity) -> None:
    fitted.atention  # 1
    models.residual()  # 2
    response.enc0de([])  # 3
    entry.score_row([])  # 4
    AttentionLasso()._nonsense_attr.foo()  # 5
    AttentionLasso(alpha_ratios=1.0)  # 6
    Classification.learn([], classweight=None)  # 7


class Mine(AttentionEstimator):
    def fit(self, X, y):
        return self._fitt(X, y)  # 8
"""


@pytest.mark.more
def test_types_find_a_misspelled_member_of_every_part(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(wrong)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    # by the name of the file alone: mypy keeps what it found, with the folder of the first time
    lines = {int(number) for number in re.findall(r"wrong\.py:(\d+): error:", done.stdout)}
    marked = {number for number, line in enumerate(WRONG.splitlines(), 1) if line.rstrip()[-3:-1] == "# "}
    assert done.returncode == 1
    assert len(marked) == 8
    assert lines == marked, done.stdout


@pytest.mark.parametrize("target", ESTIMATORS, ids=lambda target: target.__name__)
def test_no_estimator_has_more_than_two_ancestors_of_ours(target):
    # what all of them do, and the parameters of a kind; beside them what classifiers do
    own = [base.__name__ for base in target.__mro__[1:] if base.__module__.startswith("heedful")]
    assert len(set(own) - {"ClassifierMethods"}) <= 2, own


@pytest.mark.parametrize("target", ESTIMATORS, ids=lambda target: target.__name__)
def test_no_constructor_has_more_than_twelve_parameters(target):
    parameters = inspect.signature(target).parameters.values()
    assert len(parameters) <= 12
    free = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert len(free) <= 2, free


def test_rooms_that_are_not_public_begin_with_an_underscore():
    folders = {path.name for path in (ROOT / "src" / "heedful").iterdir() if (path / "__init__.py").exists()}
    public = {name for name in heedful.__all__ if inspect.ismodule(getattr(heedful, name))}
    # what users fit is exported by the package itself; the command line is a program
    assert {name for name in folders if not name.startswith("_")} == public | {"estimators", "cli"}


def test_nobody_but_responses_asks_what_kind_a_response_is():
    source = ROOT / "src" / "heedful"
    kinds = {kind.__name__ for kind in _subclasses(Response) if kind.__module__.startswith("heedful.")}
    asking = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if source / "_responses" not in path.parents
        and any(_asks_for_kind(node, kinds) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert asking == set(MAY_ASK)


@pytest.mark.parametrize(
    "asks",
    [
        'response.task == "survival"',
        '"survival" != found.task',
        'task in ("binary", "multiclass")',
        'header["task"] in NAMES',
        "isinstance(response, Effect)",
        "isinstance(response, (Effect, _responses.Regression))",
        "type(response) is Effect",
        "match response.task:\n    case _: pass",
    ],
)
def test_every_way_to_ask_for_a_kind_is_found(asks):
    assert any(_asks_for_kind(node, {"Effect", "Regression"}) for node in ast.walk(ast.parse(asks)))


@pytest.mark.parametrize("asks", ["words.n_classes == 2", "isinstance(own, Response)", "TABLE[response.task].numeric"])
def test_words_and_tables_may_be_asked(asks):
    assert not any(_asks_for_kind(node, {"Effect", "Regression"}) for node in ast.walk(ast.parse(asks)))


def _subclasses(kind):
    return {child for direct in kind.__subclasses__() for child in (direct, *_subclasses(direct))}


def _asks_for_kind(node, kinds):
    """Return whether code compares a task, or asks whether something is one of these classes of responses."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any(_is_task(side) or _name(side) in kinds for side in sides)
    if isinstance(node, ast.Match):
        return _is_task(node.subject)
    if isinstance(node, ast.Call) and _name(node.func) in ("isinstance", "issubclass"):
        return any(_name(part) in kinds for part in ast.walk(node.args[1]))
    return False


def _is_task(node):
    """Return whether code is ``task``, ``something.task`` or ``something["task"]``."""
    named = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == "task"
    return named or _name(node) == "task"


def _name(node):
    return getattr(node, "attr", getattr(node, "id", None))
