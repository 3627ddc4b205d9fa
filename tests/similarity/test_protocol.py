import numpy as np
import pytest

from heedful._kernels.shapes import ScoreRows
from heedful.similarity import CallableSimilarity, ForestProximity, GaussianSimilarity, RidgeSimilarity, Similarity
from heedful.similarity._protocol import TARGETS, as_matrix

ALL = [
    ForestProximity(3, random_state=0),
    GaussianSimilarity(),
    RidgeSimilarity(),
    CallableSimilarity(lambda query, train: query @ train.T),
]


@pytest.mark.parametrize("similarity", ALL, ids=lambda similarity: type(similarity).__name__)
def test_every_similarity_offers_the_protocol(rng, similarity):
    X, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    fitted = similarity.fit(X, y, sample_weight=np.ones(12))
    assert fitted.takes in ("codes", "bins", "dummies")
    assert isinstance(fitted, Similarity)
    assert fitted.target in TARGETS
    assert not fitted.anchor
    assert fitted.leaves_out
    assert not fitted.keeps_rows
    assert fitted.with_columns(["a", "b", "c"]) is fitted
    assert set(fitted.weightings) <= {"share", "leaf"}
    assert all(temperature > 0 for temperature in fitted.temperatures_)
    for rows in (fitted.score_rows(X[:2]), fitted.train_rows(np.array([0, 7]))):
        assert isinstance(rows, ScoreRows)
        assert rows.indptr.size == 3
        assert rows.indptr.dtype == np.int64
        assert rows.indices.dtype == np.int32


def test_temperatures_follow_the_spread_of_the_scores(rng):
    X = rng.normal(size=(12, 3))
    one, other = (CallableSimilarity(lambda q, t, k=k: k * q @ t.T).fit(X).temperatures_ for k in (1.0, 10.0))
    np.testing.assert_allclose(np.array(other), 10 * np.array(one))
    spread = np.median(np.std(X @ X.T, axis=1))
    np.testing.assert_allclose(one, spread * np.array([2.0, 1.0, 0.5, 0.25, 0.125]))


def test_scores_without_spread_have_one_temperature(rng):
    flat = CallableSimilarity(lambda query, train: np.ones((len(query), len(train))))
    assert flat.fit(rng.normal(size=(12, 3))).temperatures_ == (1.0,)


def test_a_similarity_must_say_how_it_is_fitted_and_how_it_scores(rng):
    with pytest.raises(NotImplementedError, match=r"Similarity must have `fit\(X, y, sample_weight\)`"):
        Similarity().fit(rng.normal(size=(2, 2)))
    with pytest.raises(NotImplementedError, match=r"Similarity must have `scores\(X\)`"):
        Similarity().scores(rng.normal(size=(2, 2)))


def test_sparse_rows_become_a_matrix():
    rows = ScoreRows(np.array([0, 1, 1]), np.array([2], np.int32), np.array([0.5]), np.empty(0))
    np.testing.assert_array_equal(as_matrix(rows, 3).toarray(), [[0.0, 0.0, 0.5], [0.0, 0.0, 0.0]])
