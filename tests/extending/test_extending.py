"""A response of one's own and a similarity of one's own, one file each: docs/extending.md shows their classes."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from examples.extending_response import SIZE, AttentionNegativeBinomial, SpreadCounts
from examples.extending_similarity import MapSimilarity
from sklearn.base import clone
from tests.reference.differences import differences

from heedful import AttentionLasso, LocalLasso, load_model, save_model
from heedful.baseline import GlobalModel
from heedful.report import write
from heedful.similarity import ForestProximity

ROOT = Path(__file__).resolve().parents[2]
FEW = {"heads": "single", "similarity": ForestProximity(15), "alpha": 0.05, "random_state": 0}


@pytest.fixture
def counts(rng):
    X = rng.normal(size=(90, 3))
    return X, rng.poisson(np.exp(X[:, 0] * np.sign(X[:, 1])))


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("extending_response", "SpreadCounts"),
        ("extending_response", "AttentionNegativeBinomial"),
        ("extending_similarity", "MapSimilarity"),
    ],
)
def test_the_page_shows_the_class_of_the_file(name, part):
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    shown = re.sub(r"^(?:>>>|\.\.\.) ?", "", page, flags=re.MULTILINE)
    file = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    classes = [node for node in ast.parse(file).body if isinstance(node, ast.ClassDef) and node.name == part]
    assert [ast.get_source_segment(file, node) in shown for node in classes] == [True]


@pytest.mark.parametrize("name", ["extending_response", "extending_similarity"])
def test_it_needs_public_names_only(name):
    tree = ast.parse((ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8"))
    modules = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = [f"{node.module}.{alias.name}" for node in modules for alias in node.names]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert any(one.startswith("heedful") for one in names)
    assert not [one for one in names if any(part.startswith("_") for part in one.split("."))]


def test_the_response_has_the_gradient_and_hessian_of_its_loss(rng):
    family, link = SpreadCounts().with_rows(rng.poisson(2.0, 20).astype(float)), rng.normal(size=(20, 1))

    def loss(at):
        return family.losses(family.values(at[:, None])[:, 0]).value.sum()

    np.testing.assert_allclose(family.residual(link, None)[:, 0], -differences(loss, link[:, 0]), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(family.link_of(family.values(link)), link)


def test_counts_go_through_the_whole_flow(counts, tmp_path):
    X, y = counts
    model = AttentionNegativeBinomial(**FEW).fit(X[:60], y[:60])
    explained = model.explain(X[60:], y[60:])
    assert explained.task == "spread counts"
    np.testing.assert_allclose(np.log(explained.prediction), explained.link)
    link = explained.intercept + (explained.coef * explained.design).sum(axis=1)
    np.testing.assert_allclose(link, explained.link, atol=1e-8)
    np.testing.assert_allclose(explained.prediction, model.predict(X[60:]))
    assert not hasattr(model, "predict_interval")
    assert isinstance(model.baseline_.predict(X).min(), float)


def test_counts_are_reported(counts, tmp_path):
    X, y = counts
    model = AttentionNegativeBinomial(**FEW).fit(X[:60], y[:60])
    write(model.explain(X[60:], y[60:]), tmp_path / "counts.html")
    assert "expected count" in (tmp_path / "counts.html").read_text(encoding="utf-8")


def test_the_model_for_all_rows_takes_the_response_itself(counts):
    X, y = counts
    alone = GlobalModel(SpreadCounts(), 0.05).fit(X, y)
    rate = alone.predict(X)
    assert np.mean((y - rate) / (SIZE + rate)) == pytest.approx(0.0, abs=1e-6)


def test_attention_to_counts_beats_one_model_where_rates_turn_round(counts):
    X, y = counts
    model = AttentionNegativeBinomial(**FEW).fit(X[:60], y[:60])
    plain = SpreadCounts().score(y[60:], model.baseline_.predict(X[60:])[:, None], None)
    assert model.score(X[60:], y[60:]) > plain + 0.1


def test_equal_attention_gives_the_baselines_own_fit(counts):
    X, y = counts
    how = {"temperature": 1e12, "mixing": 1.0, "local": LocalLasso(alpha_ratio=1.0, exact=True)}
    model = AttentionNegativeBinomial(**FEW, **how).fit(X, y)
    np.testing.assert_allclose(model.predict(X), model.baseline_.predict(X), rtol=1e-4)


def test_negative_counts_are_refused(counts):
    X, y = counts
    with pytest.raises(ValueError, match="`y` must hold counts >= 0, got -1"):
        AttentionNegativeBinomial(**FEW).fit(X, y - 1)


@pytest.fixture
def places(rng):
    X = np.column_stack([rng.uniform(0, 3, (120, 2)), rng.integers(0, 2, 120), rng.normal(size=120)])
    return X, (np.sin(2 * X[:, 0]) + 2 * X[:, 2]) * X[:, 3]


def test_a_similarity_of_ones_own_masks_and_ranks_rows(places):
    X, _ = places
    scores = MapSimilarity().fit(X).scores(X[:5])
    assert (np.isneginf(scores) == (X[:5, [2]] != X[:, 2])).all()
    assert (scores[np.arange(5), np.arange(5)] == 0).all()


def test_a_similarity_of_ones_own_tunes_itself_in_every_way(places):
    X, y = places
    features = {"similarity": [0, 1, 2], "model": [3]}
    for cv in ("oob", 3):
        model = AttentionLasso(similarity=MapSimilarity(), features=features, cv=cv, random_state=0).fit(X[:90], y[:90])
        assert set(model.heads_["temperature"]) == {1.0, 0.3, 0.1}
        assert model.score(X[90:], y[90:]) > model.baseline_.score(X[90:, 3:], y[90:]) + 0.2
    assert clone(model).similarity.place == (0, 1)


def test_models_with_parts_of_ones_own_are_saved_if_they_are_trusted(places, tmp_path):
    X, y = places
    model = AttentionLasso(heads="single", similarity=MapSimilarity(), temperature=0.3, random_state=0).fit(X, y)
    save_model(model, tmp_path / "model.skops")
    with pytest.raises(ValueError, match=r"examples\.extending_similarity\.MapSimilarity"):
        load_model(tmp_path / "model.skops")
    trusted = ["examples.extending_similarity.MapSimilarity"]
    again = load_model(tmp_path / "model.skops", trusted=trusted)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
