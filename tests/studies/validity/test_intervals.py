"""Intervals cover quiet and loud rows alike: 90 % of them, over several draws of each kind of noise."""

import numpy as np
import pytest

from benchmarks.intervals.__main__ import NOISE, halves
from heedful import AttentionLasso

N_DRAWS, N_ROWS, N_NEW = 6, 500, 2000


@pytest.mark.one_value
@pytest.mark.parametrize("noise", [kind for kind in NOISE if kind != "two columns cross"])
def test_both_halves_by_noise_are_covered(noise):
    shares = []
    for seed in range(N_DRAWS):
        X, y, loud = halves(N_ROWS + N_NEW, seed, noise)
        model = AttentionLasso(random_state=seed).fit(X[:N_ROWS], y[:N_ROWS])
        low, high = model.predict_interval(X[N_ROWS:]).T
        inside, loud = (low <= y[N_ROWS:]) & (y[N_ROWS:] <= high), loud[N_ROWS:] == 1
        shares.append([inside.mean(), inside[~loud].mean(), inside[loud].mean()])
    every, quiet, noisy = np.mean(shares, axis=0)
    assert 0.88 <= every <= 0.92
    assert 0.85 <= quiet <= 0.95
    assert 0.85 <= noisy <= 0.95
