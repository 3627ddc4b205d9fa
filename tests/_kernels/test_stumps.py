"""The best cut of a column against all of its cuts, for slopes that need not add up to nothing."""

import numpy as np
import pytest

from heedful._kernels.shapes import MISSING, StumpRule
from heedful._kernels.stumps import scan_column, scan_numbers, weigh_cuts

N_BINS = 6


def gain_of(left, curve, slope, hessian, ridge):
    rest = slope - left
    return left**2 / (curve + ridge) + rest**2 / (hessian - curve + ridge) - slope**2 / (hessian + ridge)


def goes(left, curve, slope, hessian, ridge, sign):
    """Return whether the step on the right is above that on the left (sign 1), or below (-1)."""
    return sign * ((slope - left) / (hessian - curve + ridge) - left / (curve + ridge)) >= 0


def best_gain(slopes, hessians, lost, rule, sign):
    """Return the largest gain of all cuts of bins in order; ``lost`` are slope and hessian of missing cells."""
    slope, hessian = slopes.sum() + lost[0], hessians.sum() + lost[1]
    best = 0.0
    for cut in range(1, slopes.size + (lost[1] > 0)):
        for side in (0, 1) if lost[1] > 0 and cut < slopes.size else (0,):
            left, curve = slopes[:cut].sum() + side * lost[0], hessians[:cut].sum() + side * lost[1]
            part = (left, curve, slope, hessian, rule.ridge)
            enough = min(curve, hessian - curve) >= rule.min_hessian
            if enough and (cut == slopes.size or goes(*part, sign)):
                best = max(best, gain_of(*part))
    return best


RULES = pytest.mark.parametrize("rule", [StumpRule(0.5, 0.1, 1.0), StumpRule(5.0, 2.0, 1.0)])


@RULES
@pytest.mark.parametrize("sign", [0.0, 1.0, -1.0])
@pytest.mark.parametrize("missing", [False, True])
def test_the_best_cut_of_numbers_is_the_best_of_all(rng, rule, sign, missing):
    for _ in range(40):
        tally, order = np.zeros((256, 2)), np.zeros(256, np.int64)
        tally[:N_BINS] = np.column_stack([rng.normal(rng.normal(), 1.0, N_BINS), rng.uniform(0.5, 3.0, N_BINS)])
        lost = (rng.normal(), rng.uniform(0.5, 3.0)) if missing else (0.0, 0.0)
        tally[MISSING] = lost
        cut = scan_column(tally, 0, N_BINS, False, sign, 0.0, rule, order)
        assert cut.gain == pytest.approx(best_gain(*tally[:N_BINS].T, lost, rule, sign), abs=1e-12)


@RULES
@pytest.mark.parametrize("sign", [0.0, 1.0, -1.0])
def test_series_side_by_side_have_the_cuts_that_each_has_alone(rng, rule, sign):
    slopes, hessians = rng.normal(rng.normal(size=50), 1.0, (N_BINS, 50)), rng.uniform(0.5, 3.0, (N_BINS, 50))
    inverses, running = np.empty((N_BINS, 2, 50)), np.empty((5, 50))
    weigh_cuts(hessians, inverses, rule)
    scan_numbers(slopes, N_BINS, sign, hessians, inverses, rule, running)
    expected = [best_gain(*series, (0.0, 0.0), rule, sign) for series in zip(slopes.T, hessians.T, strict=True)]
    np.testing.assert_allclose(running[3], expected, atol=1e-12)
