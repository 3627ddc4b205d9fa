"""Errors in the measures that people know, the same wherever they are told; training rows are said to be such."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, mean_poisson_deviance, root_mean_squared_error
from tests.explain.test_one_model import ESTIMATORS, N_TRAIN, make_table, respond

from heedful._explaining.explanation import are_rows_of
from heedful._show import short
from heedful.report._overview import verdict
from heedful.similarity import ForestProximity


def explain(kind, first=N_TRAIN):
    X, signal = make_table()
    y = respond(kind, signal)
    model = ESTIMATORS[kind](mixing=0.5, similarity=ForestProximity(10), random_state=0)
    model.fit(X[:N_TRAIN], y[:N_TRAIN])
    return model, model.explain(X[first:], y[first:]), X[first:], y[first:]


def told(e, name):
    (line,) = (line for line in repr(e).splitlines() if line.startswith(f"  {name}  "))
    return line


def test_numbers_have_root_mean_squared_errors_everywhere():
    _, e, _, y = explain("numbers")
    error = root_mean_squared_error(y, e.prediction)
    assert short(error) in told(e, "root mean squared error")
    assert f"{error:.3g}" in verdict(e)
    groups = e.clusters(2)
    for label, row in groups.table.iterrows():
        inside = (groups.labels == label).to_numpy()
        assert row["error"] == pytest.approx(root_mean_squared_error(y[inside], e.prediction[inside]))


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["two", "three"])
def test_classes_have_their_accuracy_beside_log_loss(kind):
    model, e, X, y = explain(kind)
    expected = [accuracy_score(y, part.predict(X)) for part in (model, model.baseline_)]
    assert told(e, "accuracy").split()[1] == f"{expected[0]:.3g},"
    assert f"Accuracy: {expected[0]:.3g}" in verdict(e)
    assert "log loss" in repr(e)


def test_times_have_their_concordance_beside_the_likelihood():
    model, e, X, y = explain("survival")
    assert told(e, "concordance").split()[1] == f"{model.score(X, y):.3g},"


def test_deviances_of_counts_are_those_of_scikit_learn():
    model, e, X, y = explain("counts")
    expected = mean_poisson_deviance(y, model.predict(X))
    assert f"{expected:.3g}" in told(e, "Poisson deviance")
    assert model.held_out_error_.name == "Poisson deviance"
    np.testing.assert_allclose(2 * e.loss.mean(), expected)
    np.testing.assert_allclose(model.held_out_error_["attention"], 2 * model._model.unseen["attention"])


def test_queries_that_are_training_rows_are_said_to_be_such():
    _, e, *_ = explain("numbers", first=N_TRAIN - 3)
    assert e.seen.tolist() == [True] * 3 + [False] * 40
    assert "3 of the 43 queries are training rows: their errors are in-sample" in told(e, "training rows")
    assert "3 of the 43 queries are training rows" in verdict(e)
    assert "training rows  " not in repr(explain("numbers")[1])


def test_rows_are_equal_cell_by_cell_and_missing_cells_are_equal():
    known = np.array([[1.0, np.nan], [0.0, 2.0]])
    assert are_rows_of(np.array([[1.0, -np.nan], [-0.0, 2.0], [1.0, 2.0]]), known).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("value", "said"),
    [(55550.0, "55,550"), (1403.2, "1403"), (0.01234, "0.0123"), (-123456.7, "-123,457"), (2e12, "2e+12")],
)
def test_numbers_are_written_as_people_write_them(value, said):
    assert short(value) == said
