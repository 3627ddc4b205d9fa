"""Averages over an arm, over rows where arms overlap, and over groups of rows."""

import numpy as np
import pandas as pd
import pytest
from tests._effects.cases import draw_rows, rescale, swap
from tests.reference import averages as slow

from heedful._effects.average import average_effect, target_scores
from heedful._effects.by_group import average_by_group, find_groups
from heedful._effects.scores import EffectRows, read_rows

ARMS, TARGETS = ("treated", "control"), ("all", "treated", "control", "overlap")


@pytest.mark.parametrize("target", ARMS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_groups", [None, 12])
def test_the_effect_on_an_arm_is_that_of_grf(rng, target, weighted, n_groups):
    rows = draw_rows(rng, 80, weighted=weighted, n_groups=n_groups)
    found = average_effect(rows, target=target)
    assert found.effect == pytest.approx(slow.grf_average(rows, target), rel=1e-10)
    assert found.standard_error == pytest.approx(slow.grf_error(rows, target), rel=1e-6)
    inside = rows.treatment == (target == "treated")
    assert found.n_rows == inside.sum()
    assert found.n_groups == (None if n_groups is None else np.unique(rows.groups[inside]).size)


@pytest.mark.parametrize("n_groups", [None, 12])
@pytest.mark.parametrize("amounts", [False, True])
def test_where_arms_overlap_it_is_residuals_regressed_on_residuals(rng, amounts, n_groups):
    rows = draw_rows(rng, 80, weighted=True, n_groups=n_groups, amounts=amounts)
    found = average_effect(rows, target="overlap")
    assert (found.effect, found.standard_error) == pytest.approx(slow.residual_regression(rows), rel=1e-10)
    assert found.n_rows == 80


def test_with_a_fair_coin_and_one_outcome_for_all_it_is_the_difference_of_means(rng):
    treatment = np.r_[np.ones(30), np.zeros(30)]
    y = rng.normal(size=60) + treatment
    rows = read_rows(y, treatment, y.mean(), 0.5, 0.0)
    difference = y[:30].mean() - y[30:].mean()
    for target in TARGETS:
        assert average_effect(rows, target=target).effect == pytest.approx(difference)


def test_both_arms_together_are_everyone(rng):
    """Exactly where the other arm's weights sum to the arm; else within what scaling them does."""
    rows = draw_rows(rng, 400, weighted=True)
    share = np.average(rows.treatment, weights=rows.weight)
    parts = {target: slow.unscaled_average(rows, target) for target in ARMS}
    whole = average_effect(rows)
    assert share * parts["treated"] + (1 - share) * parts["control"] == pytest.approx(whole.effect, rel=1e-12)
    found = {target: average_effect(rows, target=target).effect for target in ARMS}
    mixed = share * found["treated"] + (1 - share) * found["control"]
    assert mixed == pytest.approx(whole.effect, abs=whole.standard_error)
    even = read_rows(rows.y, rows.treatment, rows.outcome, share, rows.effect, weight=rows.weight)
    found = {target: average_effect(even, target=target).effect for target in ARMS}
    mixed = share * found["treated"] + (1 - share) * found["control"]
    assert mixed == pytest.approx(average_effect(even).effect, rel=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_units_arms_order_copies_and_rows_of_no_weight(rng, target):
    rows = draw_rows(rng, 60, weighted=True)
    plain = average_effect(rows, target=target)
    other = average_effect(rescale(rows, 5.0, 2.0), target=target)
    assert (other.effect, other.standard_error) == pytest.approx((5 * plain.effect, 5 * plain.standard_error))
    turned = {"treated": "control", "control": "treated"}.get(target, target)
    flipped = average_effect(swap(rows), target=turned)
    assert (flipped.effect, flipped.low, flipped.n_rows) == pytest.approx((-plain.effect, -plain.high, plain.n_rows))
    order = rng.permutation(60)
    assert average_effect(EffectRows(*(part[order] for part in rows)), target=target).low == pytest.approx(plain.low)
    count = rng.integers(0, 3, 60)
    weighted = average_effect(rows._replace(weight=1.0 * count), target=target)
    copies = EffectRows(*(np.repeat(part, count) for part in rows))._replace(weight=np.ones(count.sum()))
    copied = average_effect(copies, target=target)
    assert (weighted.effect, weighted.standard_error) == pytest.approx((copied.effect, copied.standard_error))


@pytest.mark.parametrize("target", TARGETS)
def test_the_mean_of_scores_is_the_average(rng, target):
    rows = draw_rows(rng, 60, weighted=True)
    score = target_scores(rows, target)
    assert np.average(score, weights=rows.weight) == pytest.approx(average_effect(rows, target=target).effect)


def test_effects_that_follow_the_propensity_differ_between_targets(rng):
    x = rng.normal(size=40_000)
    e = 1 / (1 + np.exp(-x))
    w = (rng.uniform(size=x.size) < e) * 1.0
    rows = read_rows(w * x + rng.normal(size=x.size), w, e * x + 0.3, e, x - 0.2)
    truth = {"all": 0.0, "treated": np.average(x, weights=e), "control": np.average(x, weights=1 - e), "overlap": 0.0}
    for target, mean in truth.items():
        found = average_effect(rows, target=target)
        assert abs(found.effect - mean) < 4 * found.standard_error


def test_what_an_average_says_of_whom_it_is_over(rng):
    rows = draw_rows(rng, 50)
    n_treated = int(rows.treatment.sum())
    said = [repr(average_effect(rows, target=target)).splitlines()[0] for target in TARGETS]
    assert said == [
        "Average effect over 50 rows",
        f"Average effect on the treated, {n_treated} rows",
        f"Average effect on the untreated, {50 - n_treated} rows",
        "Average effect weighted by overlap, 50 rows",
    ]


def test_targets_without_meaning_are_errors(rng):
    rows, amounts = draw_rows(rng, 40), draw_rows(rng, 40, amounts=True)
    with pytest.raises(ValueError, match=r"`target` must be one of 'all', 'treated', 'control', 'overlap', got 'ATT'"):
        average_effect(rows, target="ATT")
    with pytest.raises(ValueError, match=r"must be 'all' or 'overlap' for a continuous treatment, got 'treated'"):
        average_effect(amounts, target="treated")
    one = (rows.treatment == 0) | (np.arange(40) == np.flatnonzero(rows.treatment)[0])
    with pytest.raises(ValueError, match=r"needs at least 2 treated rows \(or groups\) to compare with, got 1"):
        average_effect(rows, one, target="control")
    same = read_rows(rows.y[:4], np.ones(4), 0.0, 0.5, 0.0)
    with pytest.raises(ValueError, match=r"got none among these rows. Widen `subset`"):
        average_effect(same, target="overlap")


@pytest.mark.parametrize("target", TARGETS)
def test_averages_by_group_are_those_of_subsets(rng, target):
    rows = draw_rows(rng, 200, weighted=True, n_groups=60)
    labels = pd.Series(rng.choice(["b", "a", "c"], 200), name="site")
    subset = rng.uniform(size=200) < 0.8
    table = average_by_group(rows, labels, subset, target=target, coverage=0.8)
    assert table.index.tolist() == ["a", "b", "c"]
    assert table.index.name == "site"
    for label, line in table.iterrows():
        alone = average_effect(rows, subset & (labels == label).to_numpy(), target=target, coverage=0.8)
        assert line.tolist() == [getattr(alone, name) for name in table.columns]
    assert table["n_rows"].dtype.kind == "i"


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        ([3.0, 1.0, np.nan], [1.0, 3.0, np.nan]),
        (["b", None, "a"], ["a", "b", np.nan]),
        ([True, False], [False, True]),
        (pd.Categorical(["low", "high", "low"], ["low", "high", "none"]), ["low", "high"]),
        (pd.array([2, 1, None], "Int64"), [1, 2, np.nan]),
        ([1, "a"], [1, "a"]),
    ],
)
def test_groups_are_in_order_and_missing_cells_the_last(labels, order):
    column = pd.Series(labels)
    found = find_groups(column, np.ones(len(column), dtype=bool))
    assert pd.Index(list(found), dtype=object).equals(pd.Index(order, dtype=object))
    assert sum(mask.sum() for mask in found.values()) == len(column)


def test_groups_of_no_row_inside_are_not_there():
    column = pd.Series(["a", "b", None])
    assert list(find_groups(column, np.array([True, False, False]))) == ["a"]


def test_groups_that_are_too_many_or_too_small_are_errors(rng):
    rows = draw_rows(rng, 60)
    with pytest.raises(ValueError, match=r"`by` must have at most 30 groups, got 60. Cut numeric labels into ranges"):
        average_by_group(rows, pd.Series(rows.y))
    few = pd.Series(np.where(np.arange(60) == 7, "rare", "often"))
    with pytest.raises(ValueError, match=r"group 'rare' of `by`, which has 1 rows: .*Merge groups that are too small"):
        average_by_group(rows, few)
