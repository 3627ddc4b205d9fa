"""What results about effects say of themselves."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests._effects.cases import assess, draw_rows

from heedful._effects.average import average_effect
from heedful._effects.overlap import assess_overlap
from heedful._show import format_p
from report.cases import HOSTILE
from test_show import read_html


@pytest.fixture
def rows(rng):
    return draw_rows(rng, 120, n_groups=30)


def facts(result):
    """Return what a result says, after a look at both of its views."""
    assert len(repr(result).splitlines()) < 20
    page = result._repr_html_()
    assert len(page) < 4000
    read_html(page)
    return dict(result._sketch().facts)


def test_an_average_says_its_interval(rows):
    found = average_effect(rows, coverage=0.95)
    said = facts(found)
    assert said["effect"] == f"{found.effect:.3g}"
    assert said["95 % interval"] == f"{found.low:.3g} to {found.high:.3g}"
    assert repr(found).splitlines()[0] == "Average effect over 120 rows in 30 groups"


def test_heterogeneity_says_its_tests_and_the_best_policy(rows):
    found = assess(rows)
    said = facts(found)
    assert said["verdict"] == found.verdict
    line = found.tests.loc["AUTOC"]
    assert said["AUTOC"] == f"{line['estimate']:.3g} ± {line['standard_error']:.3g}, {format_p(line['p_value'])}"
    gain, random = found.curve.loc[0.2, ["gain", "random"]]
    assert said["treating 20 %"] == f"adds {gain:.3g} by effect, {random:.3g} at random"
    same = facts(assess(rows, np.ones(120)))
    assert same["differential effect"] == "not tested"


@pytest.mark.parametrize(
    ("p", "said"), [(1e-9, "p < 0.001"), (0.0123, "p = 0.012"), (0.5, "p = 0.50"), (1.0, "p = 1.00")]
)
def test_p_values_are_said_as_people_do(p, said):
    assert format_p(p) == said


@pytest.mark.parametrize(
    ("p", "said"),
    [(0.009, "Effects differ"), (0.011, "There is some evidence"), (0.099, "There is some"), (0.101, "There is no")],
)
def test_one_test_at_ten_per_cent_decides(rows, p, said):
    found = assess(rows)
    found.tests["p_value"] = [p, 0.5, 0.5]
    assert found.differ == (p < 0.1)
    assert found.verdict.startswith(said)


def test_an_average_says_where_row_effects_have_another_mean(rows):
    found = average_effect(rows)
    assert found.row_mean == pytest.approx(np.average(rows.effect, weights=rows.weight))
    assert facts(found)["mean of row effects"].startswith(f"{found.row_mean:.3g}")
    assert "mean of row effects" not in facts(replace(found, row_mean=found.effect))


def test_overlap_says_rows_propensities_and_balance(rows):
    table = pd.DataFrame({HOSTILE: rows.outcome, "other": rows.effect})
    found = assess_overlap(table, rows, (HOSTILE, "drug"))
    said = facts(found)
    n_rows = int(found.arms.loc["drug", "rows"])
    assert said["drug"] == f"{n_rows} rows, effective sample size {found.arms.loc['drug', 'after']:.3g} after weighting"
    assert said["near 0 or 1"] == f"{100 * found.share_low:.0f} % of the rows, {100 * found.share_high:.0f} %"
    largest = found.balance[["before", "after"]].abs().max()
    assert said["largest difference"] == f"{largest['before']:.3g} before weighting, {largest['after']:.3g} after"
    facts(assess_overlap(table, rows._replace(propensity=np.full(120, 0.99))))


def test_overlap_of_amounts_says_correlations(rng):
    rows = draw_rows(rng, amounts=True)
    said = facts(assess_overlap(pd.DataFrame({"a": rows.outcome}), rows))
    assert "largest correlation" in said
    assert "near 0 or 1" not in said
