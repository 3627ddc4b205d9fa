"""The best cut of a column against all of its cuts, for slopes that need not add up to nothing."""

import numpy as np
import pytest

from heedful._kernels.shapes import MISSING, N_FOUND
from heedful._kernels.stumps import scan_column, scan_numbers, weigh_cuts

N_BINS = 6


def gain_of(pull, bend, slope, curve, ridge):
    rest, left = slope - pull, curve - bend
    return pull**2 / (bend + ridge) + rest**2 / (left + ridge) - slope**2 / (curve + ridge)


def goes(pull, bend, slope, curve, ridge, sign):
    """Return whether the step on the right is above that on the left (sign 1), or below (-1)."""
    return sign * ((slope - pull) / (curve - bend + ridge) - pull / (bend + ridge)) >= 0


def best_gain(pulls, bends, lost, how, sign):
    """Return the largest gain of all cuts of bins in order; ``lost`` are slope and curvature of missing cells."""
    (ridge, least), slope, curve = how, pulls.sum() + lost[0], bends.sum() + lost[1]
    best = 0.0
    for cut in range(1, pulls.size + (lost[1] > 0)):
        for side in (0, 1) if lost[1] > 0 and cut < pulls.size else (0,):
            part = (pulls[:cut].sum() + side * lost[0], bends[:cut].sum() + side * lost[1], slope, curve, ridge)
            enough = min(part[1], curve - part[1]) >= least
            if enough and (cut == pulls.size or goes(*part, sign)):
                best = max(best, gain_of(*part))
    return best


@pytest.mark.parametrize("how", [(0.5, 0.1), (5.0, 2.0)])
@pytest.mark.parametrize("sign", [0.0, 1.0, -1.0])
@pytest.mark.parametrize("missing", [False, True])
def test_the_best_cut_of_numbers_is_the_best_of_all(rng, how, sign, missing):
    for _ in range(40):
        tally, order, found = np.zeros((256, 2)), np.zeros(256, np.int64), np.zeros(N_FOUND)
        tally[:N_BINS] = np.column_stack([rng.normal(rng.normal(), 1.0, N_BINS), rng.uniform(0.5, 3.0, N_BINS)])
        lost = (rng.normal(), rng.uniform(0.5, 3.0)) if missing else (0.0, 0.0)
        tally[MISSING] = lost
        scan_column(tally, 0, N_BINS, False, sign, 0.0, np.array(how), order, found)
        assert found[0] == pytest.approx(best_gain(*tally[:N_BINS].T, lost, how, sign), abs=1e-12)


@pytest.mark.parametrize("how", [(0.5, 0.1), (5.0, 2.0)])
@pytest.mark.parametrize("sign", [0.0, 1.0, -1.0])
def test_series_side_by_side_have_the_cuts_that_each_has_alone(rng, how, sign):
    pulls, bends = rng.normal(rng.normal(size=50), 1.0, (N_BINS, 50)), rng.uniform(0.5, 3.0, (N_BINS, 50))
    shares, running = np.empty((N_BINS, 2, 50)), np.empty((5, 50))
    weigh_cuts(bends, shares, np.array(how))
    scan_numbers(pulls, N_BINS, sign, bends, shares, np.array(how), running)
    expected = [best_gain(*series, (0.0, 0.0), how, sign) for series in zip(pulls.T, bends.T, strict=True)]
    np.testing.assert_allclose(running[3], expected, atol=1e-12)
