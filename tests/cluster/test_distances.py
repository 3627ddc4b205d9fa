import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

from heedful.cluster import minimax_linkage

FORMS = [lambda D: D, lambda D: squareform(D, checks=False)]


@pytest.fixture(name="D")
def euclidean_distances(rng):
    return squareform(pdist(rng.normal(size=(300, 3))))


def test_a_matrix_that_is_not_square_is_refused(D):
    with pytest.raises(ValueError, match=r"must be a square matrix .* got shape \(300, 299\)\. .*pdist"):
        minimax_linkage(D[:, 1:])


@pytest.mark.parametrize("shape", [(0, 0), (2, 2, 2), ()])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="must be a square matrix"):
        minimax_linkage(np.zeros(shape))


@pytest.mark.parametrize("size", [2, 4, 5, 11])
def test_a_condensed_form_of_impossible_length_is_refused(size):
    with pytest.raises(ValueError, match=rf"n \* \(n - 1\) / 2 distances for n rows, got {size}\."):
        minimax_linkage(np.ones(size))


@pytest.mark.parametrize("form", FORMS, ids=["square", "condensed"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_distances_that_are_not_finite_are_refused(D, form, bad):
    D[3, 290] = D[290, 3] = bad
    with pytest.raises(ValueError, match=r"`D` must be finite, got [12] distances that are NaN or infinite .* Drop"):
        minimax_linkage(form(D))


@pytest.mark.parametrize("form", FORMS, ids=["square", "condensed"])
def test_negative_distances_are_refused(D, form):
    D[3, 290] = D[290, 3] = -0.25
    with pytest.raises(ValueError, match=r"`D` must be >= 0, got a distance of -0.25\. .*1 - similarity"):
        minimax_linkage(form(D))


def test_an_asymmetric_matrix_is_refused_with_both_values(D):
    D[290, 3], D[3, 290] = 7.0, 2.0
    with pytest.raises(ValueError, match=r"symmetric, got .*2\.0.* in row 3, column 290 and .*7\.0.* other way\. Pass"):
        minimax_linkage(D)


def test_a_diagonal_that_is_not_zero_is_refused(D):
    D[290, 290] = 1.0
    with pytest.raises(ValueError, match=r"zeros on its diagonal, got .*1\.0.* in row 290\. Pass distances"):
        minimax_linkage(D)


@pytest.mark.parametrize("D", [sparse.eye_array(3), [["a", "b"], ["b", "a"]], np.eye(2) * 1j, None])
def test_what_is_not_an_array_of_numbers_is_refused(D):
    with pytest.raises(TypeError, match=r"must be a dense numeric array, got .* Convert"):
        minimax_linkage(D)


def test_rounding_is_forgiven(rng, D):
    noisy = D + 1e-12 * rng.normal(size=D.shape)
    Z, prototypes = minimax_linkage(noisy)
    np.testing.assert_allclose(Z[:, 2], minimax_linkage(D)[0][:, 2], atol=1e-10)
    for mine, theirs in zip((Z, prototypes), minimax_linkage(noisy.T), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32, pd.DataFrame, np.asfortranarray, np.ndarray.tolist])
def test_any_kind_of_number_and_table_is_taken(rng, kind):
    D = squareform(pdist(rng.integers(0, 9, size=(12, 2)), "cityblock"))
    D = kind(D) if kind in (pd.DataFrame, np.asfortranarray, np.ndarray.tolist) else D.astype(kind)
    np.testing.assert_array_equal(minimax_linkage(D)[0], minimax_linkage(np.array(D, dtype=np.float64))[0])
