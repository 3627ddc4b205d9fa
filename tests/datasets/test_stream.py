import numpy as np
import pytest

from heedful.datasets import make_stream

KINDS = ["gradual", "sudden", "none"]
BEFORE, AFTER = [1, 1, 1, 1, 0, 0], [1, 1, -1, 1, 0, 0]


def in_segment(sim):
    return (sim.X[:, :2] > 0).all(axis=1)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_come_day_by_day(kind):
    sim = make_stream(7, 3, kind=kind, random_state=0)
    np.testing.assert_array_equal(sim.latent, np.repeat(np.arange(7), 3))
    assert sim.X.shape == (21, 6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_signal_is_that_of_each_rows_coefficients(kind):
    sim = make_stream(10, p=8, kind=kind, random_state=0)
    np.testing.assert_allclose(sim.signal, (sim.X * sim.coef).sum(axis=1))
    assert not sim.coef[:, 4:].any()


def test_without_drift_the_signal_is_the_same_function_on_all_days():
    sim = make_stream(kind="none", random_state=0)
    np.testing.assert_allclose(sim.signal, sim.X @ BEFORE)


@pytest.mark.parametrize("kind", ["gradual", "sudden"])
def test_kinds_agree_before_the_change_and_differ_from_it_on(kind):
    drifting, still = (make_stream(12, 40, kind=name, change_day=5, random_state=1) for name in (kind, "none"))
    before = still.latent < 5
    np.testing.assert_array_equal(drifting.X, still.X)
    np.testing.assert_array_equal(drifting.y[before], still.y[before])
    differs = drifting.signal != still.signal
    assert all(differs[still.latent == day].any() for day in range(5, 12))


@pytest.mark.parametrize("kind", ["gradual", "sudden"])
def test_only_rows_of_the_segment_change(kind):
    sim = make_stream(kind=kind, random_state=0)
    np.testing.assert_array_equal(sim.coef[~in_segment(sim)], np.tile(BEFORE, ((~in_segment(sim)).sum(), 1)))


def test_a_sudden_change_reaches_its_end_at_once():
    sim = make_stream(kind="sudden", change_day=30, random_state=0)
    changed = in_segment(sim) & (sim.latent >= 30)
    np.testing.assert_array_equal(sim.coef[changed], np.tile(AFTER, (changed.sum(), 1)))


def test_a_gradual_change_goes_by_equal_steps_and_ends_on_the_last_day():
    sim = make_stream(10, 200, kind="gradual", change_day=6, random_state=0)
    inside = in_segment(sim)
    effects = [np.unique(sim.coef[inside & (sim.latent == day), 2]) for day in range(10)]
    np.testing.assert_allclose(np.concatenate(effects), [1, 1, 1, 1, 1, 1, 0.5, 0, -0.5, -1])


def test_a_gradual_change_of_one_day_is_sudden():
    gradual, sudden = (make_stream(5, kind=kind, change_day=4, random_state=3).y for kind in ("gradual", "sudden"))
    np.testing.assert_array_equal(gradual, sudden)


def test_the_change_comes_in_the_middle_if_no_day_is_given():
    given, default = (make_stream(9, kind="sudden", change_day=day, random_state=0) for day in (4, None))
    np.testing.assert_array_equal(given.y, default.y)


def test_the_segment_holds_a_quarter_of_the_rows_and_its_mean_falls_by_two(rng):
    sim = make_stream(2, 20_000, kind="sudden", random_state=rng)
    inside = in_segment(sim)
    assert inside.mean() == pytest.approx(0.25, abs=0.01)
    before, after = (sim.signal[inside & (sim.latent == day)].mean() for day in (0, 1))
    assert before - after == pytest.approx(2.0, abs=0.1)


def test_noise_is_the_standard_deviation_of_the_noise(rng):
    sim = make_stream(10, 2000, noise=2.0, random_state=rng)
    assert (sim.y - sim.signal).std() == pytest.approx(2.0, rel=0.05)


def test_without_noise_the_response_is_the_signal(rng):
    sim = make_stream(5, noise=0, random_state=rng)
    np.testing.assert_array_equal(sim.y, sim.signal)


def test_the_same_seed_gives_the_same_rows():
    first, second = (make_stream(5, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.y, second.y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_days": 1}, "`n_days` must be >= 2, got 1"),
        ({"n_days": 2.5}, "`n_days` must be a whole number, got 2.5"),
        ({"rows_per_day": 0}, "`rows_per_day` must be >= 1, got 0"),
        ({"p": 3}, "`p` must be >= 4, got 3"),
        ({"kind": "slow"}, "`kind` must be one of 'gradual', 'sudden', 'none', got 'slow'"),
        ({"kind": None}, "`kind` must be one of"),
        ({"change_day": 0}, "`change_day` must be >= 1 and <= 59, got 0"),
        ({"n_days": 10, "change_day": 10}, "`change_day` must be >= 1 and <= 9, got 10"),
        ({"noise": -1}, "`noise` must be >= 0"),
        ({"random_state": -1}, "expected non-negative integer"),
    ],
)
def test_bad_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        make_stream(**options)


def test_days_must_be_numbers():
    with pytest.raises(TypeError, match="`n_days` must be a number, got '10'"):
        make_stream("10")
