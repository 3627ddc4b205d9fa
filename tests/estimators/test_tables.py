"""Frames as they come from ``read_csv``: text, categories, missing cells, odd columns."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso
from heedful.similarity import default_forests

MODEL = AttentionLasso(similarity=default_forests(80), random_state=0)


@pytest.fixture
def frame(rng):
    table = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    table["kind"] = rng.choice(["x", "y", "z"], size=200)
    table["size"] = pd.Categorical(rng.choice(["small", "large"], size=200), ["small", "large"], ordered=True)
    table["flag"] = rng.random(200) > 0.5
    table.loc[::7, "a"] = np.nan
    table.loc[::11, "kind"] = None
    y = np.where(table["kind"] == "x", 3, -1) * table["b"] + (table["size"] == "large")
    return table, y


def test_text_categories_and_missing_cells_are_read(frame):
    table, y = frame
    model = MODEL.fit(table.iloc[:140], y.iloc[:140])
    design = model.local_models(table.iloc[140:]).lasso_design
    assert model.score(table.iloc[140:], y.iloc[140:]) > model.baseline_.score(design, y.iloc[140:]) > 0


def test_categories_are_reported_under_their_own_names(frame):
    table, y = frame
    local = MODEL.fit(table, y).local_models(table)
    names = ["a", "b", "c", "kind=(missing)", "kind=x", "kind=y", "kind=z", "size=small", "size=large", "flag"]
    assert list(local.lasso_coef) == names


def test_results_are_indexed_like_the_queries(frame):
    table, y = frame
    named = table.set_index(pd.Index([f"row {i}" for i in range(200)]))
    local = MODEL.fit(table, y).local_models(named.iloc[5:9])
    assert list(local.coef.index) == list(local.prediction.index) == ["row 5", "row 6", "row 7", "row 8"]


def test_a_level_that_was_never_seen_is_treated_as_missing(frame):
    table, y = frame
    model = MODEL.fit(table, y)
    new, missing = table.iloc[:4].assign(kind="never seen"), table.iloc[:4].assign(kind=None)
    with pytest.warns(UserWarning, match="Column 'kind': 4 of 4 cells hold levels that were not seen"):
        found = model.predict(new)
    np.testing.assert_array_equal(found, model.predict(missing))


def test_a_column_without_a_single_value_is_harmless(frame):
    table, y = frame
    empty = table.assign(empty=np.nan)
    assert np.isfinite(MODEL.fit(empty, y).predict(empty)).all()


def test_missing_numbers_become_training_means_for_the_linear_models(rng):
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    X[3, 0] = np.nan
    design = MODEL.fit(X, y).local_models(X).lasso_design
    assert design.iloc[3, 0] == pytest.approx(np.nanmean(X[:, 0]))


def test_a_frame_with_other_columns_is_refused(frame):
    table, y = frame
    model = MODEL.fit(table, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["b", "a", "c", "kind", "size", "flag"]])


def test_text_where_numbers_were_is_refused_by_name(frame):
    table, y = frame
    model = MODEL.fit(table, y)
    with pytest.raises(ValueError, match="'b'"):
        model.predict(table.assign(b="three"))


def test_a_column_named_twice_is_refused(frame):
    table, y = frame
    twice = pd.concat([table, table[["a"]]], axis=1)
    with pytest.raises(ValueError, match="'a' more than once"):
        MODEL.fit(twice, y)
