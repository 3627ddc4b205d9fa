"""Which columns local models of a wide table use."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import heedful
from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful._flow.kinds import ScoredRows
from heedful._kernels.shapes import ScoreRows, dense_rows
from heedful._models.screening import local_sizes
from heedful._solver.paths import Model
from heedful.attention._weighting import Weighting
from heedful.similarity import ForestProximity, GaussianSimilarity
from reference.rows import classes_of, numbers_of

KINDS = {"numbers": AttentionLasso, "classes": AttentionLassoClassifier, "survival": AttentionCox}
ALIKE = GaussianSimilarity()


def table(rng, n=90, p=12):
    """Return rows whose first two columns carry the signal, the second with a sign that the third decides."""
    X = rng.normal(size=(n, p))
    return X, 2.0 * X[:, 0] + 2.0 * np.sign(X[:, 2]) * X[:, 1] + 0.3 * rng.normal(size=n)


def response(kind, y):
    if kind == "classes":
        return np.where(y > 0, "high", "low")
    return np.column_stack([np.arange(y.size) % 4 > 0, np.exp(-y)]) if kind == "survival" else y


def fit(X, y, most, kind=AttentionLasso, similarity=ALIKE, sample_weight=None, **how):
    local = LocalLasso(n_screened=most)
    model = kind(similarity=similarity, mixing=0.7, local=local, random_state=0, **how)
    return model.fit(X, y, sample_weight=sample_weight)


def chosen(model):
    """Return the columns that local models use, without shapes."""
    columns = model._model.problem.columns
    return None if columns is None else columns[columns < len(model._model.models.names)]


@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_are_not_chosen_have_the_baselines_part_only(rng, kind):
    X, y = table(rng)
    model = fit(X, response(kind, y), 4, KINDS[kind])
    found = model.explain(X[:20])
    others = np.setdiff1d(np.arange(12), chosen(model))
    assert len(chosen(model)) == 4
    assert (found.local_coef.to_numpy()[:, others] == 0).all()
    base = (1 - found.mixing.to_numpy())[:, None] * found.baseline_coef.to_numpy()
    np.testing.assert_array_equal(found.lasso_coef.to_numpy()[:, others], base[:, others])
    total = found.lasso_intercept + (found.lasso_coef * found.lasso_design + found.shape).sum(axis=1)
    np.testing.assert_allclose(total, found.link, atol=1e-9)


def test_a_column_that_alone_carries_the_signal_is_chosen(rng):
    X = rng.normal(size=(90, 12))
    assert chosen(fit(X, X[:, 7] + 0.1 * rng.normal(size=90), 1)).tolist() == [7]


def test_a_column_whose_sign_flips_between_groups_is_chosen_though_the_baseline_misses_it(rng):
    X = rng.normal(size=(300, 60))
    X[:, 59] = rng.integers(0, 2, size=300)
    y = X[:, 0] + np.where(X[:, 59] > 0, 2.0, -2.0) * X[:, 5] + 0.3 * rng.normal(size=300)
    by_group = GaussianSimilarity(standardize=False)
    features = {"similarity": [59], "model": None}
    model = fit(X, y, 3, similarity=by_group, features=features, temperature=0.1)
    assert abs(model.baseline_.coef_[5]) < 0.1 * 2.0
    assert {0, 5} <= set(chosen(model))


@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_weight_two_is_the_row_twice(rng, kind):
    X, y = table(rng)
    weight = np.where(np.arange(90) < 30, 2.0, 1.0)
    once = fit(X, response(kind, y), 4, KINDS[kind], sample_weight=weight)
    again = np.append(np.arange(90), np.arange(30))
    twice = fit(X[again], response(kind, y)[again], 4, KINDS[kind])
    np.testing.assert_array_equal(chosen(once), chosen(twice))


def test_rows_of_weight_near_zero_do_not_choose(rng):
    X = rng.normal(size=(120, 12))
    y = np.where(np.arange(120) < 60, 3 * X[:, 4], 3 * X[:, 8]) + 0.1 * rng.normal(size=120)
    for column, weight in ((4, np.arange(120) < 60), (8, np.arange(120) >= 60)):
        assert chosen(fit(X, y, 1, sample_weight=weight + 1e-6)).tolist() == [column]


def test_the_order_of_rows_does_not_matter(rng):
    X, y = table(rng)
    order = rng.permutation(90)
    np.testing.assert_array_equal(chosen(fit(X, y, 4)), chosen(fit(X[order], y[order], 4)))


def test_the_order_of_columns_does_not_matter(rng):
    X, y = table(rng)
    order = rng.permutation(12)
    model, other = fit(X, y, 4), fit(X[:, order], y, 4)
    assert set(order[chosen(other)]) == set(chosen(model))
    np.testing.assert_allclose(model.predict(X[:9]), other.predict(X[:9][:, order]), rtol=1e-6)


@pytest.mark.one_value
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("most", [12, 13, None])
def test_as_many_columns_as_there_are_change_no_bit(rng, kind, most):
    X, y = table(rng)
    y, forest = response(kind, y), ForestProximity(10)
    models = [KINDS[kind](similarity=forest, random_state=0, local=LocalLasso(n_screened=m)) for m in (most, "auto")]
    first, second = (model.fit(X, y).explain(X[:9]) for model in models)
    np.testing.assert_array_equal(first.lasso_coef.to_numpy(), second.lasso_coef.to_numpy())
    np.testing.assert_array_equal(first.link.to_numpy(), second.link.to_numpy())


def test_heads_are_tried_with_columns_that_were_chosen_without_the_row(rng):
    X, y = rng.normal(size=(80, 100)), rng.normal(size=80)
    model = AttentionLasso(similarity=ALIKE, temperature=1e9, local=LocalLasso(alpha_ratio=1e-3, n_screened=10))
    model.set_params(alpha=0.5, random_state=0)
    # no column has anything to say, so a head that uses ten of them is worse than the mean
    assert model.fit(X, y).heads_["error"].min() > 1.02 * y.var()


@pytest.mark.one_value
@pytest.mark.parametrize(("settings", "all_columns"), [({}, False), ({"heads": "single"}, True)])
def test_by_default_many_heads_use_forty_columns_and_the_papers_one_all(rng, settings, all_columns):
    X = rng.normal(size=(60, 50))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    model = AttentionLasso(similarity=ALIKE, temperature=1.0, mixing=0.5, **settings).fit(X, y)
    assert chosen(model) is None if all_columns else len(chosen(model)) == 40
    model.set_params(local=LocalLasso(exact=True))
    assert chosen(model.fit(X, y)) is None


@pytest.mark.one_value
@pytest.mark.parametrize("exact", [True, "tuning"])
@pytest.mark.parametrize("kind", ["classes", "survival"])
def test_fits_to_convergence_keep_to_the_chosen_columns(rng, kind, exact):
    X, y = table(rng)
    how = {"similarity": ALIKE, "mixing": 0.7, "random_state": 0, "cv": 3}
    model = KINDS[kind](local=LocalLasso(n_screened=4, exact=exact), **how).fit(X, response(kind, y))
    used = (model.explain(X[:9]).local_coef.to_numpy() != 0).any(axis=0)
    assert used.any()
    assert set(np.flatnonzero(used)) <= set(chosen(model))


def test_a_saved_model_keeps_its_columns(rng, tmp_path):
    X, y = table(rng)
    model = fit(X, y, 4)
    heedful.save_model(model, tmp_path / "wide.heedful")
    other = heedful.load_model(tmp_path / "wide.heedful")
    assert "n_screened=4" in repr(other)
    np.testing.assert_array_equal(model.predict(X), other.predict(X))


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_the_size_of_a_column_is_that_of_one_step_for_each_row_by_rows_that_are_kept(rng, kind):
    n_rows, rows = 30, np.array([3, 17, 20, 29])
    x, weight, kept = rng.normal(size=(n_rows, 3)), rng.uniform(0.2, 2.0, n_rows), (np.arange(n_rows) % 5 > 0) * 1.0
    family = (
        numbers_of(x[:, 0] + rng.normal(size=n_rows))
        if kind == "numbers"
        else classes_of(rng.integers(0, 2, n_rows), 2)
    )
    start = Model(np.array([0.2]), rng.normal(size=(1, 3)))
    scores = rng.normal(size=(2, rows.size, n_rows)) * (rng.uniform(size=(2, rows.size, n_rows)) < 0.1)
    kinds, few = [Weighting("softmax", 1.0), Weighting("softmax", 0.3)], sparse.csr_array(scores[1])
    stored = ScoreRows(few.indptr, few.indices.astype(np.int32), few.data, np.empty(0))
    looks = [ScoredRows(dense_rows(scores[0]), kinds[0]), ScoredRows(stored, kinds[1])]
    link, problem = start.link(x), SimpleNamespace(family=family, weight=weight)
    curve, left = family.hessian(link, weight), family.residual(link, weight)[:, 0]
    bend = np.ones(n_rows) if curve is None else curve[:, 0]
    expected = np.zeros(3)
    for part, how in zip(scores, kinds, strict=True):
        for i, row in enumerate(rows):
            own = weight * kept * bend * np.exp(part[i] / how.temperature)
            center = np.average(x, axis=0, weights=own)
            slope = np.average((x - center) * (left / bend)[:, None], axis=0, weights=own)
            step = slope + np.average((x - center) ** 2, axis=0, weights=own) * start.coef[0]
            expected += weight[row] * kept[row] * step**2
    np.testing.assert_allclose(local_sizes(x, problem, start, kept, looks, rows), expected)
