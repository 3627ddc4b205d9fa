"""Effects on censored times, and averages by groups and targets, of the estimator."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from heedful import AttentionEffect, AttentionLasso, load_model, save_model
from heedful.similarity import ForestProximity

PLAIN = {
    "similarity": ForestProximity(16),
    "outcome": LinearRegression(),
    "propensity": LogisticRegression(tol=1e-12, max_iter=1000),
    "random_state": 0,
}
HORIZON = 2.0


def draw(n_rows, seed=0):
    """Return rows whose hazard falls by the treatment, and is censored by a column and the treatment."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    treatment = rng.integers(0, 2, n_rows)
    hazard = [np.exp(0.6 * X[:, 0] - 0.3 - arm * (0.2 + (X[:, 1] > 0))) for arm in (0, 1)]
    died = rng.exponential(1 / np.where(treatment == 1, hazard[1], hazard[0]))
    lost = rng.exponential(1 / (0.25 * np.exp(0.7 * X[:, 0] + 0.9 * treatment)))
    y = pd.DataFrame({"event": died <= lost, "time": np.minimum(died, lost)})
    without, with_it = ((1 - np.exp(-h * HORIZON)) / h for h in hazard)
    chance, better = (np.exp(-h * HORIZON) for h in hazard)
    return X, y, treatment, {"rmst": with_it - without, "survival": better - chance}


@pytest.fixture(scope="module")
def model():
    X, y, treatment, _ = draw(200)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["site"] = np.where(X[:, 2] > 1.2, None, np.where(X[:, 1] > 0, "north", "south"))
    frame["age"] = np.arange(200)
    how = PLAIN | {"outcome": AttentionLasso(heads="single", similarity=ForestProximity(16)), "propensity": 0.5}
    return AttentionEffect(heads="single", **how).fit(frame, y, treatment, horizon=HORIZON)


@pytest.mark.more
@pytest.mark.parametrize("estimand", ["rmst", "survival"])
def test_effects_on_censored_times_are_right_where_ignoring_it_is_wrong(estimand):
    X, y, treatment, truth = draw(1500)
    how = PLAIN | {"propensity": 0.5}
    own = AttentionEffect(heads="single", **how).fit(X, y, treatment, horizon=HORIZON, estimand=estimand)
    found, mean = own.average_effect(coverage=0.99), truth[estimand].mean()
    assert found.low < mean < found.high
    effect = own.effect(X)
    assert np.corrcoef(effect, truth[estimand])[0, 1] > 0.5
    ignored = np.minimum(y["time"], HORIZON) if estimand == "rmst" else 1.0 * (y["time"] > HORIZON)
    naive = AttentionEffect(heads="single", **how).fit(X, ignored, treatment)
    assert naive.average_effect(coverage=0.999).high < mean
    error, worse = (np.sqrt(np.mean((e - truth[estimand]) ** 2)) for e in (effect, naive.effect(X)))
    assert error < 0.8 * worse


@pytest.mark.more
@pytest.mark.parametrize("estimand", ["rmst", "survival"])
def test_without_censoring_it_is_the_effect_on_times_up_to_the_horizon(estimand):
    X, y, treatment, _ = draw(160)
    y["event"] |= y["time"] < HORIZON
    how = PLAIN | {"random_state": 3}
    censored = AttentionEffect(heads="single", **how).fit(X, y, treatment, horizon=HORIZON, estimand=estimand)
    outcome = np.minimum(y["time"], HORIZON) if estimand == "rmst" else y["time"] > HORIZON
    plain = AttentionEffect(heads="single", **how).fit(X, outcome, treatment)
    np.testing.assert_array_equal(censored.effect(X), plain.effect(X))
    assert censored.average_effect() == plain.average_effect()


@pytest.mark.more
def test_how_events_and_times_are_given_changes_nothing():
    X, y, treatment, _ = draw(200)
    structured = np.array(list(y.itertuples(index=False, name=None)), dtype=[("died", bool), ("weeks", float)])
    first, second = (
        AttentionEffect(heads="single", **PLAIN).fit(X, given, treatment, horizon=HORIZON)
        for given in (structured, y.to_numpy(dtype=np.float64))
    )
    np.testing.assert_array_equal(first.effect(X), second.effect(X))


@pytest.mark.more
def test_weights_are_copies(rng):
    X, y, treatment, _ = draw(160)
    count = rng.integers(0, 3, 160)
    rows = np.repeat(np.arange(160), count)
    weighted = AttentionEffect(heads="single", **PLAIN).fit(X, y, treatment, sample_weight=count, horizon=HORIZON)
    copies = AttentionEffect(heads="single", **PLAIN).fit(X[rows], y.iloc[rows], treatment[rows], horizon=HORIZON)
    np.testing.assert_allclose(weighted.effect(X), copies.effect(X), atol=1e-5)
    for target in ("all", "treated", "control", "overlap"):
        pair = [one.average_effect(target=target).effect for one in (weighted, copies)]
        assert pair[0] == pytest.approx(pair[1], abs=1e-6)


@pytest.mark.more
def test_a_model_of_censored_times_is_saved(model, tmp_path):
    save_model(model, tmp_path / "model.heedful")
    loaded = load_model(tmp_path / "model.heedful")
    assert loaded.average_effect(target="overlap") == model.average_effect(target="overlap")
    pd.testing.assert_frame_equal(loaded.average_effect(by="site"), model.average_effect(by="site"))


@pytest.mark.parametrize(
    ("how", "given", "error"),
    [
        ({}, {}, r"got shape \(200, 2\). If these are events and times.*fit\(..., horizon=...\)"),
        ({}, {"horizon": 50.0}, "`horizon` must be at most"),
        ({}, {"horizon": 2.0, "y": np.ones(200)}, "two columns, first event, then time"),
        ({}, {"horizon": 2.0, "estimand": "median"}, "`estimand` must be one of"),
        ({"outcome": LogisticRegression()}, {"horizon": 2.0}, "`outcome` must be a regressor"),
        (
            {},
            {"horizon": 2.0, "treatment": np.linspace(0, 1, 200)},
            "must be binary if outcomes are censored times",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(how, given, error):
    X, y, treatment, _ = draw(200)
    with pytest.raises((ValueError, TypeError), match=error):
        AttentionEffect(heads="single", **PLAIN | how).fit(X, **{"y": y, "treatment": treatment} | given)


def test_averages_by_a_column_are_those_of_its_cells(model):
    X, *_ = draw(200)
    site = pd.Series(np.where(X[:, 2] > 1.2, None, np.where(X[:, 1] > 0, "north", "south")), name="site")
    table = model.average_effect(by="site", target="treated", coverage=0.8)
    pd.testing.assert_frame_equal(table, model.average_effect(by=site, target="treated", coverage=0.8))
    assert table.index[:2].tolist() == ["north", "south"]
    assert pd.isna(table.index[2])
    alone = model.average_effect((site == "south").to_numpy(), target="treated", coverage=0.8)
    assert table.loc["south", "low"] == alone.low
    half = np.arange(200) < 100
    assert model.average_effect(half, by="site")["n_rows"].sum() == 100


def test_columns_that_are_no_groups_are_refused(model):
    with pytest.raises(ValueError, match=r"`by` must have at most 30 groups, got 200. Cut numeric labels into ranges"):
        model.average_effect(by="age")
    with pytest.raises(ValueError, match=r"`by` must name a column of `X` such as 'a', 'b', .*got 'town'"):
        model.average_effect(by="town")
    with pytest.raises(ValueError, match="`by` must have one value per row of `X`: 200, got 3"):
        model.average_effect(by=["a", "b", "c"])


def test_columns_of_an_array_go_by_their_numbers_and_rows_of_no_weight_are_not_missing(rng):
    X, y, treatment, _ = draw(160)
    X[:, 2] = rng.integers(0, 2, 160)
    weight = np.where(np.arange(160) < 20, 0.0, 1.0)
    own = AttentionEffect(heads="single", **PLAIN).fit(X, y["time"], treatment, sample_weight=weight)
    named = own.average_effect(by=own.local_models(X[:2]).coef.columns[2])
    assert named.index.tolist() == [0.0, 1.0]
    np.testing.assert_array_equal(named, own.average_effect(by=X[:, 2]))
    assert named["n_rows"].sum() == 140


def test_rows_whose_cells_are_not_kept_need_labels_of_their_own(rng):
    X, amount = rng.normal(size=(100, 2)), rng.normal(size=100)
    X[:, 0], amount[0] = np.arange(100) % 2, 0.0
    how = PLAIN | {"propensity": 0.0}
    own = AttentionEffect(heads="single", **how).fit(pd.DataFrame(X, columns=["a", "b"]), X[:, 1] + amount, amount)
    assert own.average_effect(by=X[:, 0])["n_rows"].sum() == 100
    with pytest.raises(ValueError, match=r"cells of 1 rows, whose treatment residual is 0.*by=X\['a'\]"):
        own.average_effect(by="a")
