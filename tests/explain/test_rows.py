"""The rows that queries attended to, beside them."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from heedful import AttentionLasso, LocalLasso
from heedful.attention import Attention
from heedful.explain import _rows
from heedful.explain._rows import compare_columns, list_cells, list_rows


@pytest.fixture(scope="module")
def explained():
    rng = np.random.default_rng(0)
    n = 150
    X = pd.DataFrame({"switch": rng.choice(["on", "off"], n), "x": rng.normal(size=n), "noise": rng.normal(size=n)})
    X.index = [f"r{i}" for i in range(n)]
    y = pd.Series(np.where(X["switch"] == "on", 3.0, -3.0) * (2 + X["x"]), X.index, name="cost")
    model = AttentionLasso(random_state=0).fit(X[:120], y[:120])
    return model.explain(X[120:]), X, y


def test_rows_stand_below_their_query_cell_by_cell(explained):
    e, X, y = explained
    table, plain = e.top_rows(3, values=True), e.top_rows(3)
    assert list(table.columns[:3]) == ["row", "weight", "cost"]
    for query in e.index[:5]:
        own = table.loc[query]
        assert own.loc[0, "row"] == query
        assert own.loc[0, list(X)].tolist() == X.loc[query].tolist()
        assert own["row"].tolist()[1:] == plain.loc[query]["row"].tolist()
        assert np.allclose(own["weight"][1:].astype(float), plain.loc[query]["weight"])
        for rank in (1, 2, 3):
            assert own.loc[rank, list(X)].tolist() == X.loc[own.loc[rank, "row"]].tolist()
            assert own.loc[rank, "cost"] == y[own.loc[rank, "row"]]


def test_the_column_that_made_rows_alike_comes_first(explained):
    e, _, _ = explained
    assert e.top_rows(1, values=True).columns[3] == "switch"
    assert (e.attended().xs(1, level="rank")["feature"] == "switch").mean() > 0.7


def test_likeness_is_how_much_nearer_attended_rows_are():
    weight = np.array([[0.5, 0.5, 0.0, 0.0]])
    attention = Attention(sparse.csr_array(weight), np.zeros(1), np.ones(4))
    rows = pd.DataFrame({"n": [1.0, 3.0, 5.0, np.nan], "t": ["a", "a", "b", None], "d": [True, False, True, True]})
    query = pd.DataFrame({"n": [1.0], "t": ["a"], "d": [True]}, ["q"])
    found = compare_columns(attention.toarray(), attention.sample_weight, query, rows).set_index("feature")
    # distances 0, 2, 4 and the range 4 of the missing one
    assert found.loc["n", "alike"] == pytest.approx(1 - 1.0 / 2.5)
    assert (found.loc["n", "attended"], found.loc["n", "all"]) == (2.0, 3.0)
    assert found.loc["t", "alike"] == pytest.approx(1.0)
    assert (found.loc["t", "attended"], found.loc["t", "all"]) == ("a", "a")
    assert found.loc["d", "alike"] == pytest.approx(1 - 0.5 / 0.25)
    assert list(found.index) == ["t", "n", "d"]


def test_columns_are_compared_as_each_alone_is(rng, monkeypatch):
    """Numbers are compared some columns at a time, with and without missing cells, by what is said of each."""
    monkeypatch.setattr(_rows, "MOST_CELLS", 60)
    cells = rng.normal(size=(23, 5))
    cells[:, 1] = 7.0
    cells[[2, 2, 20, 21], [3, 4, 3, 3]] = np.nan
    table = pd.DataFrame(cells, columns=list("vwxyz")).assign(t=rng.choice(["a", "b"], 23))
    queries, rows = table.iloc[19:].reset_index(drop=True), table.iloc[:19]
    weight, prior = rng.dirichlet(np.ones(19), 4), rng.uniform(1, 2, 19)
    found = compare_columns(weight, prior, queries, rows).set_index("feature", append=True).droplevel("rank")
    for q, j in np.ndindex(4, 5):
        own, others = queries.iloc[q, j], rows.iloc[:, j]
        away = (others - own).abs() if own == own else (~others.isna()) * (others.max() - others.min())
        away = away.fillna(others.max() - others.min())
        near, far = weight[q] @ away, prior @ away / prior.sum()
        one, known = found.loc[(q, table.columns[j])], others.notna()
        assert one["alike"] == pytest.approx(1 - near / far if far > 0 else 0.0)
        assert one["attended"] == pytest.approx(np.average(others[known], weights=weight[q][known]))


def test_the_mean_of_equal_dates_is_that_date(rng):
    rows = pd.DataFrame({"when": pd.Timestamp("2024-02-29")}, range(40))
    found = compare_columns(rng.dirichlet(np.ones(40), 40), rng.uniform(size=40), rows, rows)
    assert (found[["attended", "all"]] == rows["when"][0]).all(axis=None)


def test_equal_attention_makes_no_column_alike():
    attention = Attention(sparse.csr_array((1, 5)), np.full(1, 0.2), np.ones(5))
    rows = pd.DataFrame({"n": np.arange(5.0), "t": list("aabbc"), "same": 1.0})
    found = compare_columns(attention.toarray(), attention.sample_weight, rows.iloc[[1]], rows)
    assert np.allclose(found["alike"].astype(float), 0.0)


def test_sample_weights_count_among_all_rows():
    attention = Attention(sparse.csr_array(np.array([[1.0, 0.0]])), np.zeros(1), np.array([3.0, 1.0]))
    rows = pd.DataFrame({"n": [0.0, 4.0]})
    assert compare_columns(attention.toarray(), attention.sample_weight, rows.iloc[[0]], rows)["all"].iloc[
        0
    ] == pytest.approx(1.0)


def test_a_response_named_like_a_column_is_told_apart(explained):
    _, X, y = explained
    model = AttentionLasso(random_state=0).fit(X[:120], y[:120].rename("x"))
    table = model.explain(X[120:123]).top_rows(1, values=True)
    assert "x (response)" in table
    assert table.columns.is_unique


def test_dates_and_durations_of_rows_are_given_back_and_compared_as_such(rng):
    n_rows = 60
    when = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 100, n_rows), unit="D")
    X = pd.DataFrame(
        {"when": when, "long": pd.to_timedelta(rng.integers(1, 50, n_rows), unit="h"), "x": rng.normal(size=n_rows)}
    )
    X.loc[3, "when"] = pd.NaT
    e = AttentionLasso(local=LocalLasso(smooth=False), random_state=0).fit(X, X["x"]).explain(X[:4])
    pd.testing.assert_frame_equal(e.train_values, X, check_dtype=False)
    same = e.attended().set_index("feature", append=True)["all"].xs("when", level="feature").iloc[0]
    assert same == X["when"].mean().floor("D")
    as_dates = X[:3].assign(when=[cell.date() for cell in X["when"][:3]])
    found = compare_columns(e.attention.toarray()[:3], e.attention.sample_weight, as_dates, X)
    other = compare_columns(e.attention.toarray()[:3], e.attention.sample_weight, X[:3], X)
    np.testing.assert_allclose(found["alike"], other["alike"])
    assert other["alike"].max() <= 1


def test_columns_and_responses_may_have_any_name(rng):
    names = ["weight", "row", "query", "rank", "weight (column)"]
    X, train = pd.DataFrame(rng.normal(size=(6, 5)), columns=names), pd.DataFrame({"weight": np.arange(6.0)})
    attention = Attention(sparse.csr_array(rng.dirichlet(np.ones(6), 2)), np.zeros(2), np.ones(6))
    plain, beside = list_rows(attention, X.index[:2], train, 3), list_cells(attention, X[:2], X, train, 3)
    assert list(plain) == ["row", "weight", "weight (response)"]
    for table in plain, beside:
        assert table.reset_index().columns.is_unique
        kept = table[table.index.get_level_values("rank") > 0]
        np.testing.assert_allclose(kept["weight"].loc[1].to_numpy(float), attention.top(1, 3)[1])
        np.testing.assert_array_equal(kept["weight (response)"], kept["row"].astype(float))
    cells = beside.iloc[:, 3:]
    assert list(cells) == ["weight (column) (column)", "row (column)", "query (column)", "rank (column)", names[-1]]
    np.testing.assert_array_equal(cells, X.loc[beside["row"]])


def test_an_explanation_of_a_table_with_weights_shows_rows_and_cells(explained):
    _, X, y = explained
    table = X.rename(columns={"x": "weight", "noise": "row"})
    e = AttentionLasso(random_state=0).fit(table[:120], y[:120].rename("rank")).explain(table[120:122])
    shown = e.top_rows(2, values=True)
    assert shown["weight (column)"].tolist() == X.loc[shown["row"], "x"].tolist()
    assert "rank (response)" in e.top_rows(2).reset_index()
