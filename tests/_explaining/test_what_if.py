"""What if: predictions of the estimator itself at other values of a column, and at the query's own."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionGLM, AttentionLasso, AttentionLassoClassifier
from heedful.similarity import ForestProximity

FOREST = ForestProximity(20)
N_TRAIN = 100


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.normal(size=N_TRAIN + 6), "few": rng.choice([1.0, 2.0], N_TRAIN + 6)})
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, len(X)), "D")
    X["town"] = rng.choice([f"t{j}" for j in range(15)], len(X))
    X.loc[[3, N_TRAIN + 1], "a"] = np.nan
    y = 2 * X["a"].fillna(1.0) + X["few"] * np.where(X["town"] < "t5", 2.0, -1.0)
    return X, y.to_numpy()


@pytest.fixture(scope="module")
def asked(table):
    X, y = table
    model = AttentionLasso(similarity=FOREST, random_state=0).fit(X[:N_TRAIN], y[:N_TRAIN])
    return model, X[N_TRAIN:], model.explain(X[N_TRAIN:])


def moved(X, rows):
    found = X.iloc[rows["query"]].astype(object).reset_index(drop=True)
    for at, (name, cell) in enumerate(zip(rows["feature"], rows["value"], strict=True)):
        found.iloc[at, found.columns.get_loc(name)] = cell
    return pd.DataFrame({name: found[name].astype(X.dtypes[name]) for name in X})


def test_predictions_are_those_of_rows_with_the_value(asked):
    model, X, e = asked
    rows = e.what_if(list(X))
    np.testing.assert_allclose(rows["prediction"], model.predict(moved(X, rows)), rtol=1e-9, atol=1e-9)


def test_the_own_value_stands_among_the_others_with_the_prediction(asked):
    _, X, e = asked
    rows = e.what_if(list(X))
    own = rows[rows["own"]]
    assert len(own) == X.size
    np.testing.assert_allclose(own["prediction"], np.repeat(e.prediction, X.shape[1]), rtol=1e-9)
    cells = X.astype(object).to_numpy().ravel()
    assert all(a == b or (pd.isna(a) and pd.isna(b)) for a, b in zip(own["value"], cells, strict=True))


def test_values_are_from_the_smallest_to_the_largest_or_the_most_frequent_levels(asked, table):
    _, _, e = asked
    train = table[0][:N_TRAIN]
    rows = e.what_if(["a", "few", "town"], n_values=5)
    for _, part in rows[~rows["own"]].groupby("query"):
        number = part.loc[part["feature"] == "a", "value"].astype(float)
        assert number.is_monotonic_increasing
        assert number.iloc[0] == train["a"].min()
        assert number.iloc[-1] == train["a"].max()
        assert len(number) <= 5
    often = set(train["town"].value_counts().index[:5])
    levels = rows[(rows["feature"] == "town") & ~rows["own"]]
    counts = train["town"].value_counts()
    assert min(counts[name] for name in levels["value"]) >= min(counts[name] for name in often)


def test_without_columns_each_query_has_those_of_its_small_model(asked):
    _, _, e = asked
    rows = e.what_if()
    for q in range(len(e.index)):
        assert set(rows.loc[rows["query"] == q, "feature"]) == set(e.coef.columns[e.coef.iloc[q] != 0])


@pytest.mark.more
def test_classes_have_a_column_each_and_exposures_count(table):
    X, y = table
    label = pd.qcut(y, 3, labels=["l", "m", "t"]).astype(str)
    model = AttentionLassoClassifier(similarity=FOREST, random_state=0).fit(X[:N_TRAIN], label[:N_TRAIN])
    rows = model.explain(X[N_TRAIN:]).what_if("few")
    np.testing.assert_allclose(rows[["l", "m", "t"]], model.predict_proba(moved(X[N_TRAIN:], rows)), atol=1e-9)
    exposure = np.linspace(0.5, 2.0, len(X))
    count = np.round(np.exp(y / 3))
    glm = AttentionGLM(family="poisson", similarity=FOREST, random_state=0)
    glm.fit(X[:N_TRAIN], count[:N_TRAIN], exposure=exposure[:N_TRAIN])
    rows = glm.explain(X[N_TRAIN:], exposure=exposure[N_TRAIN:]).what_if("few")
    own = exposure[N_TRAIN:][rows["query"]]
    np.testing.assert_allclose(rows["prediction"], glm.predict(moved(X[N_TRAIN:], rows), exposure=own), rtol=1e-9)


def test_an_unknown_column_or_number_of_values_is_refused(asked):
    _, _, e = asked
    with pytest.raises(ValueError, match=r"'height'.*not a column"):
        e.what_if("height")
    with pytest.raises(ValueError, match="`n_values`"):
        e.what_if("a", n_values=1)
