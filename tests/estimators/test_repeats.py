"""Tables whose rows repeat: what can be learned of them is learned, and counts are weights."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss

from heedful import (
    AttentionClassifier,
    AttentionCox,
    AttentionGLM,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    LeafAttentionClassifier,
    LeafAttentionRegressor,
    LocalLearner,
    TreeAttentionRegressor,
)
from heedful.baseline import CoxBaseline, GlmBaseline, LassoBaseline, LogisticBaseline
from heedful.similarity import ForestProximity

FOREST = ForestProximity(10)
SMALL = {"similarity": FOREST, "random_state": 0}
FEW = {"n_estimators": 5, "max_depth": 3, "random_state": 0}

CASES = {
    "lasso": (AttentionLasso, "numbers", {}),
    "one head": (AttentionLasso, "numbers", {"heads": "single", "mixing": "adaptive"}),
    "two classes": (AttentionLassoClassifier, "coins", {}),
    "balanced": (AttentionLassoClassifier, "coins", {"class_weight": "balanced", "heads": "single"}),
    "three classes": (AttentionLassoClassifier, "dice", {"heads": "single"}),
    "survival": (AttentionCox, "times", {"heads": "single"}),
    "poisson": (AttentionGLM, "counts", {"heads": "single"}),
    "tweedie": (AttentionGLM, "counts", {"heads": "single", "family": "tweedie"}),
    "ridges": (AttentionRegressor, "numbers", {"estimator": Ridge(), "local": LocalLearner(tuning_rows=30)}),
    "logistic": (
        AttentionClassifier,
        "coins",
        {"estimator": LogisticRegression(), "local": LocalLearner(tuning_rows=30)},
    ),
    "leaves": (LeafAttentionRegressor, "numbers", {"estimator": RandomForestRegressor(**FEW)}),
    "class leaves": (LeafAttentionClassifier, "coins", {"estimator": RandomForestClassifier(**FEW)}),
    "trees": (TreeAttentionRegressor, "numbers", {"estimator": RandomForestRegressor(**FEW)}),
}


def draw(rng, kind, n_rows=160):
    """Return three factors of two or three levels and a response whose values repeat."""
    X = np.column_stack([rng.integers(0, 2, n_rows), rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows)])
    signal = 1.5 * (X[:, 0] ^ X[:, 2]) + 0.5 * X[:, 1]
    y = {
        "numbers": lambda: signal + rng.integers(0, 2, n_rows),
        "coins": lambda: (rng.random(n_rows) < (1 + signal) / 5).astype(int),
        "dice": lambda: np.clip(np.rint(signal + rng.normal(size=n_rows)), 0, 2).astype(int),
        "times": lambda: np.column_stack([rng.random(n_rows) < 0.8, np.ceil(4 * rng.exponential(np.exp(-signal)))]),
        "counts": lambda: rng.poisson(np.exp(signal / 2)),
    }[kind]()
    return X.astype(float), y


def counted(X, y):
    """Return the distinct rows and how often each is there."""
    rows, count = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    kept = rows[:, X.shape[1] :]
    return rows[:, : X.shape[1]], kept if kept.shape[1] > 1 else kept[:, 0], count


@pytest.mark.one_value
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("cv", ["oob", 4])
def test_a_table_of_counts_is_the_table_written_out_in_any_order(rng, case, cv):
    kind, response, settings = CASES[case]
    X, y = draw(rng, response)
    short, values, count = counted(X, y)
    assert len(short) < 0.7 * len(X)
    order = rng.permutation(len(X))
    by_count = kind(**SMALL | settings, cv=cv).fit(short, values, sample_weight=count)
    written = kind(**SMALL | settings, cv=cv).fit(X[order], y[order])
    np.testing.assert_allclose(by_count._values(short), written._values(short), rtol=1e-9)
    pd.testing.assert_frame_equal(by_count.heads_, written.heads_)
    np.testing.assert_allclose(by_count.held_out_error_, written.held_out_error_)


@pytest.mark.one_value
@pytest.mark.parametrize("case", ["lasso", "two classes", "ridges"])
def test_with_groups_too(rng, case):
    kind, response, settings = CASES[case]
    X, y = draw(rng, response)
    group = rng.integers(0, 12, len(X))
    short, values, count = counted(np.column_stack([group, X]), y)
    by_count = kind(**SMALL | settings, cv=4).fit(short[:, 1:], values, sample_weight=count, groups=short[:, 0])
    written = kind(**SMALL | settings, cv=4).fit(X, y, groups=group)
    np.testing.assert_allclose(by_count._values(short[:, 1:]), written._values(short[:, 1:]), rtol=1e-9)


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("kind", "response"),
    [(LassoBaseline, "numbers"), (LogisticBaseline, "dice"), (CoxBaseline, "times"), (GlmBaseline, "counts")],
)
def test_penalties_for_all_rows_are_those_of_the_table_written_out(rng, kind, response):
    X, y = draw(rng, response)
    short, values, count = counted(X, y)
    by_count = kind(random_state=0).fit(short, values, sample_weight=count)
    written = kind(random_state=0).fit(X, y)
    assert by_count.alpha_ == pytest.approx(written.alpha_)
    np.testing.assert_allclose(by_count.fit_.coef, written.fit_.coef, atol=1e-9)


def test_attention_to_counted_rows_is_that_to_all_copies_of_them(rng):
    X, y = draw(rng, "coins")
    short, values, count = counted(X, y)
    by_count = AttentionLassoClassifier(**SMALL).fit(short, values, sample_weight=count).attention(short).toarray()
    written = AttentionLassoClassifier(**SMALL).fit(X, y).attention(short).toarray()
    same = (np.column_stack([X, y])[:, None] == np.column_stack([short, values])).all(axis=2)
    np.testing.assert_allclose(written @ same, by_count, atol=1e-12)
    np.testing.assert_allclose(by_count.sum(axis=1), 1.0)


@pytest.fixture(scope="module")
def xor():
    """Return a table of three binary columns whose sum is even or odd in 17 of 20 rows, and a model of it."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (500, 3)).astype(float)
    even = X.sum(axis=1) % 2
    y = np.where(rng.random(500) < 0.15, 1 - even, even)
    return X, y, even, AttentionLassoClassifier(random_state=0).fit(X, y)


def test_a_table_of_three_binary_columns_is_learned(xor):
    X, _, even, model = xor
    chance = model.predict_proba(X)[:, 1]
    assert chance[even == 1].min() > 0.7
    assert chance[even == 0].max() < 0.3


def test_its_held_out_error_is_that_of_new_rows(xor):
    X, _, even, model = xor
    # the expected loss of new rows, whose chances are known
    right, wrong = (log_loss(np.where(flip, 1 - even, even), model.predict_proba(X)) for flip in (False, True))
    expected = 0.85 * right + 0.15 * wrong
    assert model.held_out_error_["attention"] == pytest.approx(expected, rel=0.1)


def test_a_table_without_noise_is_learned_too():
    X = np.random.default_rng(0).integers(0, 2, (300, 3)).astype(float)
    y = X.sum(axis=1) % 2
    assert AttentionLassoClassifier(random_state=0).fit(X, y).score(X, y) == 1.0


def test_class_weights_that_are_whole_numbers_let_no_row_predict_itself(rng):
    X = rng.normal(size=(150, 4))
    y = rng.random(150) < 0.2
    weighted = AttentionLassoClassifier(**SMALL).fit(X, y, sample_weight=np.where(y, 4.0, 1.0))
    # labels that are coins cannot be told from columns, whatever rows weigh
    assert weighted.held_out_error_["attention"] > 0.6


@pytest.mark.more
def test_visits_of_patients_that_are_noise_are_not_believed():
    guards = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        patient = np.repeat(np.arange(40), 10)
        X, y = rng.normal(size=(40, 4))[patient], rng.normal(size=40)[patient] + 0.3 * rng.normal(size=400)
        guards.append(AttentionLasso(**SMALL, cv=5).fit(X, y, groups=patient).guard_)
    assert np.mean(guards) < 0.4
