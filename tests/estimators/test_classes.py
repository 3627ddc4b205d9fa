"""One column of probabilities for each class, whatever the weights, the folds or the learner."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TimeSeriesSplit
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from heedful import AttentionClassifier, AttentionLassoClassifier, DriftCorrector, LeafAttentionClassifier
from heedful.baseline import LogisticBaseline
from heedful.similarity import ForestProximity, RidgeSimilarity

FOREST = ForestProximity(12)
MODELS = {
    "lassos": lambda: AttentionLassoClassifier(similarity=FOREST, random_state=0),
    "one head": lambda: AttentionLassoClassifier(heads="single", similarity=FOREST, random_state=0),
    "folds": lambda: AttentionLassoClassifier(similarity=RidgeSimilarity(), cv=3, random_state=0),
    "trees": lambda: AttentionClassifier(DecisionTreeClassifier(max_depth=3), similarity=FOREST, random_state=0),
    "lines": lambda: AttentionClassifier(LogisticRegression(), similarity=FOREST, random_state=0),
    "leaves": lambda: LeafAttentionClassifier(similarity=FOREST, random_state=0),
    "XGBoost": lambda: AttentionClassifier(XGBClassifier(n_estimators=5), similarity=FOREST, random_state=0),
    "given forest": lambda: AttentionLassoClassifier(similarity=RandomForestClassifier(12), random_state=0),
}
# lines fitted one by one take long; others are like those that stay
SLOW = {"lines", "given forest", "one head", "folds", "trees"}
EVERY_MODEL = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.more) if name in SLOW else name for name in MODELS]
)
# These keep trees of all classes, or know classes by numbers without a gap.
WITHOUT_GAPS = ("leaves", "XGBoost")


def draw(seed, n_classes, n=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.argsort(np.argsort(X[:, 0] + 0.3 * rng.normal(size=n))) * n_classes // n
    return X, np.array(["ape", "bee", "cat", "dog"])[y]


def check_columns(model, X, y, absent):
    """Check that there is a column for each class, and little in those of absent ones."""
    classes, chance = np.unique(y), model.predict_proba(X)
    assert list(model.classes_) == list(classes)
    assert chance.shape == (len(X), classes.size)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    assert not np.isin(model.predict(X), absent).any()
    kept = ~np.isin(y, absent)
    assert np.mean(model.predict(X[kept]) == y[kept]) > 0.6
    explained = model.explain(X[:2])
    assert list(explained.prediction.columns) == list(explained.baseline_prediction.columns) == list(classes)
    np.testing.assert_allclose(explained.prediction, chance[:2], rtol=1e-12)


@EVERY_MODEL
@settings(max_examples=2, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n_classes=st.sampled_from([3, 4]),
    left=st.sampled_from([0, 1, 2]),
    few=st.booleans(),
)
def test_a_class_of_weight_zero_keeps_its_column(name, seed, n_classes, left, few):
    X, y = draw(seed, n_classes)
    absent = np.unique(y)[[left] if few or n_classes == 3 else [left, left + 1]]
    model, weight = MODELS[name](), (~np.isin(y, absent)).astype(float)
    if name in WITHOUT_GAPS:
        with pytest.raises(ValueError, match="`sample_weight` must leave rows of every class"):
            model.fit(X, y, sample_weight=weight)
        return
    check_columns(model.fit(X, y, sample_weight=weight), X, y, absent)
    if hasattr(model, "class_weight"):
        weights = {label: float(label not in absent) for label in np.unique(y)}
        check_columns(model.set_params(class_weight=weights).fit(X, y), X, y, absent)


@pytest.mark.one_value
@pytest.mark.parametrize("similarity", [None, FOREST, RidgeSimilarity()], ids=["leaves", "forest", "ridge"])
@pytest.mark.parametrize("how", ["all classes", "no weight", "no rows", "one class"])
@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 1000), n_classes=st.sampled_from([2, 3, 4]), left=st.sampled_from([0, 1]))
def test_a_corrected_model_has_a_column_for_each_class_that_it_knows(similarity, how, seed, n_classes, left):
    (X, y), (recent, labels) = draw(seed, n_classes), draw(seed + 1, n_classes)
    served, there = RandomForestClassifier(9, random_state=0).fit(X, y), labels != np.unique(y)[left]
    weight = there.astype(float) if how == "no weight" else np.ones(60)
    kept = {"no rows": there, "one class": ~there}.get(how, np.ones(60, bool))
    model = DriftCorrector(served, similarity=similarity, random_state=0).fit(
        recent[kept], labels[kept], sample_weight=weight[kept]
    )
    chance = model.predict_proba(X)
    assert list(model.classes_) == list(served.classes_)
    assert chance.shape == (60, n_classes)
    assert (chance >= 0).all()
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    assert np.isin(model.predict(X), model.classes_).all()


@pytest.mark.one_value
@pytest.mark.parametrize(("name", "late"), [*((name, "bee") for name in MODELS), ("lassos", "ape"), ("lassos", "cat")])
def test_a_class_that_appears_late_is_known_to_the_model(name, late):
    X, y = draw(0, 3, 90)
    order = np.argsort(y == late, kind="stable")
    X, y = X[order], y[order]
    model = MODELS[name]().set_params(cv=TimeSeriesSplit(3))
    chance = model.fit(X, y).predict_proba(X)
    assert chance.shape == (90, 3)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)


def test_the_baseline_takes_the_classes_that_it_is_told():
    X, y = draw(0, 3)
    model = LogisticBaseline(classes=["ant", "ape", "bee", "cat"], random_state=0).fit(X, y)
    plain = LogisticBaseline(random_state=0).fit(X, y)
    chance = model.predict_proba(X)
    np.testing.assert_allclose(
        chance[:, 1:] / chance[:, 1:].sum(axis=1, keepdims=True), plain.predict_proba(X), rtol=1e-4
    )
    assert ((chance[:, 0] > 0) & (chance[:, 0] < 0.05)).all()


@pytest.mark.parametrize("classes", [["ape", "bee"], ["bee", "ape", "cat"], ["ape", "ape", "bee", "cat"]])
def test_the_baseline_refuses_classes_that_are_not_those_of_the_rows(classes):
    X, y = draw(0, 3)
    with pytest.raises(ValueError, match="`classes` must hold all labels of `y` in order, got"):
        LogisticBaseline(classes=classes).fit(X, y)
