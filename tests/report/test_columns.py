"""The whole model on the page."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from heedful.report._columns import MOST_POINTS, N_COLUMNS, collect_whole
from report.cases import make_explanation

TASKS = ["regression", "binary", "multiclass", "survival"]


@pytest.mark.parametrize("task", TASKS)
def test_bars_are_importances_for_the_likeliest_and_for_each_class(task):
    explanation = make_explanation(n_features=14, task=task)
    found, names = collect_whole(explanation), explanation.values.columns
    options = [None, *(explanation.outputs or [])]
    for output, bars in zip(options, found["bars"], strict=True):
        table = explanation.importance(output)
        assert list(names[bars["column"]]) == list(table.index[:N_COLUMNS])
        assert bars["n_others"] == 4
        for part in table:
            shown = [*table[part].iloc[:N_COLUMNS], table[part].iloc[N_COLUMNS:].sum()]
            np.testing.assert_allclose(bars[part], shown, rtol=5e-3)


@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_points_are_contributions_at_values(task):
    explanation = make_explanation(n_query=2 * MOST_POINTS, task=task)
    found = collect_whole(explanation)
    assert len(found["query"]) == MOST_POINTS
    for option, output in enumerate([None, *(explanation.outputs or [])]):
        table, values = (t.iloc[found["query"]] for t in (explanation.contributions(output), explanation.values))
        for column, added in zip(found["columns"], found["added"][option], strict=True):
            np.testing.assert_allclose(added, table[column["name"]], rtol=5e-3)
            np.testing.assert_allclose(column["place"], values[column["name"]], rtol=1e-3)


def test_levels_dates_and_missing_cells_are_told_apart():
    explanation = make_explanation(n_features=3)
    cells = explanation.values.astype(object)
    cells["x0"] = pd.Timestamp("2024-02-29")
    cells["x1"] = [None, *[f"level {j}" for j in range(20)], *["level 7"] * 9]
    found = {column["name"]: column for column in collect_whole(replace(explanation, values=cells))["columns"]}
    assert found["x0"]["dates"]
    assert set(found["x0"]["place"]) == {1709164800000}
    assert (found["x1"]["levels"][0], len(found["x1"]["levels"]), found["x1"]["n_levels"]) == ("level 7", 12, 20)
    assert (found["x1"]["place"][0], found["x1"]["missing"], set(found["x1"]["rank"])) == (None, [0], {None})
    assert (min(found["x2"]["rank"]), max(found["x2"]["rank"])) == (0, 1)


def test_columns_that_add_only_rounding_are_not_shown():
    explanation = make_explanation(n_features=4)
    found = explanation.attribution()
    small = np.array([1.0, 1e-13, 1.0, 0.0])
    vars(explanation)["attribution"] = lambda: found._replace(total=small * found.total, model=small * found.model)
    shown = collect_whole(explanation)
    assert sorted(column["name"] for column in shown["columns"]) == ["x0", "x2"]
    assert (len(shown["bars"][0]["column"]), shown["bars"][0]["n_others"]) == (2, 2)
    vars(explanation)["attribution"] = lambda: found._replace(total=0 * found.total, model=0 * found.model)
    assert collect_whole(explanation)["columns"] == []
