"""Scores of left-out rows: plain conformal where spreads are equal, local where noise differs."""

import itertools

import numpy as np
import pytest

from heedful._flow import intervals as calibration
from heedful._flow.intervals import FEWEST, POWERS, SCORED, Residuals, calibrate, choose_powers, compared
from heedful._flow.spread import FLOOR, PRIOR, Columns
from heedful._folds import Split, random_splits
from heedful.attention import attend
from reference import intervals as twin

COVERAGES = (0.1, 0.5, 0.8, 0.9, 0.95, 0.99)


class Line:
    """Rows on a line that attend to their neighbours; noise is louder in the right half, which a column may tell."""

    def __init__(self, rng, n=200, weight=None, loud=3.0, width=0.05, told=False):
        self.x = np.sort(rng.uniform(size=n))
        self.weight = np.ones(n) if weight is None else weight / weight.mean()
        self.size = np.abs(np.where(self.x > 0.5, loud, 1.0) * rng.normal(size=n))
        self.table, self.width = (self.x if told else np.zeros(n))[:, None], width

    def scores(self, x):
        return -np.abs(np.subtract.outer(x, self.x)) / self.width

    def attend_left_out(self, rows):
        scores = self.scores(self.x[rows])
        scores[np.arange(rows.size), rows] = -np.inf
        return self.attend_by(scores)

    def attend_by(self, scores):
        return attend(scores, sample_weight=self.weight)

    def calibrate(self, splits=(), attends=True, n_jobs=None):
        columns = Columns(self.table, np.zeros(1, dtype=bool))
        rows = Residuals(np.arange(self.x.size), self.size, self.weight, columns, list(splits))
        return calibrate(rows, self.attend_left_out if attends else None, n_jobs)

    def half_widths(self, x, coverage, found=None):
        found = found or self.calibrate()
        told = x if self.table.any() else np.zeros(x.size)
        around = found.attended(self.attend_by(self.scores(x))) if found.attends else 1.0
        return found.quantile(coverage) * around * found.by_columns(told[:, None])


@pytest.fixture(params=["equal weights", "sample weights"])
def line(rng, request):
    return Line(rng, weight=None if request.param == "equal weights" else rng.uniform(0.5, 2.0, size=200))


def test_scores_by_attention_equal_the_twin(line):
    found, dense = line.calibrate(), line.attend_left_out(np.arange(200)).toarray()
    assert found.powers[1] > 0.5
    around = [twin.attended_left_out(i, dense[i], line.weight, line.size, PRIOR) for i in range(200)]
    by_columns = found.forest.of_left_out(np.arange(200))
    score = line.size / (by_columns ** found.powers[0] * np.array(around) ** found.powers[1])
    np.testing.assert_allclose(found.score, score, rtol=1e-10)


@pytest.mark.parametrize("coverage", COVERAGES)
def test_half_widths_by_attention_equal_the_twin(line, coverage):
    found, x = line.calibrate()._replace(powers=np.array([0.0, 1.0])), np.linspace(0, 1, 7)
    level, dense = np.average(line.size, weights=line.weight), line.attend_by(line.scores(x)).toarray()
    around = [twin.attended(row, line.size, level, PRIOR) for row in dense]
    reach = twin.conformal_reach(found.score, line.weight, coverage)
    np.testing.assert_allclose(line.half_widths(x, coverage, found), reach * np.array(around), rtol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_powers_are_those_of_the_largest_likelihood(rng, weighted):
    size, expected = rng.exponential(size=80), np.exp(rng.normal(size=(2, 80)))
    size = size * expected[0] ** 0.7
    weight = rng.uniform(0.2, 3.0, size=80) if weighted else np.ones(80)
    losses = {powers: twin.spread_loss(powers, size, expected, weight) for powers in itertools.product(POWERS, POWERS)}
    np.testing.assert_array_equal(choose_powers(size, np.log(expected), weight), min(losses, key=losses.get))


@pytest.mark.parametrize("coverage", COVERAGES)
@pytest.mark.parametrize("n", [1, 8, 9, 10, 29, 99, 300])
def test_equal_attention_and_equal_columns_give_split_conformal(rng, n, coverage):
    line = Line(rng, n=n, width=1e12)
    np.testing.assert_array_equal(line.half_widths(np.zeros(3), coverage), twin.split_conformal(line.size, coverage))


def test_too_few_rows_give_infinite_ends(rng):
    line = Line(rng)
    assert np.isinf(line.half_widths(np.zeros(2), 0.996)).all()
    assert np.isfinite(line.half_widths(np.zeros(2), 0.995)).all()


@pytest.mark.parametrize("how", [{"told": True, "width": 1e12}, {"told": False}, {"told": True}])
def test_intervals_are_wide_where_residuals_are_large_if_columns_or_attention_tell(rng, how):
    left, right = Line(rng, n=400, **how).half_widths(np.linspace(0.05, 0.95, 10), 0.9).reshape(2, 5).mean(axis=1)
    assert right > 2 * left


def test_more_coverage_never_makes_an_interval_smaller(line):
    found, x = line.calibrate(), np.linspace(0, 1, 20)
    widths = np.array([line.half_widths(x, coverage, found) for coverage in np.linspace(0.01, 0.999, 60)])
    assert (np.diff(widths[np.isfinite(widths).all(axis=1)], axis=0) >= 0).all()


@pytest.mark.parametrize("told", [False, True])
def test_the_unit_of_residuals_passes_through(rng, told):
    line, x = Line(rng, told=told), np.linspace(0, 1, 9)
    widths = line.half_widths(x, 0.9)
    line.size = 4 * line.size
    np.testing.assert_allclose(line.half_widths(x, 0.9), 4 * widths, rtol=1e-12)


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("folds", [[], random_splits(200, 4, 0)])
def test_the_residual_of_a_row_has_no_part_in_its_own_spread(rng, monkeypatch, told, folds):
    line = Line(rng, told=told)
    # powers, which are two numbers for all rows, are the one thing that it has a part in
    monkeypatch.setattr(calibration, "choose_powers", lambda *_: np.ones(2))
    order = np.concatenate([split.test for split in folds]) if folds else np.arange(200)
    place = int(np.flatnonzero(order == 7)[0])
    spreads = []
    for factor in (1.0, 5.0):
        line.size[7] *= factor
        spreads.append(line.size[order] / line.calibrate(folds).score)
    # the largest residual sets the digits that trees are grown with
    assert spreads[0][place] == pytest.approx(spreads[1][place], rel=1e-6)
    assert not np.allclose(spreads[0], spreads[1])


def test_rows_of_unknown_residual_have_no_part(rng):
    line = Line(rng, told=True)
    line.size[::4] = np.nan
    found = line.calibrate()
    np.testing.assert_array_equal(found.known.number, np.flatnonzero(np.arange(200) % 4))
    assert found.score.size == 150
    assert np.isfinite(line.half_widths(np.array([0.2, 0.8]), 0.9, found)).all()


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_any_number_of_jobs_gives_the_same_bits(rng, n_jobs):
    line = Line(rng, n=700, told=True)
    np.testing.assert_array_equal(line.calibrate().score, line.calibrate(n_jobs=n_jobs).score)


def test_rows_without_noise_leave_spreads_above_nothing(rng):
    line = Line(rng, told=True)
    line.size[line.x < 0.5] = 0.0
    widths = line.half_widths(np.array([0.1, 0.9]), 0.9)
    assert 0 < widths[0] < 0.5 * widths[1]
    assert (line.calibrate().forest.of(line.table) >= FLOOR * line.size.mean() * (1 - 1e-12)).all()


def test_residuals_of_nothing_leave_intervals_without_width(rng):
    line = Line(rng)
    line.size = np.zeros(200)
    np.testing.assert_array_equal(line.half_widths(np.zeros(2), 0.9), 0.0)


def test_a_row_is_compared_with_the_rows_that_its_fold_was_fitted_to(rng):
    splits = random_splits(90, 3, 0)
    pairs = compared(np.arange(90), splits)
    for (rows, others), split in zip(pairs, splits, strict=True):
        np.testing.assert_array_equal(rows, np.sort(split.test))
        np.testing.assert_array_equal(others, np.sort(split.train))


def test_rows_whose_fold_was_fitted_to_rows_of_unknown_residual_are_not_told_apart(rng):
    line = Line(rng, told=True)
    line.size[:100] = np.nan
    assert not line.calibrate([Split(np.arange(100), np.arange(100, 200))]).powers.any()


def test_few_rows_are_all_alike(rng):
    assert compared(np.arange(FEWEST - 1), []) == []
    assert len(compared(np.arange(FEWEST), [])) == 1


@pytest.mark.parametrize("attends", [False, True])
def test_folds_tell_rows_apart_too(rng, attends):
    found = Line(rng, n=300, told=not attends).calibrate(random_splits(300, 5, 0), attends)
    assert found.powers[int(attends)] > 0
    assert found.attends == attends
    assert found.score.size == 300


def test_of_many_rows_some_are_scored_and_every_part_of_the_table_has_its_share():
    ((rows, others),) = compared(np.arange(10 * SCORED), [])
    assert others.size == 10 * SCORED
    np.testing.assert_allclose(np.histogram(rows, 10)[0], SCORED / 10, atol=1)


def test_a_row_that_several_folds_leave_out_is_scored_once():
    splits = random_splits(90, 3, 0) + random_splits(90, 3, 1)
    pairs = compared(np.arange(90), splits)
    np.testing.assert_array_equal(np.sort(np.concatenate([rows for rows, _ in pairs])), np.arange(90))
    for (rows, others), split in zip(pairs, splits, strict=False):
        assert np.isin(rows, split.test).all()
        np.testing.assert_array_equal(others, split.train)
