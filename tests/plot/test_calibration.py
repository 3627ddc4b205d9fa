"""Reliability of classes and of survival is drawn as its table has it."""

import numpy as np
import pytest
from tests.explain.test_calibration import fit
from tests.explain.test_one_model import N_TRAIN

from heedful import plot


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["two", "three", "survival"])
@pytest.mark.parametrize("new", [True, False])
def test_lines_and_bars_are_those_of_the_table(kind, new):
    model, X, y = fit(kind)
    found = model.explain(X[N_TRAIN:], y[N_TRAIN:]) if new else model.held_out()
    ax, table = plot.calibration(found, 4), found.calibration(4)
    diagonal, *lines = (line for line in ax.lines if line.get_linestyle() != "None")
    assert diagonal.get_xdata().tolist() == diagonal.get_ydata().tolist() == [0, 1]
    parts = [table.loc[label] for label in model.classes_] if kind == "three" else [table]
    assert len(lines) == len(parts) == len(ax.collections)
    for line, bars, part in zip(lines, ax.collections, parts, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), part["attention"])
        np.testing.assert_array_equal(line.get_ydata(), part["observed"])
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        np.testing.assert_allclose(ends, part[["low", "high"]])
    if kind == "three":
        assert [text.get_text() for text in ax.get_legend().get_texts()] == list(model.classes_)


def test_bars_that_end_at_their_point_but_for_rounding_are_drawn(monkeypatch):
    model, *_ = fit("two")
    found = model.held_out()
    table = found.calibration(4).assign(observed=1.0, low=0.8, high=np.nextafter(1.0, 0.0))
    monkeypatch.setattr(type(found), "calibration", lambda *_, **__: table)
    assert plot.calibration(found, 4).has_data()


def test_the_time_of_survival_stands_on_the_axis():
    model, *_ = fit("survival")
    ax = plot.calibration(model.held_out(), 3, time=1.0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("survival predicted at time 1", "Kaplan-Meier estimate")


def test_held_out_counts_are_drawn_as_those_of_new_rows():
    model, *_ = fit("counts")
    ax, table = plot.calibration(model.held_out(), 4), model.held_out().calibration(4)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), table["observed"])


def test_only_predictions_can_be_calibrated():
    with pytest.raises(TypeError, match="`explanation` must be"):
        plot.calibration(3)
