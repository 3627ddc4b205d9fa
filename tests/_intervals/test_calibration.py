"""Intervals from residuals of left-out rows: plain conformal where rows are alike, local where they are not."""

import numpy as np
import pytest

from heedful import _blocks
from heedful._intervals.calibration import (
    FEWEST,
    MOST_LOCAL,
    RANKED,
    Widths,
    calibrate,
    compared,
    effective,
    localise,
    most_local,
    pinball,
    plain_ranks,
    row_choices,
)
from heedful.attention import attend
from heedful.baseline._folds import Split, random_splits
from reference.intervals import evened, left_out_rank, local_half_width, split_conformal, weight_below

COVERAGES = (0.1, 0.5, 0.8, 0.9, 0.95, 0.99)


class Line:
    """Rows on a line that attend to their neighbours; the noise of the right half is three times that of the left."""

    def __init__(self, rng, n=200, weight=None, loud=3.0, width=0.05):
        self.x = np.sort(rng.uniform(size=n))
        self.weight = np.ones(n) if weight is None else weight / weight.mean()
        self.residual = np.where(self.x > 0.5, loud, 1.0) * rng.normal(size=n)
        self.size, self.width = np.abs(self.residual), width

    def scores(self, x):
        return -np.abs(np.subtract.outer(x, self.x)) / self.width

    def attend_left_out(self, rows):
        scores = self.scores(self.x[rows])
        scores[np.arange(rows.size), rows] = -np.inf
        return attend(scores, sample_weight=self.weight)

    def calibrate(self, splits=(), n_jobs=None):
        return calibrate(self.residual, self.weight, self.attend_left_out, list(splits), n_jobs)

    def half_widths(self, x, coverage, calibration=None, n_jobs=None):
        widths = Widths(calibration or self.calibrate(n_jobs=n_jobs), coverage)
        if widths.same is not None:
            return np.full(x.size, widths.same)
        return np.concatenate([widths.of(self.attend(x[block])) for block in _blocks.cut(x.size, 1, n_jobs)])

    def attend(self, x):
        return attend(self.scores(x), sample_weight=self.weight)


@pytest.fixture(params=["equal weights", "sample weights"])
def line(rng, request):
    return Line(rng, weight=None if request.param == "equal weights" else rng.uniform(0.5, 2.0, size=200))


def test_ranks_equal_the_twin(line):
    found = line.calibrate()
    assert np.isfinite(found.n_rows)
    dense = line.attend_left_out(np.arange(200)).toarray()
    shared = (line.weight, line.size, found.n_rows, MOST_LOCAL)
    twin = [left_out_rank(row, dense[row], *shared) for row in range(200)]
    np.testing.assert_allclose(found.rank, twin, atol=1e-5)


@pytest.mark.parametrize("coverage", COVERAGES)
def test_half_widths_equal_the_twin(line, coverage):
    found, x = line.calibrate(), np.linspace(0, 1, 7)
    shared = (line.weight, line.size, found.rank, coverage, found.n_rows, MOST_LOCAL)
    twin = [local_half_width(row, *shared) for row in line.attend(x).toarray()]
    np.testing.assert_array_equal(line.half_widths(x, coverage, found), twin)


@pytest.mark.parametrize("coverage", COVERAGES)
@pytest.mark.parametrize("n", [1, 8, 9, 10, 99, 300])
def test_without_attention_it_is_split_conformal(rng, n, coverage):
    residual = rng.normal(size=n)
    found = calibrate(residual, np.ones(n), None, [], None)
    np.testing.assert_array_equal(Widths(found, coverage).same, split_conformal(np.abs(residual), coverage))


@pytest.mark.parametrize("coverage", COVERAGES)
def test_equal_attention_gives_split_conformal_however_it_is_ranked(rng, coverage):
    line = Line(rng, width=1e12)
    found = line.calibrate()
    np.testing.assert_array_equal(line.half_widths(np.zeros(3), coverage, found), split_conformal(line.size, coverage))


def test_too_few_rows_give_infinite_ends(rng):
    line = Line(rng)
    assert np.isinf(line.half_widths(np.zeros(2), 0.996)).all()
    assert np.isfinite(line.half_widths(np.zeros(2), 0.995)).all()


def test_intervals_are_wide_where_residuals_are_large(rng):
    left, right = Line(rng).half_widths(np.array([0.2, 0.8]), 0.9)
    assert right > 1.8 * left


def test_more_coverage_never_makes_an_interval_smaller(line):
    found, x = line.calibrate(), np.linspace(0, 1, 20)
    widths = np.array([line.half_widths(x, coverage, found) for coverage in np.linspace(0.01, 0.999, 60)])
    assert (np.diff(widths[np.isfinite(widths).all(axis=1)], axis=0) >= 0).all()


def test_as_many_left_out_rows_as_asked_for_lie_inside_their_own_intervals(line):
    found = line.calibrate()
    local = localise(line.attend_left_out(np.arange(200)), found.n_rows).without(np.arange(200))
    inside = line.size <= found.order.quantile(local, found.level(0.9))
    assert np.average(inside, weights=line.weight) == pytest.approx(0.9, abs=0.02)


def test_rows_of_unknown_residual_have_no_part(rng):
    line = Line(rng)
    line.residual[::4] = np.nan
    found = line.calibrate()
    np.testing.assert_array_equal(found.known, np.flatnonzero(np.arange(200) % 4))
    assert found.rank.size == 150
    line.scores = lambda x: np.where(np.arange(200) % 4, Line.scores(line, x), 50.0)
    assert np.isfinite(line.half_widths(np.array([0.2, 0.8]), 0.9, found)).all()


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_any_number_of_jobs_gives_the_same_bits(rng, n_jobs):
    line, x = Line(rng, n=700), np.linspace(0, 1, 50)
    np.testing.assert_array_equal(line.half_widths(x, 0.9), line.half_widths(x, 0.9, n_jobs=n_jobs))


def test_few_rows_are_all_alike(rng):
    assert np.isinf(Line(rng, n=int(2 * FEWEST) - 1).calibrate().n_rows)
    assert row_choices(np.ones(240)) == [np.inf, 120.0, 60.0, 30.0]


def test_a_loss_that_locality_makes_larger_speaks_against_it(rng):
    noise = rng.normal(size=(300, 1))
    assert most_local(noise + np.array([1.0, 1.2, 1.5]) + 0.1 * rng.normal(size=(300, 3)), np.ones(300)) == 0
    assert most_local(noise + np.array([1.5, 1.0, 1.2]) + 0.1 * rng.normal(size=(300, 3)), np.ones(300)) == 1
    assert most_local(np.ones((300, 3)), np.ones(300)) == 2


@pytest.mark.parametrize("n_rows", [30.0, 60.0, 120.0])
def test_localised_attention_stands_for_as_many_rows_as_asked_for_or_more(line, n_rows):
    attention = line.attend(np.linspace(0, 1, 9))
    local = localise(attention, n_rows)
    wanted = np.clip(n_rows, None, effective(line.weight))
    assert (local.n_eff >= wanted * (1 - 1e-9)).all()
    twin = [evened(row, line.weight, n_rows, MOST_LOCAL) for row in attention.toarray()]
    np.testing.assert_allclose(local.toarray(), twin, atol=2e-6)


def test_a_row_is_compared_with_the_rows_that_its_fold_was_fitted_to(rng):
    splits = random_splits(90, 3, 0)
    pairs = compared(np.arange(90), splits)
    for (rows, others), split in zip(pairs, splits, strict=True):
        np.testing.assert_array_equal(rows, np.sort(split.test))
        np.testing.assert_array_equal(others, np.sort(split.train))


def test_rows_whose_fold_was_fitted_to_rows_of_unknown_residual_are_not_ranked(rng):
    line = Line(rng)
    line.residual[:100] = np.nan
    assert np.isinf(line.calibrate([Split(np.arange(100), np.arange(100, 200))]).n_rows)


def test_folds_localise_too(rng):
    found = Line(rng, n=300).calibrate(random_splits(300, 5, 0))
    assert np.isfinite(found.n_rows)
    assert found.rank.size == 300


def test_of_many_rows_some_are_ranked_and_every_part_of_the_table_has_its_share():
    ((rows, others),) = compared(np.arange(10 * RANKED), [])
    assert others.size == 10 * RANKED
    np.testing.assert_allclose(np.histogram(rows, 10)[0], RANKED / 10, atol=1)


@pytest.mark.parametrize("level", [0.1, 0.8])
def test_the_pinball_loss_is_smallest_at_the_quantile(rng, level):
    values = rng.normal(size=500)
    losses = [pinball(values - guess, level).sum() for guess in np.sort(values)]
    assert np.argmin(losses) == pytest.approx(500 * level, abs=1)


def test_plain_ranks_are_shares_of_the_weight_of_all_others(rng):
    size, weight = np.round(rng.exponential(size=30), 1), rng.uniform(0.2, 3.0, size=30)
    others = [np.delete(weight, row) / np.delete(weight, row).sum() for row in range(30)]
    twin = [weight_below(others[row], np.delete(size, row), size[row]) for row in range(30)]
    np.testing.assert_allclose(plain_ranks(size, weight), twin, atol=1e-12)


def test_a_row_that_several_folds_leave_out_is_ranked_once():
    splits = random_splits(90, 3, 0) + random_splits(90, 3, 1)
    pairs = compared(np.arange(90), splits)
    np.testing.assert_array_equal(np.sort(np.concatenate([rows for rows, _ in pairs])), np.arange(90))
    for (rows, others), split in zip(pairs, splits, strict=False):
        assert np.isin(rows, split.test).all()
        np.testing.assert_array_equal(others, split.train)
