"""Context and model columns apart: who sees what, what is shown, and how images and the future are kept out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import TimeSeriesSplit

from heedful import AttentionLasso, AttentionRegressor, LeafAttentionRegressor, LocalLearner
from heedful.context import lag_features
from heedful.similarity import ForestProximity

FEW = ForestProximity(20)


@pytest.fixture
def frame(rng):
    table = pd.DataFrame(rng.normal(size=(90, 2)), columns=["now", "past"])
    table["kind"] = rng.choice(["x", "y"], size=90)
    y = np.where(table["past"] > 0, 3, -3) * table["now"] + (table["kind"] == "x")
    return table.set_axis([f"row {i}" for i in range(90)]), y.to_numpy()


@pytest.mark.one_value
@pytest.mark.parametrize(
    "model", [AttentionLasso(), AttentionRegressor(local=LocalLearner(tuning_rows=10)), LeafAttentionRegressor()]
)
def test_models_use_their_columns_and_the_similarity_its_own(frame, model):
    table, y = frame
    model.set_params(similarity=FEW, features={"model": ["now"]}, random_state=0).fit(table, y)
    explanation = model.explain(table.iloc[:5])
    assert explanation.lasso_features == ["now"]
    assert list(explanation.context) == ["past", "kind"]


def test_the_context_of_attended_rows_is_listed_as_it_was_given(frame):
    table, y = frame
    model = AttentionLasso(similarity=FEW, features={"model": ["now"]}, random_state=0).fit(table, y)
    explanation = model.explain(table.iloc[:4])
    around, attended = explanation.top_context(3), explanation.top_rows(3)
    own = around.xs(0, level="rank")
    assert own["row"].tolist() == list(table.index[:4])
    np.testing.assert_allclose(own["past"].to_numpy(), table["past"][:4])
    others = around.drop(index=0, level="rank")
    assert others["row"].tolist() == attended["row"].tolist()
    np.testing.assert_allclose(others["weight"].to_numpy(), attended["weight"])
    assert others["kind"].tolist() == table["kind"][others["row"]].tolist()
    np.testing.assert_allclose(others["past"].to_numpy(), table["past"][others["row"]])


def test_merged_rows_and_rows_without_weight_keep_their_context(frame):
    table, y = frame
    twice, weight = pd.concat([table, table.iloc[:10]]), np.ones(100)
    weight[20] = 0.0
    fitted = AttentionLasso(similarity=FEW, features={"model": ["now"]}, random_state=0)
    explanation = fitted.fit(twice, np.append(y, y[:10]), sample_weight=weight).explain(table.iloc[:2])
    known = np.delete(np.arange(100), 20)
    np.testing.assert_allclose(explanation.train_context["past"].iloc[known], twice["past"].iloc[known])
    assert explanation.train_context.iloc[20].isna().all()


def test_no_context_is_said_plainly(frame):
    table, y = frame
    explanation = AttentionLasso(similarity=FEW, random_state=0).fit(table, y).explain(table.iloc[:3])
    with pytest.raises(ValueError, match="There is no context"):
        explanation.top_context()


def test_out_of_bag_tuning_of_lags_is_warned_about(rng):
    series = lag_features(pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]), "a", 2)
    y = rng.normal(size=58)
    with pytest.warns(UserWarning, match=r"cv=TimeSeriesSplit\(4\)"):
        AttentionLasso(similarity=FEW, random_state=0).fit(series, y)
    model = AttentionLasso(similarity=FEW, cv=TimeSeriesSplit(4), random_state=0).fit(series, y)
    assert len(model._model.splits) == 4


def test_four_splits_in_time_are_the_papers_five_folds(rng):
    folds = np.array_split(np.arange(100), 5)
    splits = list(TimeSeriesSplit(4).split(np.empty((100, 1))))
    for k, (train, test) in enumerate(splits, start=1):
        np.testing.assert_array_equal(train, np.concatenate(folds[:k]))
        np.testing.assert_array_equal(test, folds[k])


def test_rows_of_one_image_are_never_on_both_sides(rng):
    X, image = rng.normal(size=(90, 3)), np.repeat(np.arange(9), 10)
    model = AttentionLasso(similarity=FEW, cv=3, random_state=0).fit(X, X[:, 0] * X[:, 1], groups=image)
    place = {tuple(row): number for row, number in zip(X, image, strict=True)}
    where = np.array([place[tuple(row)] for row in model._model.rows.codes])
    for train, test in model._model.splits:
        assert not set(where[train]) & set(where[test])
