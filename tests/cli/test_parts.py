"""What the commands hand to models and write beside their answers, with models that answer what they are asked."""

import io
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from heedful.cli._drift_rows import read_queries, read_recent
from heedful.cli._foreign import Loaded
from heedful.cli._main import _parser
from heedful.cli._predict import join_kept, predictions
from heedful.cli._write import write_csv


def model_of(task, classes=None):
    """Return a model of numbers or classes whose answers show what it was given."""
    words, rows = SimpleNamespace(prediction="expected cost"), np.arange(3.0)
    effect = {"effect_interval": lambda X, coverage: np.outer(rows, [-coverage, coverage])} if task == "effect" else {}
    return SimpleNamespace(
        response_=SimpleNamespace(
            task=task, classes=classes, words=words, predict=lambda chance: chance.argmax(axis=1)
        ),
        predict=lambda X, exposure=1.0: rows * exposure,
        predict_interval=lambda X, coverage, exposure=1.0: np.outer(rows * exposure, [1 - coverage, 1 + coverage]),
        predict_proba=lambda X: np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.2, 0.5, 0.3]]),
        **effect,
    )


def test_numbers_have_the_coverage_and_the_exposure_that_were_asked_for():
    found = predictions(model_of("tweedie"), None, 0.8, exposure=pd.Series([1.0, 2.0, 3.0]))
    assert list(found) == ["expected_cost", "low", "high"]
    np.testing.assert_allclose(found, np.outer([0.0, 2.0, 6.0], [1.0, 0.2, 1.8]))
    np.testing.assert_allclose(predictions(model_of("effect"), None, 0.5)["high"], [0.0, 0.5, 1.0])


def test_each_probability_stands_below_its_class():
    found = predictions(model_of("multiclass", ["a", "b", "c"]), None)
    assert found["prediction"].tolist() == [0, 2, 1]
    assert found["probability_a"].tolist() == [0.7, 0.1, 0.2]
    assert found["probability_c"].tolist() == [0.1, 0.6, 0.3]


def test_kept_columns_stand_beside_the_predictions_of_their_rows():
    kept = pd.DataFrame({"id": ["u", "v"]}, index=[40, 41])
    found = join_kept(Path("t.csv"), kept, pd.DataFrame({"p": [1.0, 2.0]}))
    assert found.to_numpy().tolist() == [["u", 1.0], ["v", 2.0]]


def test_blocks_have_one_header():
    file, table = io.BytesIO(), pd.DataFrame({"a": [1, 2, 3], "b": ["x", "=y", "z"]})
    write_csv(file, [table[:2], table[2:]], ",", raw=True)
    assert file.getvalue().decode() == table.to_csv(index=False)


def recent_of(tmp_path, table, loaded, *options):
    table.to_csv(tmp_path / "recent.csv", index=False)
    given = ["drift", "m.skops", *2 * [str(tmp_path / "recent.csv")], "--target", "y", "-o", "out.csv"]
    arguments = _parser().parse_args([*given, *options])
    return arguments, read_recent(arguments, loaded)


def fitted(model, y):
    return model.fit(np.zeros((len(y), 1)), y)


@pytest.mark.parametrize("time", ["day", "when"])
def test_recent_rows_come_in_the_order_of_their_time_cell_by_cell(tmp_path, time):
    table = pd.DataFrame({"a": [3.0, 1.0, 2.0], "y": [30.0, 10.0, 20.0], "day": [9, 7, 8]})
    table["when"] = ["2024-01-03", "2024-01-01", "2024-01-02"]
    loaded = Loaded(fitted(DummyRegressor(), [0.0, 1.0]), ["a"], 1, {})
    drop = "when" if time == "day" else "day"
    _, found = recent_of(tmp_path, table, loaded, "--time", time, "--drop", drop)
    assert found.X["a"].tolist() == [1.0, 2.0, 3.0]
    assert found.y.tolist() == [10.0, 20.0, 30.0]
    assert found.time.is_monotonic_increasing


def test_a_model_that_knows_the_time_gets_it(tmp_path):
    table = pd.DataFrame({"a": [3.0, 1.0], "y": [30.0, 10.0], "day": [9, 7]})
    for names in (["a"], ["a", "day"]):
        loaded = Loaded(fitted(DummyRegressor(), [0.0, 1.0]), names, len(names), {})
        arguments, found = recent_of(tmp_path, table, loaded, "--time", "day")
        assert list(found.X) == names
        assert list(read_queries(arguments, loaded, found)) == names


@pytest.mark.parametrize("labels", [["01", "1", "01"], ["u", "v", "u"], [0, 1, 0], [True, False, True]])
def test_labels_are_those_that_the_model_knows(tmp_path, labels):
    model = fitted(DummyClassifier(), labels)
    loaded = Loaded(model, ["a"], 1, {})
    _, found = recent_of(tmp_path, pd.DataFrame({"a": 1.0, "y": labels}), loaded)
    assert found.task == "classification"
    assert found.y.tolist() == labels
    assert np.isin(found.y, model.classes_).all()


def test_labels_that_a_model_does_not_know_stay_as_they_are(tmp_path):
    loaded = Loaded(fitted(DummyClassifier(), [0, 1]), ["a"], 1, {})
    _, found = recent_of(tmp_path, pd.DataFrame({"a": 1.0, "y": ["0", "u", "1"]}), loaded)
    assert found.y.tolist() == ["0", "u", "1"]


def test_categories_of_whole_numbers_stay_whole(tmp_path):
    loaded = Loaded(fitted(DummyRegressor(), [0.0, 1.0]), ["a"], 1, {}, categories=("a",))
    _, found = recent_of(tmp_path, pd.DataFrame({"a": [7, 2, 7], "y": [1.0, 2.0, 3.0]}), loaded)
    assert found.X["a"].cat.categories.tolist() == [2, 7]
    assert found.X["a"].cat.categories.dtype.kind == "i"
