"""Intervals of effects are those of the average effect on held-out rows of like predicted effects."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from tests._effects.cases import draw_rows, validated

from heedful import AttentionEffect
from heedful._effects.average import average_effect
from heedful._effects.heterogeneity import group_effects
from heedful._effects.ranking import rank_within, weighted_share
from heedful._effects.validation import Validation
from heedful.datasets import make_effects
from heedful.similarity import ForestProximity

FEW = {"outcome": LinearRegression(), "propensity": 0.5, "similarity": ForestProximity(16), "random_state": 0}


@pytest.fixture(scope="module")
def rows():
    return make_effects("B", 300, random_state=5).split(220)


@pytest.fixture(scope="module")
def model(rows):
    train, _ = rows
    return AttentionEffect(**FEW).fit(train.X, train.y, train.treatment)


def test_groups_are_fifths_by_predicted_effect_within_blocks(rng):
    held_out = validated(draw_rows(rng, 400, n_groups=300), n_blocks=2)
    found = group_effects(held_out, 0.8)
    assert found.index.tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert found["rows"].sum() == 400
    place = rank_within(held_out.predicted, held_out.block, held_out.rows.weight)
    known = average_effect(held_out.rows, (place > 0.2) & (place < 0.4), coverage=0.8)
    assert found.iloc[1][["effect", "low", "high"]].tolist() == pytest.approx([known.effect, known.low, known.high])
    assert found["effect"].iloc[-1] > found["effect"].iloc[0] + 1


@pytest.mark.parametrize(("n_rows", "n_groups"), [(19, 1), (45, 2), (1000, 5)])
def test_few_rows_make_few_groups(rng, n_rows, n_groups):
    assert len(group_effects(validated(draw_rows(rng, n_rows)))) == n_groups


def test_a_group_of_rows_or_a_weight_that_is_most_of_them_leaves_enough_to_compare(rng):
    rows = draw_rows(rng, 400)
    heavy = rows._replace(weight=np.where(np.arange(400) == 7, 500.0, 1.0))
    assert group_effects(validated(heavy))["rows"].tolist() == [80] * 5
    giant = rows._replace(groups=np.where(rows.effect > np.quantile(rows.effect, 0.7), 0, rows.groups))
    giant = giant._replace(groups=np.unique(giant.groups, return_inverse=True)[1])
    held_out = Validation(giant, giant.effect, np.zeros(400, dtype=np.intp))
    assert 1 <= len(group_effects(held_out)) < 5


def test_few_groups_of_rows_are_fitted_without_a_test(rng):
    X, treatment, groups = rng.normal(size=(60, 2)), np.resize([0, 1], 60), np.repeat([0, 1, 2], 20)
    model = AttentionEffect(cv=2, **FEW).fit(X, X[:, 0] + treatment, treatment, groups=groups)
    assert np.ptp(model.effect(X)) == 0


def test_rows_of_equal_predicted_effects_are_one_group(rng):
    rows = draw_rows(rng, 200)
    found = group_effects(Validation(rows, np.zeros(200), np.zeros(200, dtype=np.intp)))
    assert found["effect"].tolist() == [pytest.approx(average_effect(rows).effect)]


def test_shares_are_of_weight_below_and_half_of_the_equal(rng):
    values, weight = rng.integers(0, 5, 30) * 1.0, rng.uniform(0.5, 2.0, 30)
    asked = np.array([-1.0, 2.0, 2.5, 9.0])
    known = [(weight[values < a].sum() + weight[values == a].sum() / 2) / weight.sum() for a in asked]
    np.testing.assert_allclose(weighted_share(values, weight, asked), known)


def test_intervals_are_those_of_the_group_of_a_row_and_grow_with_coverage(model, rows):
    _, test = rows
    narrow, wide = model.effect_interval(test.X, 0.5), model.effect_interval(test.X, 0.95)
    assert (wide[:, 0] < narrow[:, 0]).all()
    assert (narrow[:, 1] < wide[:, 1]).all()
    np.testing.assert_allclose(model.effect_interval(test.X[:3]), model.effect_interval(test.X)[:3])
    groups = model.heterogeneity().groups
    ends = {tuple(pair) for pair in np.round(model.effect_interval(test.X), 9)}
    assert ends <= {tuple(pair) for pair in np.round(groups[["low", "high"]].to_numpy(), 9)}
    assert len(ends) > 1


def test_one_effect_for_all_has_the_interval_of_the_average(rng):
    X, treatment = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    model = AttentionEffect(**FEW).fit(X, X[:, 0] + treatment + rng.normal(size=200), treatment)
    assert not model.heterogeneity().differ
    average = model.average_effect(coverage=0.8)
    np.testing.assert_array_equal(model.effect_interval(X[:4], 0.8), np.tile([average.low, average.high], (4, 1)))
    np.testing.assert_array_equal(model.effect(X[:4]), np.full(4, model.effect(X[:1])[0]))
    assert model.effect(X[:1])[0] == pytest.approx(average.effect)
    assert average.row_mean == pytest.approx(average.effect)
    assert "one average effect for all rows" in str(model.summary())
    assert not model.local_models(X[:2]).coef.to_numpy().any()


def test_a_fixed_mixing_keeps_its_row_effects(rng):
    X, treatment = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    model = AttentionEffect(mixing=1.0, **FEW).fit(X, X[:, 0] + treatment + rng.normal(size=200), treatment)
    assert np.ptp(model.effect(X)) > 0


def test_outcomes_in_other_units_have_intervals_in_these(model, rows):
    train, test = rows
    other = AttentionEffect(**FEW).fit(train.X, 10 * train.y, train.treatment)
    np.testing.assert_allclose(other.effect_interval(test.X), 10 * model.effect_interval(test.X), rtol=1e-5, atol=1e-5)


def test_coverage_is_checked(model, rows):
    with pytest.raises(ValueError, match="`coverage` must be > 0 and < 1"):
        model.effect_interval(rows[1].X, 1.0)
