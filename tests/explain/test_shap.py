"""Explanations as shap's: the same contributions, from the same start to the same link."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from report.cases import HOSTILE_NAMES, make_explanation


@pytest.fixture
def shap(monkeypatch):
    """A module that keeps what it is given."""
    module = ModuleType("shap")
    module.Explanation = SimpleNamespace
    monkeypatch.setitem(sys.modules, "shap", module)


def test_values_lead_from_base_values_to_the_link(every, shap):
    _, X, e = every
    for output in [None, *(e.outputs or [])]:
        found = e.to_shap(output)
        link = e.link if e.outputs is None else e.link.max(axis=1) if output is None else e.link[output]
        np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), link)
        np.testing.assert_array_equal(found.values, e.contributions(output))
        assert found.base_values.shape == (len(X),)
        assert found.feature_names == list(e.values.columns)


def test_cells_are_numbers_to_colour_and_as_given_to_read(regression, shap):
    _, X, e = regression
    found = e.to_shap()
    assert found.data.dtype == np.float64
    np.testing.assert_array_equal(found.data[:, :4], X[list("abcd")])
    np.testing.assert_array_equal(found.data[:, 4], X["kind"] == "v")
    np.testing.assert_array_equal(found.display_data[:, 4], X["kind"])


def test_missing_cells_and_dates_are_no_levels(regression, shap):
    model, X, _ = regression
    new = X[:3].assign(kind=[None, "v", "u"], a=[np.nan, 1.0, 2.0])
    found = model.explain(new).to_shap()
    np.testing.assert_array_equal(found.data[:, 4], [np.nan, 1.0, 0.0])
    np.testing.assert_array_equal(found.data[:, 0], [np.nan, 1.0, 2.0])


def test_an_unknown_class_is_refused(classes, shap):
    with pytest.raises(ValueError, match="`output` must be one of the classes"):
        classes[2].to_shap("none")


def test_without_shap_the_error_says_how_to_get_it(regression, monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match=r"`to_shap` needs shap.* pip install shap$"):
        regression[2].to_shap()


@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_the_plots_of_shap_take_it(task):
    real = pytest.importorskip("shap")
    import matplotlib.pyplot as plt

    found = make_explanation(30, task=task, names=[*HOSTILE_NAMES[:1], "b", "c"]).to_shap()
    assert isinstance(found, real.Explanation)
    assert isinstance(found.data, np.ndarray)
    real.plots.bar(found, show=False)
    real.plots.beeswarm(found, show=False)
    real.plots.waterfall(found[0], show=False)
    plt.close("all")
    assert pd.Series(found.feature_names).is_unique
