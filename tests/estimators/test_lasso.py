"""Laws of the attention lasso: each holds for the whole estimator, forests and tuning included."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV, GroupKFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.estimators.settings import with_local

from heedful import AttentionLasso, LocalLasso
from heedful._solver.lasso import local_lasso
from heedful.similarity import ForestProximity, GaussianSimilarity, RidgeSimilarity, Similarity, default_forests

FORESTS = default_forests(120)


def small(**settings):
    return AttentionLasso(**{"similarity": FORESTS, "random_state": 0} | with_local(settings))


@pytest.fixture
def table(rng):
    X = rng.normal(size=(90, 5)).round(2)
    y = np.where(X[:, 0] > 0, 3.0, -2.0) * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=90)
    return X, y, rng.normal(size=(25, 5))


def test_local_models_beat_the_baseline_when_coefficients_differ_by_group(rng):
    X = rng.normal(size=(600, 5))
    y = np.where(X[:, 0] > 0, 3.0, -3.0) * X[:, 1] + 0.3 * rng.normal(size=600)
    model = AttentionLasso(random_state=0).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.8 > 0.2 > model.baseline_.score(X[300:], y[300:])


def test_local_coefficients_follow_the_groups(rng):
    X = rng.normal(size=(600, 5))
    y = np.where(X[:, 0] > 0, 3.0, -3.0) * X[:, 1] + 0.3 * rng.normal(size=600)
    context = {"features": {"similarity": [0], "model": [1, 2, 3, 4]}}
    model = AttentionLasso(temperature=0.1, random_state=0, **context).fit(X[:300], y[:300])
    slope = model.local_models(X[300:]).local_coef["x1"]
    assert slope[X[300:, 0] > 0.5].mean() > 1 > -1 > slope[X[300:, 0] < -0.5].mean()


def test_mixing_zero_is_the_baseline_to_the_last_bit(table):
    X, y, X_new = table
    model = small(mixing=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X_new), model.baseline_.predict(X_new))
    assert model.mixing_ == 0


def test_a_huge_temperature_gives_the_baselines_own_fit(table):
    X, y, X_new = table
    model = small(temperature=1e12, alpha_ratio=1.0, mixing=1.0).fit(X, y)
    local = model.local_models(X_new)
    np.testing.assert_allclose(local.lasso_coef, np.tile(model.baseline_.coef_, (25, 1)), atol=1e-6)
    np.testing.assert_allclose(model.predict(X_new), model.baseline_.predict(X_new), atol=1e-6)


def test_the_papers_head_is_one_weighted_lasso_per_query(table):
    X, y, X_new = table
    model = small(heads="single", similarity=FORESTS[0], temperature=0.2, alpha_ratio=1.0, mixing=1.0).fit(X, y)
    fits = local_lasso(X, y, model.attention(X_new), alpha=model.alpha_)
    np.testing.assert_allclose(model.predict(X_new), fits.intercept_ + (fits.coef_ * X_new).sum(axis=1), atol=1e-6)


class DenseForest(Similarity):
    """The forest's scores, every pair written out."""

    takes = "codes"

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        self.X_ = X
        self._forest = ForestProximity(30, random_state=7).fit(X, y, sample_weight)
        return self

    def scores(self, X):
        return self._forest.scores(X).toarray()


@pytest.mark.one_value
@pytest.mark.parametrize("temperature", [0.02, 0.3, 5.0])
@pytest.mark.parametrize("alpha_ratio", [0.1, 1.0])
def test_sparse_route_equals_dense_route(table, temperature, alpha_ratio):
    X, y, X_new = table
    settings = {"temperature": temperature, "alpha_ratio": alpha_ratio, "mixing": 1.0, "shapes": False}
    sparse = small(similarity=ForestProximity(30, random_state=7), **settings).fit(X, y)
    dense = small(similarity=DenseForest(), **settings).fit(X, y)
    np.testing.assert_allclose(sparse.predict(X_new), dense.predict(X_new), atol=1e-8)
    np.testing.assert_allclose(sparse.attention(X_new).toarray(), dense.attention(X_new).toarray(), atol=1e-12)


def test_row_order_is_irrelevant(table, rng):
    X, y, X_new = table
    order = rng.permutation(len(y))
    np.testing.assert_array_equal(small().fit(X, y).predict(X_new), small().fit(X[order], y[order]).predict(X_new))


def test_equal_rows_are_one_of_their_weight_and_a_row_of_weight_zero_is_none(table):
    # what the weights then do is held against loops in test_flow.py
    X, y, X_new = table
    weight = np.tile([1.0, 2.0, 0.0], 30)
    times = weight.astype(int)
    weighted = small().fit(X, y, sample_weight=weight)
    repeated = small().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict(X_new), repeated.predict(X_new), rtol=1e-10)
    pd.testing.assert_frame_equal(weighted.heads_, repeated.heads_)


def test_the_scale_of_sample_weights_is_irrelevant(table, rng):
    X, y, X_new = table
    weight = rng.uniform(1, 2, size=len(y))
    first, second = (small().fit(X, y, sample_weight=factor * weight) for factor in (1.0, 64.0))
    np.testing.assert_allclose(first.predict(X_new), second.predict(X_new), rtol=1e-8)


def test_scaling_a_column_changes_no_prediction(table):
    X, y, X_new = table
    unit = np.array([4.0, 0.5, 1.0, 1024.0, 0.25])
    np.testing.assert_allclose(
        small().fit(X, y).predict(X_new), small().fit(X * unit, y).predict(X_new * unit), atol=1e-7
    )


def test_a_constant_added_to_the_response_is_added_to_predictions(table):
    X, y, X_new = table
    # eighths have exact sums; forests of residuals choose between nearly equal splits by how the lasso was rounded
    y, model = np.round(8 * y) / 8, small(similarity=ForestProximity(60))
    np.testing.assert_allclose(model.fit(X, y).predict(X_new) + 8, model.fit(X, y + 8).predict(X_new), atol=1e-6)


@pytest.mark.one_value
@pytest.mark.parametrize("settings", [{}, {"mixing": "adaptive"}, {"cv": 3}])
def test_any_number_of_jobs_gives_the_same_bits(table, settings):
    X, y, X_new = table
    results = [small(n_jobs=n_jobs, **settings).fit(X, y).predict(X_new) for n_jobs in (None, 2, 3)]
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_a_query_is_predicted_alike_alone_and_among_others(table):
    X, y, X_new = table
    model = small(mixing="adaptive").fit(X, y)
    alone = np.concatenate([model.predict(X_new[q : q + 1]) for q in range(5)])
    np.testing.assert_allclose(alone, model.predict(X_new)[:5], rtol=1e-12)


@pytest.mark.one_value
@pytest.mark.parametrize("settings", [{}, {"heads": "single"}, {"mixing": "adaptive"}, {"mixing": 0}])
def test_local_models_reproduce_predictions(table, settings):
    X, y, X_new = table
    model = small(**settings).fit(X, y)
    local = model.local_models(X_new)
    from_coef = local.lasso_intercept + (local.lasso_coef * local.lasso_design + local.shape).sum(axis=1)
    np.testing.assert_allclose(from_coef, model.predict(X_new), atol=1e-8)
    blended = (1 - local.mixing) * local.baseline_intercept + local.mixing * local.local_intercept
    np.testing.assert_allclose(blended + local.smooth, local.lasso_intercept)


def test_attention_rows_sum_to_one_and_cover_the_rows_as_given(table):
    X, y, X_new = table
    twice = np.concatenate([np.arange(90), np.arange(10)])
    attention = small().fit(X[twice], y[twice]).attention(X_new)
    dense = attention.toarray()
    assert dense.shape == (25, 100)
    np.testing.assert_allclose(dense.sum(axis=1), 1.0)
    np.testing.assert_allclose(dense[:, :10], dense[:, 90:])
    assert (attention.n_eff >= 1).all()
    assert (attention.n_eff <= 100).all()


def test_the_head_table_says_what_was_tried_and_used(table):
    X, y, _ = table
    model = small().fit(X, y)
    assert len(model.heads_) == (4 * 3 + 2) * 5
    names = ["similarity", "weighting", "temperature", "alpha_ratio", "shapes", "error", "share"]
    assert list(model.heads_) == names
    np.testing.assert_allclose(model.heads_["share"].sum(), model.mixing_)
    assert 0 < (model.heads_["share"] > 0).sum() < 15
    assert (model.heads_["error"] > 0).all()


def test_one_head_is_the_best_one_and_its_error_is_the_smallest_to_blend(table):
    X, y, _ = table
    model = small(heads="single", similarity=FORESTS[0]).fit(X, y)
    assert (model.heads_["share"] > 0).sum() == 1
    assert 0 < model.mixing_ <= 1


def test_lists_of_temperatures_and_ratios_make_the_grid(table):
    X, y, _ = table
    model = small(similarity=FORESTS[0], temperature=[0.1, 1.0], alpha_ratio=[1.0, np.inf]).fit(X, y)
    assert set(model.heads_["weighting"]) == {"softmax"}
    assert list(model.heads_["alpha_ratio"]) == [np.inf, 1.0, 1.0] * 2
    assert list(model.heads_["shapes"]) == [False, False, True] * 2


def test_a_fixed_mixing_is_the_sum_of_the_shares(table):
    X, y, _ = table
    model = small(mixing=0.7).fit(X, y)
    np.testing.assert_allclose(model.heads_["share"].sum(), 0.7)
    assert model.guard_ == 1


def test_noise_leaves_the_baseline_alone(rng):
    X, y = rng.normal(size=(80, 4)), rng.standard_cauchy(size=80)
    assert small().fit(X, y).guard_ < 0.5


@pytest.mark.more
def test_adaptive_mixing_differs_by_query_and_stays_within_bounds(rng):
    X = rng.normal(size=(300, 4))
    y = np.where(X[:, 0] > 0, 4 * np.abs(X[:, 1]), X[:, 1]) + 0.3 * rng.normal(size=300)
    local = small(mixing="adaptive").fit(X, y).local_models(X)
    assert local.mixing.between(0, 1).all()
    assert local.mixing.std() > 0.001


@pytest.mark.one_value
@pytest.mark.parametrize("cv", [4, TimeSeriesSplit(3), [(np.arange(60), np.arange(60, 90))]])
def test_folds_tune_as_well_as_out_of_bag(table, cv):
    X, y, X_new = table
    model = small(cv=cv).fit(X, y)
    assert np.isfinite(model.predict(X_new)).all()
    assert model.heads_["error"].min() < np.var(y)


def test_groups_are_kept_on_one_side(table):
    X, y, X_new = table
    groups = np.repeat(np.arange(9), 10)
    by_number = small(cv=3).fit(X, y, groups=groups).predict(X_new)
    by_splitter = small(cv=GroupKFold(3)).fit(X, y, groups=groups).predict(X_new)
    np.testing.assert_array_equal(by_number, by_splitter)


@pytest.mark.one_value
@pytest.mark.parametrize("similarity", [RidgeSimilarity(), GaussianSimilarity(), lambda query, train: query @ train.T])
@pytest.mark.parametrize("cv", ["oob", 3])
def test_any_similarity_can_be_attended_by(table, similarity, cv):
    X, y, X_new = table
    model = AttentionLasso(similarity=similarity, cv=cv, random_state=0).fit(X, y)
    assert len(model.heads_) == 5 * 5
    assert np.isfinite(model.predict(X_new)).all()


def test_a_fitted_forest_is_taken_as_it_is(table):
    X, y, X_new = table
    forest = RandomForestRegressor(30, random_state=3).fit(X, y)
    before = forest.predict(X_new)
    model = small(similarity=forest, shapes=False).fit(X, y)
    assert model.similarity_[0].forest_ is forest
    np.testing.assert_array_equal(forest.predict(X_new), before)
    leaf_mean = model.heads_.query("weighting == 'leaf' and alpha_ratio == inf")
    assert len(leaf_mean) == 1


def test_the_forest_is_a_member_of_the_family(table):
    X, y, X_new = table
    forest = ForestProximity(30, random_state=0)
    model = small(similarity=forest, alpha_ratio=np.inf, mixing=1.0, shapes=False)
    model.fit(X, y)
    leaf = (model.heads_["weighting"] == "leaf").to_numpy(dtype=float)
    model._model.tuned = model._model.tuned._replace(share=leaf)
    grown = model.similarity_[0]
    # the trees of the estimator, which puts rows in an order of its own; the forest of the rows as they were given is
    # that of scikit-learn in tests/similarity
    rows = grown.score_rows(X_new)
    order = np.lexsort(np.column_stack([X, y]).T)
    forest = np.add.reduceat(rows.leaf * y[order][rows.indices], rows.indptr[:-1])
    np.testing.assert_allclose(model.predict(X_new), forest, atol=1e-7)


def test_columns_can_be_split_between_similarity_and_models(table):
    X, y, X_new = table
    frame, new = (pd.DataFrame(rows, columns=list("abcde")) for rows in (X, X_new))
    model = small(features={"similarity": ["a"], "model": ["b", "c"]}).fit(frame, y)
    assert list(model.local_models(new).lasso_coef) == ["b", "c"]
    assert model.similarity_[0].forest_.n_features_in_ == 1
    changed = new.assign(d=5.0, e=-5.0)
    np.testing.assert_array_equal(model.predict(new), model.predict(changed))


def test_a_far_query_is_pulled_back_unless_told_otherwise(table):
    X, y, _ = table
    far = np.array([[1.0, 1e6, 0.0, 0.0, 0.0]])
    model = small().fit(X, y)
    assert np.abs(model.predict(far)[0]) < 10 * np.abs(y).max()
    free = small(local=LocalLasso(max_extrapolation=None)).fit(X, y)
    assert np.abs(free.predict(far)[0]) > 1e4


def test_a_head_does_not_predict_far_from_the_responses_it_attends_to():
    x = np.append(np.linspace(0, 1, 20), 100.0)[:, None]
    y = np.append(10 * x[:20, 0], 0.0)
    settings = {
        "temperature": 0.1,
        "local": LocalLasso(alpha_ratio=1.0, shapes=False),
        "alpha": 1e-3,
        "mixing": 1.0,
    }
    model = AttentionLasso(similarity=lambda query, train: np.tile(train[:, 0] < 2, (len(query), 1)), **settings)
    assert 5 < model.fit(x, y).predict([[90.0]])[0] < 5 + 4.1 * y[:20].std()
    assert model.set_params(local__max_extrapolation=None).fit(x, y).predict([[90.0]])[0] > 500


def test_it_works_in_pipelines_and_searches(table):
    X, y, X_new = table
    search = GridSearchCV(
        make_pipeline(StandardScaler(), small(similarity=FORESTS[0])),
        {"attentionlasso__heads": ["multi", "single"]},
        cv=2,
    ).fit(X, y)
    assert search.predict(X_new).shape == (25,)
    assert clone(small()).get_params()["similarity"][0].n_estimators == FORESTS[0].n_estimators


@pytest.mark.one_value
@pytest.mark.parametrize("shapes", [True, False])
def test_numbers_fitted_to_convergence_are_those_of_one_step(table, shapes):
    X, y, X_new = table
    step, exact = (small(exact=exact, shapes=shapes).fit(X, y).predict(X_new) for exact in (False, True))
    np.testing.assert_array_equal(step, exact)
