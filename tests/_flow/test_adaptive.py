"""Adaptive mixing: one Newton step per query, and its shrinkage."""

import numpy as np
import pytest

from heedful._flow import OutOfFold
from heedful._flow.adaptive import PRIOR_ROWS, adapt, gather_errors, gather_evidence as gather
from heedful.attention import attend
from reference.differences import differences
from reference.heads import LOSSES, made_up_heads
from reference.rows import numbers_of


def gather_evidence(base, heads, family, weight, overall, rows=slice(None)):
    """Return the evidence of one head on some rows of a table."""
    number = np.arange(weight.size)[rows]
    oof = OutOfFold(heads[rows, None], base[rows], family.part(number), weight[rows], number=number)
    return gather(oof, np.ones(1), weight, overall)


@pytest.fixture
def known(rng):
    y, base = rng.normal(size=50), rng.normal(size=50)
    return numbers_of(y), base, 0.6 * y + 0.4 * rng.normal(size=50)


def test_it_minimises_the_weighted_error_plus_the_prior(rng, known):
    family, base, heads = known
    attention = attend(rng.normal(size=(1, 50)))
    evidence = gather_evidence(base, heads, family, np.ones(50), 0.5)
    grid = np.linspace(0, 1, 10_001)
    errors = (family.y - base - np.outer(grid, heads - base)) ** 2 @ attention.toarray()[0]
    penalty = PRIOR_ROWS * evidence.mean_hessian / 2 * (grid - 0.5) ** 2
    best = grid[np.argmin(attention.n_eff[0] * errors + penalty)]
    assert adapt(attention, evidence)[0] == pytest.approx(best, abs=2e-4)


def test_equal_weights_over_many_rows_give_the_global_closed_form(rng):
    y, base = rng.normal(size=20_000), rng.normal(size=20_000)
    heads = 0.5 * y + 0.5 * base + 0.5 * rng.normal(size=20_000)
    evidence = gather_evidence(base, heads, numbers_of(y), np.ones(y.size), 0.0)
    step = heads - base
    overall = float(np.clip(step @ (y - base) / (step @ step), 0, 1))
    assert adapt(attend(np.zeros((1, y.size))), evidence)[0] == pytest.approx(overall, abs=0.01)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("overall", [0.2, 0.8])
def test_evidence_is_slope_and_curvature_of_each_rows_loss_along_the_way(rng, loss, overall):
    part = made_up_heads(rng, loss)
    base, heads = part.baseline, part.heads[:, 0]

    def cost(mixing):
        return part.family.losses(base + mixing * (heads - base)).value

    evidence = gather_evidence(base, heads, part.family, part.weight, overall)
    at = np.array(overall)
    np.testing.assert_allclose(evidence.gradient, -differences(cost, at), rtol=1e-5, atol=1e-8)
    second = differences(lambda mixing: differences(cost, mixing, 1e-4), at, 1e-4)
    np.testing.assert_allclose(evidence.hessian, second, rtol=1e-3, atol=1e-5)
    assert evidence.mean_hessian == pytest.approx(evidence.hessian.mean())


@pytest.mark.parametrize("loss", LOSSES)
def test_a_query_that_attends_to_rows_where_heads_are_right_gets_more_of_them(rng, loss):
    part = made_up_heads(rng, loss, 200, 1)
    evidence = gather_evidence(part.baseline, part.heads[:, 0], part.family, part.weight, 0.5)
    right = evidence.gradient > 0
    found = adapt(attend(np.where([right, ~right], 0.0, -np.inf)), evidence)
    assert found[0] > 0.5 > found[1]


@pytest.mark.parametrize("loss", LOSSES)
def test_it_stays_between_none_and_all(rng, loss):
    part = made_up_heads(rng, loss)
    evidence = gather_evidence(part.baseline, part.heads[:, 0], part.family, part.weight, 0.5)
    found = adapt(attend(rng.normal(size=(40, 60)), 0.1), evidence)
    assert (found >= 0).all()
    assert (found <= 1).all()


def test_few_effective_rows_cannot_swing_it():
    # heads that are right for every second row and as far off for the others: by its own rows alone a query that sees
    # the former would take all of them, one that sees the latter nothing
    y, base = np.zeros(200), np.ones(200)
    evidence = gather_evidence(base, np.where(np.arange(200) % 2, 0.0, 2.0), numbers_of(y), np.ones(200), 0.5)
    attended = np.array([1, 3, 10, 30, 100])
    rows = np.arange(200) // 2
    for side, whole in ((1, 0.5), (0, -1.5)):
        seen = (rows < attended[:, None]) & (np.arange(200) % 2 == side)
        moved = adapt(attend(np.where(seen, 0.0, -np.inf)), evidence) - 0.5
        np.testing.assert_allclose(moved, np.maximum(whole * attended / (attended + 30), -0.5))


@pytest.mark.one_value
@pytest.mark.parametrize("loss", LOSSES)
def test_rows_without_a_prediction_give_no_evidence(rng, loss):
    part = made_up_heads(rng, loss)
    evidence = gather_evidence(part.baseline, part.heads[:, 0], part.family, part.weight, 0.5, slice(25, None))
    every = gather_evidence(part.baseline, part.heads[:, 0], part.family, part.weight, 0.5)
    for some, all_rows in zip(evidence[:2], every[:2], strict=True):
        np.testing.assert_array_equal(some, np.where(np.arange(60) < 25, 0.0, all_rows))
    assert evidence.mean_hessian == pytest.approx(evidence.hessian.mean())


@pytest.mark.parametrize("loss", LOSSES)
def test_heads_that_equal_the_baseline_leave_the_overall_value(rng, loss):
    part = made_up_heads(rng, loss)
    evidence = gather_evidence(part.baseline, part.baseline, part.family, part.weight, 0.3)
    np.testing.assert_array_equal(adapt(attend(np.zeros((2, 60))), evidence), 0.3)


@pytest.mark.parametrize("loss", LOSSES)
def test_of_listed_mixings_each_query_takes_the_one_with_the_smallest_weighted_error(rng, loss):
    part, mixings = made_up_heads(rng, loss), (0.0, 0.3, 0.6, 1.0)
    heads, number = part.heads[:, 0], np.arange(9, 60)
    attention = attend(rng.normal(size=(20, 60)), 0.2, part.weight)
    oof = part.part(number)._replace(heads=heads[number, None], number=number)
    found = adapt(attention, gather_errors(oof, np.ones(1), 60, mixings))
    for weight, mixing in zip(attention.toarray(), found, strict=True):
        said = [(1 - m) * part.baseline + m * heads for m in mixings]
        errors = [(weight * part.family.losses(values).value)[9:].sum() for values in said]
        assert mixing == mixings[int(np.argmin(errors))]
    assert len(set(found)) > 1
