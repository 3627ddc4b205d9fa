"""Intervals and survival curves on the page."""

import numpy as np
import pandas as pd
import pytest

from heedful.report import render
from heedful.report._certainty import collect_interval, collect_survival
from report.cases import make_drift_report, make_explanation


def curves(n_query, n_times):
    return pd.DataFrame(np.linspace(1, 0, n_query * n_times).reshape(n_query, n_times), columns=np.arange(n_times) / 4)


def test_ends_are_those_of_the_queries(rng):
    ends = np.sort(rng.normal(size=(30, 2)), axis=1)
    np.testing.assert_allclose(collect_interval(make_explanation(), ends), ends.T, rtol=1e-5)
    assert collect_interval(make_explanation(), None) is None


@pytest.mark.parametrize("n_times", [1, 60, 500])
def test_curves_are_those_of_the_queries_thinned_to_the_last_time(n_times):
    table = curves(30, n_times)
    found = collect_survival(make_explanation(task="survival"), table)
    shown = table[found["times"]] if n_times < 500 else table.iloc[:, [0, -1]]
    value = np.reshape(found["value"], (30, -1))
    np.testing.assert_allclose(value if n_times < 500 else value[:, [0, -1]], shown, atol=1e-3)
    assert value.shape[1] == min(n_times, 60)
    assert found["times"][-1] == pytest.approx(table.columns[-1], rel=1e-3)


def test_what_is_of_other_queries_is_refused():
    e = make_explanation()
    with pytest.raises(ValueError, match=r"`interval` must have two ends for each of 30 queries.*predict_interval"):
        render(e, interval=np.zeros((3, 2)))
    with pytest.raises(
        ValueError, match=r"`survival` must be a DataFrame with a row for each of 30.*predict_survival_function"
    ):
        render(e, survival=curves(3, 4))
    with pytest.raises(ValueError, match="must be None for a drift report"):
        render(make_drift_report(), interval=np.zeros((60, 2)))
