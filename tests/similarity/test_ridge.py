import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

from heedful.similarity import RidgeSimilarity


def table(rng):
    X = rng.normal(2.0, 3.0, size=(30, 4))
    return X, X[:, 0] - 2 * X[:, 1] + rng.normal(size=30)


def test_scores_are_equation_1_on_standardised_columns(rng):
    X, y = table(rng)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    diagonal = np.diag(np.abs(Ridge(alpha=2.0).fit(Z, y).coef_))
    scores = RidgeSimilarity(alpha=2.0).fit(X, y).scores(X[:5])
    np.testing.assert_allclose(scores, Z[:5] @ diagonal @ Z.T, atol=1e-10)


def test_sample_weights_enter_scale_and_coefficients(rng):
    (X, y), weight = table(rng), rng.integers(1, 4, size=30)
    rows = np.repeat(np.arange(30), weight)
    one, other = RidgeSimilarity(2.0).fit(X, y, sample_weight=weight), RidgeSimilarity(2.0).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.scores(X), other.scores(X)[:, np.cumsum(weight) - 1], atol=1e-10)


def test_the_automatic_penalty_finds_the_columns_that_matter(rng):
    diagonal = RidgeSimilarity().fit(*table(rng)).diagonal_
    assert diagonal[:2].min() > 3 * diagonal[2:].max()


def test_a_constant_column_counts_for_nothing(rng):
    X, y = table(rng)
    X[:, 3] = 0.1
    similarity = RidgeSimilarity(1.0).fit(X, y)
    far = X[:3].copy()
    far[:, 3] = 1e6
    np.testing.assert_allclose(similarity.scores(far), similarity.scores(X[:3]))


def test_training_rows_are_masked_against_themselves(rng):
    X, y = table(rng)
    similarity = RidgeSimilarity(1.0).fit(X, y)
    scores = similarity.train_rows(np.array([4, 9])).score.reshape(2, 30)
    assert (scores[[0, 1], [4, 9]] == -np.inf).all()
    np.testing.assert_allclose(np.delete(scores[0], 4), np.delete(similarity.scores(X[[4]])[0], 4))


@pytest.mark.parametrize("alpha", [0.0, -1.0])
def test_a_penalty_that_is_not_positive_is_refused(rng, alpha):
    with pytest.raises(ValueError, match="`alpha` must be > 0"):
        RidgeSimilarity(alpha).fit(*table(rng))


def test_rows_with_the_wrong_number_of_columns_are_refused(rng):
    similarity = RidgeSimilarity(1.0).fit(*table(rng))
    with pytest.raises(ValueError, match="feature"):
        similarity.scores(rng.normal(size=(2, 1)))


def test_asking_before_fitting_is_an_error():
    with pytest.raises(NotFittedError):
        RidgeSimilarity().scores([[1.0]])


def test_of_labels_it_takes_one_regression_per_class(rng):
    X = rng.normal(size=(60, 3))
    labels = np.where(X[:, 0] > 0, "a", "b")
    found = RidgeSimilarity(alpha=1.0).fit(X, labels).diagonal_
    number = RidgeSimilarity(alpha=1.0).fit(X, (labels == "a").astype(float)).diagonal_
    np.testing.assert_allclose(found, 2 * number)


def test_raw_columns_are_multiplied_by_coefficients_per_unit_of_theirs(rng):
    X, y = table(rng)
    X *= [1.0, 10.0, 0.1, 1.0]
    unit = X.std(axis=0)
    diagonal = np.diag(np.abs(Ridge(alpha=2.0).fit((X - X.mean(axis=0)) / unit, y).coef_ / unit))
    similarity = RidgeSimilarity(alpha=2.0, standardize=False).fit(X, y)
    np.testing.assert_allclose(similarity.scores(X[:5]), X[:5] @ diagonal @ X.T, atol=1e-10)
    np.testing.assert_allclose(similarity.diagonal_, diagonal.diagonal())


def test_a_constant_raw_column_counts_for_nothing(rng):
    X, y = table(rng)
    X[:, 3] = 5.0
    assert RidgeSimilarity(1.0, standardize=False).fit(X, y).diagonal_[3] == 0


def test_whether_to_standardise_is_yes_or_no(rng):
    with pytest.raises(TypeError, match="`standardize` must be True or False, got 'no'"):
        RidgeSimilarity(standardize="no").fit(*table(rng))
