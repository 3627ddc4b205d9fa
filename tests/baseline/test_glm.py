"""The global lasso of counts and costs: optimality, the chosen penalty, offsets; and constraints of every baseline."""

import numpy as np
import pytest
from sklearn.metrics import mean_tweedie_deviance

from heedful import local_lasso
from heedful._folds import random_splits
from heedful.baseline import CoxBaseline, GlmBaseline, LassoBaseline, LogisticBaseline
from reference import amounts
from reference.cases import survival
from reference.lasso import penalty_scale

POWERS = {"poisson": 1.0, "tweedie": 1.5, "gamma": 2.0}
MODELS = {
    "gaussian": LassoBaseline,
    "binomial": LogisticBaseline,
    "cox": CoxBaseline,
    "poisson": GlmBaseline,
}

# kernels are compiled anew for limits and for groups of other losses
CONSTRAINED = [pytest.param(name, marks=pytest.mark.more) if name != "gaussian" else name for name in MODELS]


def claims(rng, family, n=80, p=5):
    """Return rows, amounts, logarithms of exposures and weights."""
    X, offset = rng.normal(size=(n, p)) * rng.uniform(0.5, 2.0, size=p), rng.normal(size=n)
    mean = np.exp(0.5 * X[:, 0] - 0.3 * X[:, 1] + offset)
    counts = rng.poisson(mean).astype(float)
    y = {"poisson": counts, "tweedie": rng.gamma(counts + 1e-300), "gamma": rng.gamma(2.0, mean / 2.0)}[family]
    return X, y, offset, rng.uniform(0.5, 2.0, size=n)


def response(rng, family, X):
    """Return a response of any family that the first columns make."""
    link = X[:, 0] - X[:, 1] + rng.normal(size=len(X))
    return {
        "gaussian": link,
        "binomial": np.where(link > 0, "yes", "no"),
        "cox": survival(np.arange(len(X)) % 3 > 0, np.exp(-link)),
        "poisson": rng.poisson(np.exp(link / 2)),
    }[family]


@pytest.mark.one_value
@pytest.mark.parametrize("family", POWERS)
@pytest.mark.parametrize(("n", "p"), [(60, 4), (40, 60)])
def test_the_whole_fit_misses_no_optimality_condition(rng, family, n, p):
    X, y, offset, weight = claims(rng, family, n, p)
    base = GlmBaseline(family, 0.05).fit(X, y, sample_weight=weight, offset=offset)
    share, penalty = weight / weight.sum(), 0.05 * penalty_scale(X, weight, "weighted")
    down = -amounts.slope(POWERS[family], base.intercept_ + X @ base.coef_, (y, offset), share)
    assert amounts.breach(down, X, share, penalty, base.coef_) < 1e-6


@pytest.mark.one_value
@pytest.mark.parametrize("family", POWERS)
def test_the_chosen_penalty_has_the_smallest_deviance_of_left_out_rows(rng, family):
    X, y, offset, weight = claims(rng, family)
    base = GlmBaseline(family).fit(X, y, sample_weight=weight, splits=random_splits(80, 5, 0), offset=offset)
    assert base.alpha_ == base.alphas_[base.cv_error_.argmin()]
    mean = np.exp(base.predict_fold()[:, 0] + offset)
    expected = mean_tweedie_deviance(y, mean, sample_weight=weight, power=POWERS[family])
    assert 2 * base.cv_error_.min() == pytest.approx(expected)


@pytest.mark.one_value
@pytest.mark.parametrize("family", POWERS)
def test_an_offset_of_log_two_doubles_the_prediction(rng, family):
    X, y, offset, _ = claims(rng, family)
    base = GlmBaseline(family, 0.1).fit(X, y, offset=offset)
    np.testing.assert_allclose(base.predict(X, np.full(80, np.log(2.0))), 2 * base.predict(X))
    np.testing.assert_allclose(base.predict(X), np.exp(base.values(X)[:, 0]))


@pytest.mark.one_value
@pytest.mark.parametrize("power", [1.5, 1.9, 1.99])
@pytest.mark.parametrize("n_costs", [1, 3])
def test_means_of_training_rows_add_up_to_about_what_was_seen(rng, power, n_costs):
    for _ in range(2):
        X, y = rng.normal(size=(100, 3)), np.zeros(100)
        y[:n_costs] = rng.uniform(500, 1500, size=n_costs)
        model = GlmBaseline("tweedie", power=power, random_state=0).fit(X, y)
        said = model.predict(X)
        assert y.sum() / 2.1 < said.sum() < 2.1 * y.sum()
        assert said.max() < 2 * y.max()
        again = GlmBaseline("tweedie", model.alpha_, power=power, random_state=0).fit(X, y)
        np.testing.assert_allclose(again.predict(X), said, rtol=1e-3)


def test_exposures_of_another_unit_change_the_intercept_alone(rng):
    X, y, offset, _ = claims(rng, "poisson")
    years, months = (GlmBaseline(random_state=0).fit(X, y, offset=offset + shift) for shift in (0.0, np.log(12.0)))
    np.testing.assert_allclose(months.coef_, years.coef_, atol=1e-6)
    assert months.intercept_ == pytest.approx(years.intercept_ - np.log(12.0), abs=1e-6)
    assert months.alpha_ == pytest.approx(years.alpha_)


@pytest.mark.parametrize("limits", [None, pytest.param([None, "-", None, "+", None], marks=pytest.mark.more)])
def test_left_out_predictions_are_those_of_fits_without_the_row(rng, limits):
    X, y, offset, weight = claims(rng, "poisson")
    splits = random_splits(80, 10, 0)
    base = GlmBaseline("poisson", 0.05, limits=limits)
    found = base.fit(X, y, weight, splits, offset).predict_left_out(np.arange(5))[:, 0]
    for i in range(5):
        rest = np.delete(np.arange(80), i)
        one = GlmBaseline("poisson", 0.05, limits=limits).fit(X[rest], y[rest], weight[rest], offset=offset[rest])
        assert found[i] == pytest.approx(one.values(X[[i]])[0, 0], abs=0.02)


def test_the_log_odds_of_two_classes_take_an_offset(rng):
    X, offset = rng.normal(size=(80, 3)), rng.normal(size=80)
    y = rng.uniform(size=80) < 1 / (1 + np.exp(-X[:, 0] - offset))
    base = LogisticBaseline(0.02).fit(X, y, offset=offset)
    fits = local_lasso(X, y, np.ones((1, 80)), alpha=0.02, family="binomial", standardize="weighted", offset=offset)
    np.testing.assert_allclose(base.coef_, fits.coef_, atol=1e-6)
    np.testing.assert_allclose(base.decision_function(X, offset) - base.decision_function(X), offset)
    chance = 1 / (1 + np.exp(-base.decision_function(X, offset)))
    np.testing.assert_allclose(base.predict_proba(X, offset)[:, 1], chance)
    with pytest.raises(ValueError, match="`offset` needs two classes, got 3"):
        LogisticBaseline(0.02).fit(X, np.arange(80) % 3, offset=offset)


@pytest.mark.one_value
@pytest.mark.parametrize("family", CONSTRAINED)
def test_constraints_of_a_baseline_are_those_of_the_local_model_of_all_rows(rng, family):
    X = rng.normal(size=(60, 5))
    y = response(rng, family, X)
    for asked in (
        {"limits": ["-", None, "+", "+", "-"], "penalty_factor": [1, 0, 1, 2, 1]},
        {"limits": (-0.1, 0.1)},
        {"groups": ["a", "b", "a", "c", "c"]},
    ):
        base = MODELS[family](alpha=0.05, **asked).fit(X, y)
        fits = local_lasso(X, y, np.ones((1, 60)), alpha=0.05, family=family, standardize="weighted", **asked)
        np.testing.assert_allclose(np.ravel(base.coef_), fits.coef_[0], atol=1e-5)


@pytest.mark.one_value
@pytest.mark.parametrize("family", CONSTRAINED)
@pytest.mark.parametrize(
    "asked",
    [
        {"penalty_factor": [0, 1, 1, 3, 1]},
        {"limits": ["-", "+", None, None, "+"]},
        {"groups": [0, 1, 1, 2, 2], "penalty_factor": [0, 1, 1, 2, 2]},
    ],
)
def test_the_path_begins_where_the_first_penalised_column_enters(rng, family, asked):
    X = rng.normal(size=(60, 5)) + rng.normal(size=(60, 1))
    y = response(rng, family, X)
    top = MODELS[family](random_state=0, **asked).fit(X, y).alphas_[0]
    free = np.array(asked.get("penalty_factor", np.ones(5))) == 0
    above, below = (np.ravel(MODELS[family](alpha=top * by, **asked).fit(X, y).coef_) for by in (1.001, 0.98))
    assert (above[~free] == 0).all()
    assert (below[~free] != 0).any()
    assert (above[free] != 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"family": "normal"}, "`family` must be one of 'poisson', 'gamma', 'tweedie', got 'normal'"),
        ({"y": [-1.0, 1.0, 2.0]}, ">= 0, got 1 below"),
        ({"family": "gamma", "y": [0.0, 1.0, 2.0]}, "> 0 for family=.gamma., got 1 that are not"),
        ({"offset": [0.0, np.nan, 1.0]}, "`offset` must not hold NaN"),
        (
            {"sample_weight": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 2.0]},
            "> 0 in at least one row of positive weight",
        ),
        ({"limits": (1.0, 2.0)}, "lower <= 0 <= upper"),
        ({"penalty_factor": np.zeros(3)}, "must not be 0 for all of 3 columns with 3 rows"),
    ],
)
def test_input_that_cannot_be_is_named(change, message):
    given = {"y": [1.0, 2.0, 3.0]} | change
    how = {name: given.pop(name) for name in ("family", "limits", "penalty_factor") if name in given}
    with pytest.raises(ValueError, match=message):
        GlmBaseline(**how).fit(np.eye(3), **given)


def test_limits_of_three_classes_are_refused(rng):
    with pytest.raises(ValueError, match="need a model of one output"):
        LogisticBaseline(limits=(0, 1)).fit(rng.normal(size=(30, 2)), np.arange(30) % 3)


def test_rows_that_differ_in_their_exposure_alone_are_not_one(rng):
    # few distinct rows and counts, each with exposures of its own: as much happened as is expected
    X, exposure = rng.integers(0, 2, (60, 1)).astype(float), rng.uniform(0.1, 5.0, 60)
    y = rng.integers(0, 2, 60).astype(float)
    model = GlmBaseline("poisson", 0.01, random_state=0).fit(X, y, offset=np.log(exposure))
    assert model.predict(X, np.log(exposure)).sum() == pytest.approx(y.sum(), rel=1e-5)
