"""The project keeps its promises: docstrings, API page, lazy imports and rooms."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import heedful
from heedful import attention, baseline, context, datasets, plot, report, similarity

ROOT = Path(__file__).resolve().parent.parent
REQUIRED = inspect.Parameter.empty
PUBLIC = [
    heedful.AttentionLasso,
    heedful.AttentionLassoClassifier,
    heedful.AttentionCox,
    heedful.AttentionRegressor,
    heedful.AttentionClassifier,
    heedful.LeafAttentionRegressor,
    heedful.LeafAttentionClassifier,
    heedful.TreeAttentionRegressor,
    heedful.DriftCorrector,
    heedful.local_lasso,
    heedful.minimax_linkage,
    heedful.ProtoClust,
    heedful.save_model,
    heedful.load_model,
    heedful.explain.Explanation,
    heedful.explain.Clusters,
    heedful.explain.DriftReport,
    attention.Attention,
    attention.attend,
    baseline.LassoBaseline,
    baseline.LogisticBaseline,
    baseline.CoxBaseline,
    similarity.ForestProximity,
    similarity.BoostedProximity,
    similarity.TeacherSimilarity,
    similarity.RidgeSimilarity,
    similarity.GaussianSimilarity,
    similarity.CallableSimilarity,
    similarity.PastSimilarity,
    similarity.default_forests,
    context.lag_features,
    context.neighbor_features,
    *(getattr(datasets, name) for name in datasets.__all__ if name != "Simulation"),
    *(getattr(plot, name) for name in plot.__all__),
    report.render,
    report.write,
]


def run_python(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def documented(target):
    """Return the names and defaults in the Parameters section of a docstring, in order.

    A class without an ``__init__`` of its own may name the class whose parameters it has.
    """
    named = re.search(r"The parameters are those of :class:`heedful\.(\w+)`", inspect.getdoc(target))
    if named and "__init__" not in vars(target):
        return documented(getattr(heedful, named.group(1)))
    section = re.search(r"Parameters\n\s*-+\n(.*?)(?:\n\s*\w+\n\s*---|\Z)", inspect.getdoc(target), re.DOTALL)
    entries = re.findall(r"^([a-z_A-Z, ]+) : (.*)$", section.group(1) if section else "", re.MULTILINE)
    defaults = {}
    for names, kind in entries:
        default = re.search(r"default=(.*)$", kind)
        for name in names.split(", "):
            defaults[name] = ast.literal_eval(default.group(1)) if default else REQUIRED
    return defaults


@pytest.mark.parametrize("target", PUBLIC, ids=lambda target: target.__name__)
def test_docstrings_name_every_parameter_in_order_with_its_default(target):
    expected = {name: parameter.default for name, parameter in inspect.signature(target).parameters.items()}
    assert list(documented(target).items()) == list(expected.items())


@pytest.mark.parametrize("target", PUBLIC, ids=lambda target: target.__name__)
def test_docstrings_have_an_example(target):
    assert ">>> " in inspect.getdoc(target)


@pytest.mark.parametrize("room", ["heedful", "heedful.similarity", "heedful.plot", "heedful.report"])
def test_the_api_page_lists_every_public_name(room):
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    helpers = {"LeafProximity", "LeafScores", "describe", "prepare", "resolve", "wants_residuals"} | {
        path.name for path in (ROOT / "src" / "heedful").iterdir()
    }
    missing = [name for name in importlib.import_module(room).__all__ if f"{room}.{name}" not in page]
    assert set(missing) <= helpers


def test_importing_heedful_does_not_import_what_takes_long():
    assert run_python("-c", "import sys, heedful; print({'numba', 'skops'} & {*sys.modules})").strip() == "set()"


def test_rooms_import_only_from_rooms_above():
    assert "every import goes up" in run_python("tools/check_rooms.py")


def test_the_room_checker_can_fail(tmp_path):
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        checker = importlib.import_module("check_rooms")
    finally:
        sys.path.pop(0)
    checker.ROOT = tmp_path / "src" / "heedful"
    wrong = checker.ROOT / "attention" / "_wrong.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text("from heedful.heads import tune\ndef f():\n    import json\n", encoding="utf-8")
    assert len(checker.breaches(wrong)) == 2
