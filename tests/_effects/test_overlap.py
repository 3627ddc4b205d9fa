"""Overlap: effective rows, balance, propensities near 0 and 1, and words with a remedy."""

import numpy as np
import pandas as pd
import pytest
from tests._effects.cases import draw_rows, swap
from tests.reference import effects as slow

from heedful._effects.overlap import assess_overlap, effective_rows, inverse_weights, spread_columns
from heedful._effects.scores import EffectRows, read_rows


def study(rng, n_rows=2000, strength=1.0, **how):
    """Return columns and rows of a study in which the first column decides the treatment, so much."""
    table = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["age", "size", "noise"])
    propensity = 1 / (1 + np.exp(-strength * table["age"].to_numpy()))
    treatment = (rng.uniform(size=n_rows) < propensity) * 1.0
    return table, read_rows(np.zeros(n_rows), treatment, 0.0, propensity, 0.0, **how)


@pytest.mark.parametrize("weighted", [False, True])
def test_differences_are_those_of_weighted_means(rng, weighted):
    table, rows = study(rng, 60, weight=rng.uniform(0.1, 2.0, 60) if weighted else None)
    balance = assess_overlap(table, rows).balance
    inverse = [
        weight / (e if w == 1 else 1 - e)
        for weight, e, w in zip(rows.weight, rows.propensity, rows.treatment, strict=True)
    ]
    for name in table:
        column = table[name].to_numpy()
        expected = [
            slow.difference(column, rows.treatment, part, rows.weight) for part in (rows.weight, np.array(inverse))
        ]
        np.testing.assert_allclose(balance.loc[name, ["before", "after"]].astype(float), expected)
    assert balance["after"].abs().is_monotonic_decreasing


def count_rows(table, rows, count):
    """Return a study whose rows count so often, and the same with rows given that often."""
    again = np.repeat(np.arange(len(table)), count)
    return (table, rows._replace(weight=1.0 * count)), (table.iloc[again], EffectRows(*(part[again] for part in rows)))


@pytest.mark.parametrize("amounts", [False, True])
def test_balance_and_shares_of_weighted_rows_are_those_of_rows_given_that_often(rng, amounts):
    rows = draw_rows(rng, 80, amounts=amounts)
    table = pd.DataFrame({"age": rows.outcome, "site": rng.choice(["a", "b", None], 80)})
    weighted, again = (assess_overlap(*one) for one in count_rows(table, rows, rng.integers(0, 4, 80)))
    names = [name for name in weighted.balance if name != "chance"]
    expected = again.balance.loc[weighted.balance.index, names]
    np.testing.assert_allclose(weighted.balance[names], expected, atol=1e-12)
    assert (weighted.share_low, weighted.share_high) == pytest.approx((again.share_low, again.share_high))


def test_chance_is_the_spread_of_differences_where_there_are_none(rng):
    """Of columns that have nothing to do with the treatment, under weights of rows too."""
    weight = rng.uniform(0.1, 4.0, 300)
    table = pd.DataFrame(rng.normal(size=(300, 400)))
    for rows in (study(rng, 300, 2.0, weight=weight)[1], draw_rows(rng, 300, amounts=True)._replace(weight=weight)):
        balance = assess_overlap(table, rows).balance
        assert np.sqrt(((balance["after"] / balance["chance"]) ** 2).mean()) == pytest.approx(1.0, abs=0.15)


def test_effective_rows_of_amounts_are_by_what_is_left_of_them_squared(rng):
    rows = draw_rows(rng, 100, amounts=True, weighted=True)
    arms = assess_overlap(pd.DataFrame({"x": rows.outcome}), rows).arms.iloc[0]
    expected = [100, effective_rows(rows.weight), effective_rows(rows.weight * rows.treatment_left**2)]
    np.testing.assert_allclose(arms.to_numpy(dtype=np.float64), expected)


def test_the_true_propensity_balances_columns(rng):
    overlap = assess_overlap(*study(rng, 20_000))
    assert overlap.balance.loc["age", "before"] > 0.8
    assert (overlap.balance["after"].abs() < 3 * overlap.balance["chance"]).all()
    assert overlap.warnings == []
    assert overlap.verdict.startswith("Similar rows got different treatments")


def test_a_wrong_propensity_is_told_by_the_column_that_it_misses(rng):
    table, rows = study(rng)
    overlap = assess_overlap(table, rows._replace(propensity=np.full(2000, 0.5)))
    assert overlap.balance.index[0] == "age"
    assert len(overlap.warnings) == 1
    assert overlap.verdict.startswith("1 column still differs between the arms after weighting: age (+0.")
    assert "`propensity=...`" in overlap.verdict


def test_chance_alone_is_no_warning(rng):
    table = pd.DataFrame(rng.normal(size=(80, 15)))
    rows = read_rows(np.zeros(80), np.arange(80) % 2, 0.0, 0.5, 0.0)
    overlap = assess_overlap(table, rows)
    assert overlap.balance["after"].abs().max() > 0.1
    assert overlap.warnings == []


def test_propensities_near_0_and_1_are_counted_and_have_a_remedy(rng):
    table, rows = study(rng, strength=4.0)
    overlap = assess_overlap(table, rows)
    assert overlap.share_low == pytest.approx((rows.propensity < 0.05).mean())
    assert overlap.share_high == pytest.approx((rows.propensity > 0.95).mean())
    assert "average_effect(subset=(p > 0.1) & (p < 0.9))" in overlap.warnings[0]
    mended = assess_overlap(
        table[inside := (overlap.propensity > 0.1) & (overlap.propensity < 0.9)], rows.among(inside)
    )
    assert mended.warnings == []
    assert assess_overlap(table, rows, near=0.0).share_low == 0.0
    heavy = rows._replace(weight=np.where(rows.propensity < 0.05, 3.0, 1.0))
    assert assess_overlap(table, heavy).share_low > 1.5 * overlap.share_low


def test_rows_near_0_and_near_1_are_told_together(rng):
    """As many of each, so that neither alone would be worth a word."""
    table, rows = study(rng, strength=0.0)
    ends = np.r_[np.full(80, 0.01), np.full(80, 0.99), np.full(1840, 0.5)]
    said = assess_overlap(table, rows._replace(propensity=ends)).warnings
    assert said[0].startswith("8 % of the rows have a propensity below 0.05 or above 0.95")
    assert not any("of the rows have" in line for line in assess_overlap(table, rows, near=0.0).warnings)


def test_what_is_said_of_amounts_does_not_depend_on_their_unit(rng):
    table, _ = study(rng)
    # most of what is left is next to nothing: few effective rows, by nature
    left = np.where(np.arange(2000) % 10 == 0, 1.0, 1e-3) * rng.normal(size=2000)
    for share, said in ((1.0, 0), (0.01, 1)):
        for unit in (1e-3, 1.0, 1e3):
            amount, known = unit * (table["age"] + share * left), unit * table["age"]
            overlap = assess_overlap(table, read_rows(np.zeros(2000), amount, 0.0, known, 0.0))
            assert len(overlap.warnings) == said
            assert overlap.arms["after"].iloc[0] < 0.3 * overlap.arms["before"].iloc[0]


def test_effective_rows_are_all_rows_under_equal_weights(rng):
    assert effective_rows(np.full(7, 0.3)) == pytest.approx(7)
    assert effective_rows(np.array([1.0, 0.0])) == 1.0
    assert effective_rows(np.zeros(3)) == 0.0
    table, rows = study(rng)
    arms = assess_overlap(table, rows, ("placebo", "drug")).arms
    treated = rows.treatment == 1
    assert arms["rows"].to_dict() == {"placebo": (~treated).sum(), "drug": treated.sum()}
    assert (arms["after"] < arms["rows"]).all()
    np.testing.assert_allclose(arms.loc["drug", "after"], effective_rows(1 / rows.propensity[treated]))
    known = assess_overlap(table, rows._replace(propensity=np.full(2000, 0.5))).arms
    np.testing.assert_allclose(known["after"], known["rows"])


def test_few_effective_rows_have_a_remedy(rng):
    table, rows = study(rng, 400)
    few = rows._replace(treatment=(np.arange(400) < 12) * 1.0, propensity=np.full(400, 0.1))
    said = assess_overlap(table, few, ("no", "yes")).warnings
    assert any(line.startswith("After weighting, yes has an effective sample size of 12 of 12 rows") for line in said)


def test_swapping_the_arms_flips_differences(rng):
    table, rows = study(rng, 300)
    plain, other = assess_overlap(table, rows), assess_overlap(table, swap(rows))
    np.testing.assert_allclose(other.balance[["before", "after"]], -plain.balance[["before", "after"]], atol=1e-12)
    np.testing.assert_allclose(other.arms["after"].to_numpy()[::-1], plain.arms["after"])
    assert (other.share_low, other.share_high) == (plain.share_high, plain.share_low)


def test_levels_and_missing_cells_are_columns_of_their_own():
    table = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": ["x", None, "y"], "c": [True, False, True]})
    wide = spread_columns(table)
    assert wide.columns.tolist() == ["a", "a is missing", "b = x", "b = y", "b is missing", "c"]
    np.testing.assert_array_equal(wide["b = x"], [1.0, np.nan, 0.0])
    np.testing.assert_array_equal(wide["a is missing"], [0.0, 1.0, 0.0])


def test_columns_that_are_constant_or_unknown_in_an_arm(rng):
    rows = read_rows(np.zeros(8), np.arange(8) % 2, 0.0, 0.5, 0.0)
    nowhere = np.where(np.arange(8) % 2, np.nan, 1.0)
    table = pd.DataFrame({"same": 1.0, "arm": rows.treatment, "nowhere": nowhere})
    balance = assess_overlap(table, rows).balance
    assert balance.loc["arm", "after"] == np.inf
    assert balance.loc["same", "after"] == 0.0
    assert np.isnan(balance.loc["nowhere", "after"])


def test_amounts_are_compared_by_correlations(rng):
    table, _ = study(rng)
    amount = 2 * table["age"].to_numpy() + rng.normal(size=2000)
    rows = read_rows(np.zeros(2000), amount, 0.0, 2 * table["age"], 0.0)
    overlap = assess_overlap(table, rows)
    for name in table:
        expected = [np.corrcoef(table[name], part)[0, 1] for part in (rows.treatment, rows.treatment_left)]
        np.testing.assert_allclose(overlap.balance.loc[name, ["before", "after"]].astype(float), expected)
    assert overlap.warnings == []
    assert overlap.arms["after"].iloc[0] == pytest.approx(2000 / 3, rel=0.15)
    blind = assess_overlap(table, rows._replace(propensity=np.zeros(2000)))
    assert blind.verdict.startswith("1 column is still correlated with the treatment: age (+0.90)")
    decided = assess_overlap(table, rows._replace(propensity=amount - 0.01 * rng.normal(size=2000)))
    assert "Leave out columns that predict the treatment" in decided.verdict


def test_inverse_weights_are_by_the_treatment_that_a_row_got():
    rows = read_rows(np.zeros(3), [1, 0, 1], 0.0, [0.25, 0.25, 0.5], 0.0, weight=[1.0, 3.0, 2.0])
    np.testing.assert_allclose(inverse_weights(rows), [4.0, 4.0, 4.0])


def test_near_is_below_one_half(rng):
    with pytest.raises(ValueError, match=r"`near` must be >= 0 and < 0\.5"):
        assess_overlap(pd.DataFrame({"a": [0.0, 1.0]}), read_rows([0, 1], [0, 1], 0.0, 0.5, 0.0), near=0.5)


def test_a_study_of_true_nuisances_is_shown_in_few_lines(rng):
    rows = draw_rows(rng)
    assert len(repr(assess_overlap(pd.DataFrame({"x": rows.outcome}), rows)).splitlines()) < 12
