"""What clusters are: words and numbers that can be counted again."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, LocalLasso
from heedful.explain import Clusters
from heedful.explain._describe import compare_means, compare_values
from heedful.similarity import ForestProximity


@pytest.fixture
def values(rng):
    age = np.sort(rng.permutation(np.arange(100.0)))
    origin = np.where(age < 30, "japan", np.where(age % 2 == 0, "usa", "europe"))
    return pd.DataFrame({"noise": rng.normal(size=100), "age": age, "origin": origin})


def test_ranges_and_shares_are_those_of_the_rows(values):
    inside = values["age"].to_numpy() < 30
    text = compare_values(values, [inside, ~inside], 3)[0]
    assert text == "age 2 to 26 (all: 9 to 89); origin = japan 100 % (all: 30 %)"
    assert compare_values(values, [inside], 1) == ["age 2 to 26 (all: 9 to 89)"]


def test_a_level_that_is_not_there_says_so(values):
    values["origin"] = np.where(values["age"] < 60, "usa", np.where(values["age"] < 80, "europe", "japan"))
    found = compare_values(values[["origin"]], [values["age"].to_numpy() >= 60], 3)
    assert found == ["origin = usa 0 % (all: 60 %)"]


def test_a_random_draw_is_like_all_queries(values):
    found = compare_values(values, [np.random.default_rng(s).permutation(100) < 25 for s in range(40)], 3)
    assert np.mean([text == "" for text in found]) >= 0.85


def test_missing_cells_are_a_level_or_left_out():
    column = pd.DataFrame({"a": [None] * 20 + ["x"] * 20, "b": [np.nan] * 20 + [1.0] * 20})
    assert compare_values(column, [np.arange(40) < 20], 3) == ["a = (missing) 100 % (all: 50 %)"]


def test_ends_of_a_narrow_range_are_told_apart():
    latitude = pd.DataFrame({"latitude": np.linspace(24.95, 24.99, 101)})
    assert compare_values(latitude, [np.arange(101) < 51], 3) == ["latitude 24.952 to 24.968 (all: 24.954 to 24.986)"]


def test_coefficients_are_means_ranked_by_what_they_change():
    models = pd.DataFrame({"a": [1.0, 1, 3, 3], "b": [100.0, 100, 0, 0], "c": 5.0})
    inside = np.array([True, True, False, False])
    assert compare_means(models, np.array([10.0, 0.1, 1.0]), inside, 3) == "a 1 (all: 2); b 100 (all: 50)"
    assert compare_means(models, np.array([1.0, 1.0, 1.0]), inside, 3) == "b 100 (all: 50)"
    assert compare_means(models[["c"]] + 1e-14 * models[["a"]].to_numpy(), np.ones(1), inside, 3) == ""


@pytest.mark.one_value
def test_every_kind_of_model_is_described(every):
    _, _, e = every
    groups = e.clusters(3, min_size=2)
    found = groups.describe(2)
    assert found.index.equals(groups.table.index)
    assert found["share"].sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(found["error"], groups.table["error"])
    assert len(groups.text().splitlines()) == len(found)
    assert all(len(text.split("; ")) <= 2 for text in found["coefficients"])


def test_the_group_that_decides_is_named(rng):
    X = pd.DataFrame(rng.normal(size=(160, 2)), columns=["a", "b"]).assign(kind=np.repeat(["u", "v"], 80))
    y = np.where(X["kind"] == "u", 4.0, -4.0) * (1 + X["a"])
    rows = rng.permutation(160)
    features = {"model": ["a", "b"], "similarity": ["kind"]}
    model = AttentionLasso(similarity=ForestProximity(30), features=features, local=LocalLasso(shapes=False))
    e = model.fit(X.iloc[rows[:100]], y[rows[:100]]).explain(X.iloc[rows[100:]])
    found = e.clusters(2).describe()
    assert sorted(text.split("; ")[0][:13] for text in found["rows"]) == ["kind = u 100 ", "kind = v 100 "]
    level = e.lasso_intercept + (e.lasso_coef * e.lasso_design.mean()).sum(axis=1)
    assert f"(all: {level.mean():.3g})" in found["levels"].iloc[0]
    assert all("a " in text for text in found["coefficients"])


def test_clusters_without_queries_are_not_described():
    groups = Clusters(None, None, None, None, None, None, None)
    with pytest.raises(ValueError, match="`describe` needs the queries"):
        groups.describe()
