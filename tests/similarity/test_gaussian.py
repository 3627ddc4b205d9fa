import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from heedful.attention import attend
from heedful.similarity import GaussianSimilarity


def test_scores_are_minus_half_the_squared_distance(rng):
    X, queries = rng.normal(size=(9, 3)), rng.normal(size=(4, 3))
    expected = [[-0.5 * np.sum((query - row) ** 2) for row in X] for query in queries]
    np.testing.assert_allclose(GaussianSimilarity(standardize=False).fit(X).scores(queries), expected, atol=1e-12)


def test_the_softmax_is_a_gaussian_kernel_of_bandwidth_root_temperature(rng):
    X, queries, width = rng.normal(size=(9, 1)), rng.normal(size=(4, 1)), 0.7
    density = np.exp(-((queries - X.T) ** 2) / (2 * width**2))
    scores = GaussianSimilarity(standardize=False).fit(X).scores(queries)
    np.testing.assert_allclose(attend(scores, width**2).toarray(), density / density.sum(axis=1)[:, None], atol=1e-12)


def test_units_are_irrelevant_when_standardised(rng):
    X, unit = rng.normal(size=(9, 3)), np.array([1.0, 1e3, 1e-4])
    one, other = (GaussianSimilarity().fit(rows).scores(rows[:2]) for rows in (X, X * unit))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_the_scale_follows_the_sample_weights(rng):
    X, weight = rng.normal(size=(9, 3)), rng.integers(1, 4, size=9)
    one = GaussianSimilarity().fit(X, sample_weight=weight).scores(X)
    other = GaussianSimilarity().fit(np.repeat(X, weight, axis=0)).scores(X)
    np.testing.assert_allclose(one, other[:, np.cumsum(weight) - 1], atol=1e-12)


@pytest.mark.one_value
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8])
def test_a_constant_column_does_no_harm(rng, value):
    X = np.column_stack([rng.normal(size=9), np.full(9, value)])
    scores = GaussianSimilarity().fit(X).scores(X)
    np.testing.assert_allclose(scores, GaussianSimilarity().fit(X[:, :1]).scores(X[:, :1]), atol=1e-6)


def test_rows_with_the_wrong_number_of_columns_are_refused(rng):
    similarity = GaussianSimilarity().fit(rng.normal(size=(9, 3)))
    with pytest.raises(ValueError, match="feature"):
        similarity.scores(rng.normal(size=(2, 1)))


def test_asking_before_fitting_is_an_error():
    with pytest.raises(NotFittedError):
        GaussianSimilarity().scores([[1.0]])
