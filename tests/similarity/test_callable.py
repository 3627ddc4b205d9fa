import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from heedful.similarity import CallableSimilarity


def inner(query, train):
    return query @ train.T


def test_scores_are_what_the_function_returns(rng):
    X, queries = rng.normal(size=(5, 2)), rng.normal(size=(3, 2))
    np.testing.assert_array_equal(CallableSimilarity(inner).fit(X).scores(queries), queries @ X.T)


def test_training_rows_are_masked_against_themselves(rng):
    X = rng.normal(size=(5, 2))
    scores = CallableSimilarity(inner).fit(X).train_rows(np.arange(5)).score.reshape(5, 5)
    np.testing.assert_array_equal(scores, np.where(np.eye(5) == 1, -np.inf, X @ X.T))


def test_a_function_may_return_its_own_memory(rng):
    kept = np.ones((5, 5))
    similarity = CallableSimilarity(lambda query, train: kept).fit(rng.normal(size=(5, 2)))
    similarity.train_rows(np.arange(5))
    assert (kept == 1).all()


@pytest.mark.parametrize("scores", [np.ones(3), np.ones((5, 3)), 1.0])
def test_scores_of_the_wrong_shape_are_refused(rng, scores):
    similarity = CallableSimilarity(lambda query, train: scores).fit(rng.normal(size=(5, 2)))
    with pytest.raises(ValueError, match=r"`similarity` must return scores of shape \(3, 5\)"):
        similarity.scores(rng.normal(size=(3, 2)))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_refused(rng, bad):
    similarity = CallableSimilarity(lambda query, train: np.full((3, 5), bad)).fit(rng.normal(size=(5, 2)))
    with pytest.raises(ValueError, match="`similarity` must return finite scores"):
        similarity.scores(rng.normal(size=(3, 2)))


def test_asking_before_fitting_is_an_error():
    with pytest.raises(NotFittedError):
        CallableSimilarity(inner).scores([[1.0]])
