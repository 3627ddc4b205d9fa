"""Attention that falls off with a distance: the product of two kinds of weights, whoever makes the first."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import TimeSeriesSplit

from heedful import (
    AttentionClassifier,
    AttentionCox,
    AttentionGLM,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    DriftCorrector,
    LocalLasso,
    LocalLearner,
)
from heedful._kernels.shapes import ScoreRows
from heedful.attention._weighting import Weighting, weigh
from heedful.similarity import (
    ForestProximity,
    GaussianSimilarity,
    NearSimilarity,
    PastSimilarity,
    TeacherSimilarity,
)
from heedful.similarity._near import auto_widths
from reference.lasso import penalty_scale, weighted_lasso
from reference.nearness import distances, near_weights

FOREST = ForestProximity(20, random_state=0)
INNER = {"forest": FOREST, "gaussian": GaussianSimilarity()}
ONE = {"heads": "single", "alpha": 0.05, "mixing": 1.0, "local": LocalLasso(alpha_ratio=1.0), "random_state": 0}
N = 60


def series(rng, n=N):
    """Return rows whose first two columns are a place, with weights of any size."""
    X = np.column_stack([rng.uniform(0, 9, size=(n, 2)), rng.normal(size=(n, 2))])
    y = X[:, 2] * np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)
    return X, y, rng.uniform(0.2, 2.0, size=n)


def frame_of(X):
    return pd.DataFrame(X, columns=["east", "north", "a", "b"])


def dense(rows, n):
    """Return scores and leaf weights of all rows, 0 where there are none."""
    if rows.indices.size == 0:
        return rows.score.reshape(-1, n), np.zeros((rows.indptr.size - 1, n))
    query = np.repeat(np.arange(rows.indptr.size - 1), np.diff(rows.indptr))
    found = np.zeros((2, rows.indptr.size - 1, n))
    found[0, query, rows.indices], found[1, query, rows.indices] = rows.score, rows.leaf
    return found


@pytest.mark.one_value
@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize("name", INNER)
def test_weights_are_the_product_written_row_by_row(rng, name, left_out):
    X, y, prior = series(rng)
    near = NearSimilarity(INNER[name], [0, 1]).fit(X, y, prior)
    index = np.arange(0, N, 3)
    rows = near.train_rows(index) if left_out else near.score_rows(X[index] + 0.1)
    score, leaf = dense(rows, N)
    away = distances(X[index, :2] + (0.0 if left_out else 0.1), X[:, :2])
    for width in (0.05, 2.0):
        ways = [Weighting("softmax", 0.1, width), Weighting("kernel", width=width)]
        for way in [*ways, *(Weighting(free, width=width) for free in near.weightings)]:
            excess, background = weigh(rows, way, prior)
            found = excess.toarray() + background[:, None] * prior / prior.sum()
            parts = zip(score, leaf, away, strict=True)
            expected = [near_weights(way.name, *part, width, prior, way.temperature) for part in parts]
            np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.one_value
@pytest.mark.parametrize("name", INNER)
def test_attention_and_predictions_are_those_of_the_product(rng, name):
    X, y, prior = series(rng)
    model = AttentionLasso(similarity=NearSimilarity(INNER[name], [0, 1], width=2.0), temperature=0.3, **ONE)
    model.fit(X, y, sample_weight=prior)
    queries = X[:7] + 0.05
    own = model.similarity_[0]
    away, prior = distances(queries[:, :2], X[:, :2]), prior / prior.mean()
    fitted = own.similarity_.scores(queries)
    scores = fitted.toarray() if name == "forest" else fitted
    # the model keeps its rows in an order of its own
    order = np.array([np.flatnonzero((X[:, :2] == where).all(axis=1))[0] for where in own.where_])
    expected = np.zeros((7, N))
    for q in range(7):
        expected[q, order] = near_weights("softmax", scores[q], scores[q], away[q, order], 2.0, prior[order], 0.3)
    np.testing.assert_allclose(model.attention(queries).toarray(), expected, atol=1e-10)
    scale = penalty_scale(X, prior, "local")
    local = [weighted_lasso(X, y, weight, 0.05, scale) for weight in expected]
    plain = [level + coef @ x for (level, coef), x in zip(local, queries, strict=True)]
    np.testing.assert_allclose(model.predict(queries), plain, rtol=1e-7, atol=1e-7)


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 3])
def test_an_infinite_width_is_no_kernel_to_the_last_bit(rng, cv):
    X, y, weight = series(rng)
    models = [
        AttentionLasso(similarity=similarity, cv=cv, random_state=0).fit(X, y, sample_weight=weight)
        for similarity in (FOREST, NearSimilarity(FOREST, 0, width=np.inf))
    ]
    np.testing.assert_array_equal(*(model.predict(X) for model in models))
    np.testing.assert_array_equal(*(model.attention(X[:5]).toarray() for model in models))
    pd.testing.assert_frame_equal(*(model.heads_ for model in models))


def test_a_small_width_leaves_the_nearest_row_alone(rng):
    X, y, _ = series(rng)
    near = NearSimilarity(GaussianSimilarity(), [0, 1]).fit(X, y)
    rows = near.score_rows(X[:5] + 0.01)
    found = weigh(rows, Weighting("softmax", 1.0, 1e-4), np.ones(N))[0].toarray()
    np.testing.assert_allclose(found, np.eye(N)[:5], atol=1e-6)


def test_far_from_all_rows_the_ratios_of_weights_stay_what_they_are(rng):
    X, y, _ = series(rng)
    near = NearSimilarity(FOREST, 0).fit(X, y)
    late, later = X[[3, 3]], X[[3, 3]]
    late[:, 0], later[:, 0] = 50.0, 5000.0
    for way in (Weighting("share", width=1.0), Weighting("leaf", width=1.0), Weighting("softmax", 0.1, 1.0)):
        one, other = (weigh(near.score_rows(rows), way, np.ones(N))[0].toarray() for rows in (late, later))
        np.testing.assert_allclose(one, other, atol=1e-9)
        assert one.max() > 1.5 / N


@pytest.mark.parametrize("name", ["share", "leaf"])
def test_a_near_row_without_a_share_does_not_hide_those_far_away(name):
    value, away = np.array([0.5, 0.0, 0.3]), np.array([1000.0, 0.0, 1001.0])
    rows = ScoreRows(np.array([0, 3]), np.arange(3, dtype=np.int32), value, value, -away)
    found = weigh(rows, Weighting(name, width=1.0), np.ones(3))[0].toarray()[0]
    np.testing.assert_allclose(found, near_weights(name, value, value, away, 1.0, np.ones(3)), atol=1e-12)


def test_the_unit_of_the_columns_and_the_width_makes_no_difference(rng):
    X, y, _ = series(rng)
    frame, moved = frame_of(X), frame_of(X).assign(east=1000 * X[:, 0], north=1000 * X[:, 1])
    how = {"temperature": 0.2, "features": {"model": ["a", "b"]}, **ONE}
    one = AttentionLasso(similarity=NearSimilarity(FOREST, ["east", "north"], width=1.5), **how).fit(frame, y)
    other = AttentionLasso(similarity=NearSimilarity(FOREST, ["east", "north"], width=1500.0), **how).fit(moved, y)
    np.testing.assert_allclose(one.attention(frame).toarray(), other.attention(moved).toarray(), atol=1e-10)
    widths = [AttentionLasso(similarity=NearSimilarity(FOREST, "east")).fit(*part).similarity_[0].widths_
              for part in ((frame, y), (moved, y))]  # fmt: skip
    np.testing.assert_allclose(np.array(widths[0][1:]) * 1000, widths[1][1:])


def test_dates_are_measured_in_days_and_need_not_be_a_column_of_the_models(rng):
    X, y, _ = series(rng)
    days = np.arange(N) * 0.5
    frame = frame_of(X).assign(day=pd.Timestamp("2024-01-01") + pd.to_timedelta(days, unit="D"))
    how = {"temperature": 0.2, **ONE, "features": {"similarity": ["a", "b", "day"], "model": ["a", "b"]}}
    dated = AttentionLasso(similarity=NearSimilarity(FOREST, "day", width=3.0), **how).fit(frame, y)
    plain = AttentionLasso(similarity=NearSimilarity(FOREST, "day", width=3.0), **how).fit(frame.assign(day=days), y)
    queries = frame.iloc[:9]
    np.testing.assert_allclose(
        dated.attention(queries).toarray(), plain.attention(queries.assign(day=days[:9])).toarray(), atol=1e-10
    )
    assert "day" not in dated.local_models(queries).lasso_coef
    assert dated.explain(queries).top_context(2)["day"].notna().all()


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", TimeSeriesSplit(3)])
def test_each_width_is_tried_beside_no_kernel_and_one_forest_serves_all(rng, cv, monkeypatch):
    X, y, _ = series(rng)
    grown = []
    fit = ForestProximity.fit
    monkeypatch.setattr(ForestProximity, "fit", lambda self, *args: grown.append(1) or fit(self, *args))
    model = AttentionLasso(similarity=NearSimilarity(FOREST, 0), cv=cv, random_state=0).fit(X, y)
    assert len(grown) == (1 if cv == "oob" else 4)
    heads, widths = model.heads_, model.similarity_[0].widths_
    assert sorted(heads["width"].unique(), reverse=True) == list(widths)
    assert np.isfinite(heads["error"]).all()
    assert heads.loc[heads["weighting"] == "kernel", "width"].unique().tolist() == list(widths[1:])
    assert heads["similarity"].nunique() == len(widths)


def test_given_temperatures_and_widths_are_all_tried_and_nothing_else(rng):
    X, y, _ = series(rng)
    near = NearSimilarity(FOREST, 0, width=[1.0, 3.0])
    model = AttentionLasso(similarity=near, temperature=[0.1, 0.2], random_state=0).fit(X, y)
    pairs = model.heads_[["temperature", "width"]].drop_duplicates().to_numpy().tolist()
    assert sorted(pairs) == [[0.1, 1.0], [0.1, 3.0], [0.2, 1.0], [0.2, 3.0]]


def test_coefficients_and_values_are_those_of_heads_with_and_without_a_kernel_by_share(rng):
    X, y, _ = series(rng)
    near = NearSimilarity(FOREST, 0, width=2.0)
    fitted = AttentionLasso(similarity=near, temperature=0.3, **ONE).fit(X, y)._model
    queries = fitted.read(X[:9]).block(0, slice(0, 9))
    rows, every = fitted.grid.groups[0].score(queries), np.ones((3, 1), dtype=bool)
    ways = [Weighting("share", width=2.0), Weighting("softmax", 0.3), Weighting("softmax", 0.3, 2.0)]
    share = np.array([[0.2], [0.5], [0.3]])
    both = fitted.problem.fit(rows, queries.x, ways, every, share, None)
    alone = [fitted.problem.fit(rows, queries.x, [way], every[:1], np.ones((1, 1)), None) for way in ways]
    expected = sum(part * fits.coef for part, fits in zip(share.ravel(), alone, strict=True))
    np.testing.assert_allclose(both.coef, expected, atol=1e-12)
    np.testing.assert_array_equal(both.values, np.concatenate([fits.values for fits in alone], axis=1))


def test_forward_folds_are_scored_by_earlier_rows_alone(rng, monkeypatch):
    X, y, _ = series(rng)
    X[:, 0] = np.arange(N)
    looks, score = [], NearSimilarity.score_rows

    def record(self, rows):
        looks.append((self.where_.max(), self._places_of(rows).min(), len(self.where_)))
        return score(self, rows)

    monkeypatch.setattr(NearSimilarity, "score_rows", record)
    AttentionLasso(similarity=NearSimilarity(FOREST, 0), cv=TimeSeriesSplit(3), random_state=0).fit(X, y)
    assert [size for _, _, size in looks] == [15, 30, 45]
    assert all(last < first for last, first, _ in looks)


ESTIMATORS = {
    "lasso": (AttentionLasso(), "number"),
    "adaptive": (AttentionLasso(mixing="adaptive"), "number"),
    "logistic": (AttentionLassoClassifier(), "class"),
    "cox": (AttentionCox(), "survival"),
    "counts": (AttentionGLM(), "count"),
    "learner": (AttentionRegressor(Ridge(), local=LocalLearner(tuning_rows=10)), "number"),
    "classifier": (AttentionClassifier(LogisticRegression(), local=LocalLearner(tuning_rows=10)), "class"),
}


def responses(rng, X, y):
    event = np.array(list(zip(rng.uniform(size=N) < 0.8, rng.exponential(size=N) + 0.1, strict=True)),
                     dtype=[("event", bool), ("time", float)])  # fmt: skip
    return {"number": y, "class": np.where(y > 0, "up", "down"), "survival": event, "count": rng.poisson(np.exp(y))}


@pytest.mark.more
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_takes_it_and_threads_make_no_difference(rng, name):
    X, y, weight = series(rng)
    model, kind = ESTIMATORS[name]
    model = clone(model).set_params(similarity=NearSimilarity(FOREST, ["east", "north"]), random_state=0)
    frame, response = frame_of(X), responses(rng, X, y)[kind]
    one = clone(model).fit(frame, response, sample_weight=weight)
    two = clone(model).set_params(n_jobs=2).fit(frame, response, sample_weight=weight)
    np.testing.assert_array_equal(one.predict(frame), two.predict(frame))
    attention = one.attention(frame.iloc[:5])
    np.testing.assert_allclose(attention.toarray().sum(axis=1), 1.0)
    assert (attention.n_eff <= N + 1e-9).all()


def test_the_place_has_a_part_in_the_explanation_through_attention_alone(rng):
    X, y, _ = series(rng)
    near = NearSimilarity(GaussianSimilarity(), "east", width=0.5)
    how = {"temperature": 5.0, **ONE, "features": {"model": ["a", "b"]}}
    model = AttentionLasso(similarity=near, **how).fit(frame_of(X), y)
    explanation = model.explain(frame_of(X).iloc[:10])
    through = explanation.contributions(part="attention")["east"]
    assert through.abs().max() > 0.1
    np.testing.assert_allclose(explanation.contributions()["east"], through)
    assert (explanation.top_rows(3)["weight"] > 0).all()


def test_a_drift_corrector_takes_it(rng):
    X, y, _ = series(rng)
    model = Ridge().fit(X, y)
    near = NearSimilarity(FOREST, 0, width=2.0)
    corrector = DriftCorrector(model, similarity=near, temperature=0.2, mixing=1.0, random_state=0).fit(X, y + 1.0)
    assert np.isfinite(corrector.predict(X)).all()
    with pytest.raises(ValueError, match="`columns` names 9"):
        DriftCorrector(model, similarity=NearSimilarity(FOREST, 9), random_state=0).fit(X, y)


def test_the_kernel_stays_outside_of_the_past(rng):
    X, y, _ = series(rng)
    X[:, 0] = np.arange(N)
    model = AttentionLasso(similarity=PastSimilarity(NearSimilarity(FOREST, 0, width=5.0), 0), temperature=0.2, **ONE)
    weights = model.fit(X, y).attention(X[[30]]).toarray()[0]
    assert (weights[30:] == 0).all()
    assert weights[25:30].sum() > weights[:25].max()
    assert isinstance(model.similarity_[0].similarity_, PastSimilarity)


def test_a_query_without_a_place_is_weighed_without_the_kernel(rng):
    X, y, _ = series(rng)
    frame = frame_of(X)
    how = {"temperature": 0.2, "features": {"model": ["a", "b"]}, **ONE}
    near = AttentionLasso(similarity=NearSimilarity(FOREST, "east", width=1.0), **how).fit(frame, y)
    plain = AttentionLasso(similarity=FOREST, **how).fit(frame, y)
    queries = frame.iloc[:4].assign(east=np.nan)
    np.testing.assert_allclose(near.attention(queries).toarray(), plain.attention(queries).toarray(), atol=1e-12)


@pytest.mark.parametrize(
    ("near", "message"),
    [
        (NearSimilarity("forest", "hour"), "`columns` names 'hour', which the similarity does not see"),
        (NearSimilarity("forest", 7), "`columns` names 7"),
        (NearSimilarity("forest", []), "`columns` must name at least one column"),
        (NearSimilarity("forest", "text"), "'text', which holds text or categories"),
        (NearSimilarity("forest", "same"), "the same value in every row of 'same'"),
        (NearSimilarity("forest", "gap"), "missing or infinite values in 'gap'"),
        (NearSimilarity("forest", "east", width=0.0), "`width` must be > 0, got 0.0"),
        (NearSimilarity("forest", "east", width=[1.0, -2.0]), "`width` must be > 0, got -2.0"),
        (NearSimilarity("forest", "east", width="wide"), "`width` must be a number > 0, a list of them or 'auto'"),
        (NearSimilarity(NearSimilarity("forest", "east"), "north"), "must have one kernel"),
        (NearSimilarity(TeacherSimilarity(anchor=True), "east"), "must have anchor=False under a kernel"),
    ],
)
def test_what_cannot_be_is_named_before_any_work(rng, near, message, monkeypatch):
    X, y, _ = series(rng)
    frame = frame_of(X).assign(text=list("ab") * 30, same=1.0, gap=np.where(np.arange(N) == 3, np.nan, 1.0))
    monkeypatch.setattr("heedful._models.linear.LinearModels.fit", None, raising=False)
    with pytest.raises(ValueError, match=message):
        AttentionLasso(similarity=near).fit(frame, y)


@pytest.mark.parametrize("n_rows", [2, 3, 40])
def test_widths_are_parts_of_the_mean_distance_of_two_different_rows(rng, n_rows):
    where = rng.normal(size=(n_rows, 2))
    apart = [np.linalg.norm(a - b) for i, a in enumerate(where) for b in where[:i]]
    np.testing.assert_allclose(auto_widths(where), [np.inf, *np.mean(apart) * np.array([1.0, 0.3, 0.1])])


def test_a_kernel_keeps_its_widths_when_it_learns_the_names_of_columns():
    near = NearSimilarity(ForestProximity(5), "east", width=[0.5, 2.0])
    for other in (near.with_columns(["north", "east"]), near.around(ForestProximity(9)), near.seeded(None, 0)):
        assert other.width == [0.5, 2.0]
    assert near.with_columns(["north", "east"]).places == (1,)
