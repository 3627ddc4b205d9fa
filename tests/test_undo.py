"""A fit that does not come to its end leaves its estimator as it was."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from heedful._undo import all_or_nothing


class Mean(BaseEstimator):
    def __init__(self, fails=None):
        self.fails = fails

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Store the mean."""
        self.n_ = len(X)
        if self.fails is not None:
            raise self.fails
        self.mean_ = np.mean(X)
        return self


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_a_fit_that_fails_leaves_no_trace(error):
    fresh, fitted = Mean(error), Mean().fit([1.0, 2.0]).set_params(fails=error)
    for model in (fresh, fitted):
        before = dict(vars(model))
        with pytest.raises(error):
            model.fit([5.0])
        assert vars(model) == before


def test_a_fit_that_ends_is_kept():
    assert vars(Mean().fit([1.0, 3.0])) == {"fails": None, "n_": 2, "mean_": 2.0}


def test_signature_and_docstring_are_those_of_the_fit():
    assert list(inspect.signature(Mean.fit).parameters) == ["self", "X", "y", "sample_weight"]
    assert Mean.fit.__doc__ == "Store the mean."
