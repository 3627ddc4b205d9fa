"""The guard: gains that are noise are not believed, gains that are not are."""

import numpy as np

from heedful.heads._guard import blended, cross_fit, trust
from heedful.heads._shares import Outside, fit_many
from heedful.heads._tune import tune


def rows(rng, n, gain):
    y = rng.normal(size=n)
    noise = rng.normal(size=(n, 8))
    return Outside(gain * y[:, None] + noise, np.zeros(n), y, np.ones(n))


def test_a_clear_gain_is_trusted(rng):
    part = rows(rng, 300, gain=1.0)
    assert tune(part, True, None, np.random.RandomState(0)).trust > 0.9


def test_heads_of_pure_noise_are_not_trusted(rng):
    trusts = [tune(rows(rng, 80, gain=0.0), True, None, np.random.RandomState(0)).trust for _ in range(20)]
    assert np.mean(trusts) < 0.15


def heavy_rows(rng, n=200):
    """Responses with a few huge values, and heads as erratic as they are."""
    y = np.exp(2.5 * rng.normal(size=n))
    heads = np.exp(2.5 * rng.normal(size=(n, 8)))
    return Outside(heads, np.full(n, np.exp(2.5**2 / 2)), y, np.ones(n))


def test_a_few_huge_responses_cost_less_than_one_per_cent(rng):
    loss = []
    for _ in range(40):
        tuned, fresh = tune(heavy_rows(rng), True, None, np.random.RandomState(0)), heavy_rows(rng)
        base = np.mean((fresh.y - fresh.baseline) ** 2)
        loss.append(np.mean((fresh.y - blended(fresh, tuned.share)) ** 2) / base - 1)
    assert np.mean(loss) < 0.01


def test_trust_grows_from_none_to_all_with_the_gain_in_standard_errors(rng):
    y, base = np.ones(100), np.zeros(100)
    part = Outside(np.empty((100, 0)), base, y, np.ones(100))
    noise = rng.normal(size=100)
    levels = [trust(part, shift + 0.5 * noise) for shift in (-0.2, 0.0, 0.1, 0.2, 0.5)]
    assert levels == sorted(levels)
    assert levels[0] == 0
    assert levels[-1] == 1


def test_weight_two_counts_as_much_trust_as_weight_one_everywhere(rng):
    part = rows(rng, 100, gain=0.3)
    blend = blended(part, fit_many(part, None))
    assert trust(part, blend) == trust(part._replace(weight=2 * part.weight), blend)


def test_cross_fitting_never_uses_a_rows_own_response(rng):
    part = rows(rng, 40, gain=0.5)
    blend = cross_fit(part, lambda some: fit_many(some, None), np.random.RandomState(0))
    changed = part._replace(y=part.y + 100 * (np.arange(40) == 7))
    again = cross_fit(changed, lambda some: fit_many(some, None), np.random.RandomState(0))
    assert blend[7] == again[7]
    assert not np.allclose(blend, again)


def test_a_fixed_mixing_asks_no_guard(rng):
    tuned = tune(rows(rng, 50, gain=0.0), False, 0.4, np.random.RandomState(0))
    assert tuned.trust == 1.0
    assert tuned.share.sum() == 0.4
