import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from heedful.datasets import make_survival


def test_shapes_follow_n_and_p(rng):
    sim = make_survival(50, 20, random_state=rng)
    assert sim.X.shape == sim.coef.shape == (50, 20)
    assert sim.y.shape == sim.latent.shape == sim.signal.shape == (50,)
    assert sim.components.shape == (2, 20)


def test_the_same_seed_gives_the_same_rows():
    first, second, other = (make_survival(40, random_state=seed) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.y, second.y)
    assert not np.array_equal(first.y, other.y)


def test_the_signal_is_each_row_times_the_coefficients_of_its_group(rng):
    sim = make_survival(random_state=rng)
    np.testing.assert_array_equal(sim.coef, sim.components[sim.latent])
    np.testing.assert_allclose(sim.signal, (sim.X * sim.coef).sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("snr", [0.5, 2.5, 10.0])
def test_the_asked_signal_to_noise_ratio_is_met(snr, rng):
    sim = make_survival(snr=snr, random_state=rng)
    assert sim.signal.var() / sim.noise**2 == pytest.approx(snr)


def test_split_keeps_each_response_with_its_row(rng):
    sim = make_survival(21, random_state=rng)
    first, second = sim.split(8)
    assert (first.y.size, second.y.size) == (8, 13)
    assert first.y.dtype == second.y.dtype == sim.y.dtype
    for name in ("X", "y", "coef", "latent", "signal"):
        parts = [getattr(part, name) for part in (first, second)]
        np.testing.assert_array_equal(np.concatenate(parts), getattr(sim, name))


def test_survival_responses_have_the_fields_of_scikit_survival(rng):
    y = make_survival(random_state=rng).y
    assert y.dtype == np.dtype([("event", "?"), ("time", "<f8")])
    assert (y["time"] > 0).all()
    assert np.isfinite(y["time"]).all()


def test_the_group_is_a_rule_of_features_5_and_6(rng):
    sim = make_survival(50_000, 6, random_state=rng)
    lower = sim.X[:, 4:].min(axis=1)
    assert lower[sim.latent == 1].min() > lower[sim.latent == 0].max()
    assert not sim.components[:, 4:].any()


@pytest.mark.parametrize("minority", [0.0, 0.25, 0.4, 1.0])
def test_minority_is_the_share_of_the_second_group(minority, rng):
    sim = make_survival(20_000, 6, minority=minority, random_state=rng)
    assert sim.latent.mean() == pytest.approx(minority, abs=0.02)


def test_features_with_effects_do_not_show_the_group(rng):
    sim = make_survival(50_000, 6, random_state=rng)
    means = [sim.X[sim.latent == group, :4].mean(axis=0) for group in (0, 1)]
    np.testing.assert_allclose(means, np.tile([1.0, 1.0, 0.0, 0.0], (2, 1)), atol=0.03)


@pytest.mark.parametrize("censoring", [0.05, 0.3, 0.8])
@pytest.mark.parametrize("shape", [0.7, 2.0])
def test_the_asked_share_is_censored(censoring, shape, rng):
    sim = make_survival(20_000, 6, shape=shape, censoring=censoring, random_state=rng)
    assert 1 - sim.y["event"].mean() == pytest.approx(censoring, abs=0.015)


def test_censoring_does_not_depend_on_the_row(rng):
    sim = make_survival(50_000, 6, shape=2.0, random_state=rng)
    parts = [sim.y[rows] for rows in (sim.signal < -1, sim.signal > 1, sim.latent == 0, sim.latent == 1)]
    rates = [(~y["event"]).sum() / (y["time"] ** 2).sum() for y in parts]
    np.testing.assert_allclose(rates, rates[0], rtol=0.1)


def test_without_censoring_every_event_is_seen(rng):
    assert make_survival(censoring=0, random_state=rng).y["event"].all()


def test_censoring_only_hides_events():
    seen, partly = (make_survival(200, censoring=share, random_state=3).y for share in (0.0, 0.5))
    np.testing.assert_array_equal(partly["time"][partly["event"]], seen["time"][partly["event"]])
    assert (partly["time"][~partly["event"]] < seen["time"][~partly["event"]]).all()


@pytest.mark.parametrize("shape", [0.7, 1.0, 3.0])
def test_the_cumulative_hazard_at_an_event_is_exponential(shape, rng):
    sim = make_survival(20_000, 6, shape=shape, censoring=0, random_state=rng)
    assert kstest(sim.y["time"] ** shape * np.exp(sim.signal), "expon").pvalue > 0.01


@pytest.mark.parametrize("signals", [(-np.inf, -1.0), (-1.0, 1.0), (1.0, np.inf)])
def test_hazards_are_proportional_early_and_late(signals, rng):
    sim = make_survival(100_000, 6, shape=1.5, random_state=rng)
    rows = (sim.signal > signals[0]) & (sim.signal <= signals[1])
    y, relative = sim.y[rows], np.exp(sim.signal[rows])
    window = np.digitize(y["time"], np.quantile(y["time"], [0.3, 0.7]))
    cuts = np.quantile(y["time"], [0.3, 0.7, 1.0])
    passed = np.clip(y["time"][:, None], np.r_[0.0, cuts[:-1]], cuts) ** 1.5 - np.r_[0.0, cuts[:-1]] ** 1.5
    events = np.bincount(window[y["event"]], minlength=3)
    np.testing.assert_allclose(events, relative @ passed, rtol=0.05)


@pytest.mark.parametrize("group", [0, 1])
def test_log_times_give_back_the_effects_of_each_group(group, rng):
    sim = make_survival(40_000, 6, shape=2.0, censoring=0, random_state=rng)
    rows = sim.latent == group
    slopes = LinearRegression().fit(sim.X[rows], np.log(sim.y["time"][rows])).coef_
    np.testing.assert_allclose(-2.0 * slopes, sim.components[group], atol=0.06)


def test_two_effects_are_opposite_in_the_groups_and_two_are_shared(rng):
    first, second = make_survival(random_state=rng).components
    np.testing.assert_allclose(first[:2], -second[:2])
    np.testing.assert_allclose(first[2:4], second[2:4])
    assert first[:4].all()


def test_a_forest_sees_more_than_one_linear_model(rng):
    train, test = make_survival(2000, 8, censoring=0, random_state=rng).split()
    forest = RandomForestRegressor(60, min_samples_leaf=5, random_state=0)
    models = [model.fit(train.X, np.log(train.y["time"])) for model in (forest, LinearRegression())]
    curved, straight = (np.corrcoef(model.predict(test.X), -test.signal)[0, 1] for model in models)
    assert curved > straight + 0.1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n": 1}, ValueError, "`n` must be >= 2"),
        ({"p": 5}, ValueError, r"`p` must be >= 6, got 5"),
        ({"shift": np.nan}, ValueError, "`shift`.*got nan"),
        ({"minority": 1.2}, ValueError, "`minority` must be >= 0 and <= 1, got 1.2"),
        ({"snr": 0}, ValueError, "`snr` must be > 0"),
        ({"random_state": "seed"}, TypeError, "seed"),
    ],
)
def test_bad_arguments_are_named(options, error, message):
    with pytest.raises(error, match=message):
        make_survival(**options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"shape": 0}, ValueError, "`shape` must be > 0.*got 0"),
        ({"shape": "flat"}, TypeError, "`shape` must be a number, got 'flat'"),
        ({"censoring": 30}, ValueError, "`censoring` must be >= 0 and <= 0.95, got 30"),
        ({"censoring": -0.1}, ValueError, "`censoring` must be >= 0"),
        ({"shape": 0.001}, ValueError, "Log times must be within 700.*`shape`=0.001. Raise `shape`"),
    ],
)
def test_bad_survival_arguments_are_named(options, error, message):
    with pytest.raises(error, match=message):
        make_survival(random_state=0, **options)
