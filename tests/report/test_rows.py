"""Queries side by side with the rows that they attended to."""

from dataclasses import replace

import numpy as np
import pytest

from heedful.report import _rows
from heedful.report._rows import collect_attended, collect_compared
from report.cases import make_explanation


def test_columns_and_cells_are_those_of_the_tables(monkeypatch):
    explanation = make_explanation(n_features=12)
    table = explanation.attended()
    # several blocks give what one gives
    for block in (_rows.BLOCK, 500):
        monkeypatch.setattr(_rows, "BLOCK", block)
        found = collect_compared(explanation)
        k, n_rows, names = found["k"], found["n_rows"], explanation.values.columns
        assert (k, n_rows) == (8, 4)
        for q, label in enumerate(explanation.index):
            own = table.loc[label].iloc[:k]
            at = slice(q * k, (q + 1) * k)
            assert list(names[found["column"][at]]) == own["feature"].tolist()
            np.testing.assert_allclose(found["alike"][at], own["alike"], rtol=0.06)
            for part in ("value", "attended"):
                shown = np.array(found[part][at], dtype=float)
                np.testing.assert_allclose(shown, own[part].astype(float), rtol=1e-3)


def test_rows_are_the_first_that_the_page_lists():
    explanation = make_explanation(labels=["same"] * 30)
    explanation.train.index = ["same"] * len(explanation.train)
    found, listed = collect_compared(explanation), collect_attended(explanation)
    amount = explanation.train["amount"].to_numpy()
    for q in range(30):
        rows = explanation.attention.top(q, 4)[0]
        np.testing.assert_allclose(
            [listed["train"]["columns"][0][row] for row in listed["row"][8 * q : 8 * q + 4]], amount[rows], rtol=1e-5
        )
        j = found["column"][q * found["k"]]
        shown = [float(found["cells"][str(j)][row]) for row in found["row"][4 * q : 4 * q + 4]]
        np.testing.assert_allclose(shown, explanation.train_values.iloc[rows, j], rtol=1e-3)


def test_rows_that_are_not_known_or_too_many_to_compare_are_left_out(monkeypatch):
    explanation = make_explanation()
    assert collect_compared(replace(explanation, train_values=None)) is None
    monkeypatch.setattr(_rows, "MOST_COMPARED", 100)
    assert collect_compared(explanation) is None


@pytest.mark.parametrize("n_query", [1, 2])
def test_few_queries_are_compared(n_query):
    assert len(collect_compared(make_explanation(n_query=n_query))["row"]) == 4 * n_query
