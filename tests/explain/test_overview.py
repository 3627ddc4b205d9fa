"""What results show of themselves: few lines however much there is, and no markup of anyone else."""

import numpy as np
import pytest

from report.cases import HOSTILE, HOSTILE_NAMES, make_drift_report, make_explanation
from test_show import read_html

TASKS = ["regression", "binary", "multiclass", "survival"]


def check_short(shown):
    """Look at both views of a result; return its lines."""
    lines = repr(shown).splitlines()
    page = shown._repr_html_()
    assert len(lines) < 20
    assert len(page) < 9000
    read_html(page)
    return lines


@pytest.mark.parametrize("n_query", [1, 2, 500])
@pytest.mark.parametrize("task", TASKS)
def test_an_explanation_is_short(task, n_query):
    e = make_explanation(n_query, task=task, names=HOSTILE_NAMES, labels=[f"{HOSTILE}\n{q}" for q in range(n_query)])
    lines = check_short(e)
    assert lines[0] == f"Explanation of {n_query} {'query' if n_query == 1 else 'queries'}, from 120 training rows"
    assert str(e) == repr(e)
    assert len(check_short(e.attention)) == 3


@pytest.mark.one_value
@pytest.mark.parametrize("task", TASKS)
def test_what_an_explanation_says_is_what_it_holds(task):
    e = make_explanation(40, task=task)
    said = dict(e._sketch().facts)
    assert said["mixing"].startswith(f"{e.mixing.median():.3g} ")
    assert said["effective sample size"].startswith(f"{e.n_eff.median():.3g} ")
    own, plain = (part.mean() ** (0.5 if e.words.root else 1.0) for part in (e.loss, e.baseline_loss))
    assert said[e.words.error].startswith(f"{own:.3g}, one model for all rows {plain:.3g}: ")
    assert e.words.error not in dict(make_explanation(40, task=task, known=False)._sketch().facts)
    if task == "multiclass":
        often = e.prediction.idxmax(axis=1).value_counts()
        assert all(f"{name} {number}" in said["probability"] for name, number in often.items())


@pytest.mark.parametrize("n_clusters", [1, 3, 40])
def test_clusters_are_short_and_tell_sizes(n_clusters):
    groups = make_explanation(60, labels=[f"{HOSTILE} {q}" for q in range(60)]).clusters(n_clusters)
    lines = check_short(groups)
    assert lines[0] == f"{n_clusters} cluster{'s' if n_clusters > 1 else ''} of 60 queries"
    first = groups.table.iloc[0]
    assert f"{first['size']} quer" in lines[1]
    assert f"such as {first['prototype']}" in lines[1]


def test_queries_in_no_cluster_are_counted():
    groups = make_explanation(60).clusters(20, min_size=3)
    n_others = int((groups.labels == -1).sum())
    assert n_others > 0
    assert dict(groups._sketch().facts)["others"].startswith(f"{n_others} quer")


@pytest.mark.parametrize("n_rows", [2, 500])
def test_a_drift_report_begins_with_its_verdict(n_rows):
    report = make_drift_report(n_rows, names=HOSTILE_NAMES, labels=[f"{HOSTILE}\n{i}" for i in range(n_rows)])
    lines = check_short(report)
    assert report.verdict in lines[1]
    assert f"{100 * report.summary['value']['queries corrected']:.0f} % of {n_rows}" in lines[2]


@pytest.mark.one_value
def test_local_models_are_short(every):
    model, X, _ = every
    models = model.local_models(X[:2])
    assert check_short(models)[0] == "Models of 2 queries"
    assert len(models) == len(models._fields)
    np.testing.assert_array_equal(models[0], models.prediction)
