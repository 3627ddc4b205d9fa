"""Families of responses: losses and their derivatives, links and values, hazards."""

import numba
import numpy as np
import pytest
from sklearn.metrics import mean_tweedie_deviance

from heedful._kernels._arguments import one_kind
from heedful._responses import cumulative_hazard
from heedful._responses.response import FLAT, SMOOTH
from heedful._responses.softmax import largest_eigenvalue
from heedful._responses.survival import partial_loss, risk_sums
from reference import losses
from reference.cases import small_outcome
from reference.differences import differences
from reference.rows import classes_of, costs_of, numbers_of, served_costs_of, survival_of

POWERS = {"counts": 1.0, "claims": 1.5, "costs": 2.0}
KINDS = ("numbers", "two classes", "two alike", "three classes", "survival", *POWERS, "two with offsets")


def family_of(rng, kind, case="random"):
    """Return a family of twelve rows and weights."""
    if kind == "numbers":
        return numbers_of(rng.normal(size=12), 0.5, 2.0), rng.dirichlet(np.ones(12))
    if kind in POWERS:
        return deviance_of(rng, POWERS[kind]), rng.dirichlet(np.ones(12))
    if kind == "survival":
        (event, time), weight = small_outcome(rng, "cox", case)
        return survival_of(event, time), weight
    what, weight = small_outcome(rng, "multinomial" if kind == "three classes" else "binomial", case)
    offset = rng.normal(size=12) if kind == "two with offsets" else None
    return classes_of(what, what.max() + 1, symmetric=kind == "two alike", offset=offset), weight


def deviance_of(rng, power):
    """Return counts or costs of twelve rows with offsets; only costs are never 0."""
    y = rng.gamma(2.0, size=12) if power > 1.0 else rng.poisson(1.0, 12).astype(float)
    return costs_of(y if power == 2.0 else np.where(np.arange(12) < 3, 0.0, y), power, rng.normal(size=12))


def anchored(rng, kind):
    """Return a family whose losses can be asked for, weights, a link and the values it gives."""
    family, weight = family_of(rng, kind)
    link = rng.normal(size=(12, family.n_outputs))
    family = family.anchored(link, weight)
    return family, weight, link, family.values(link)


@pytest.mark.parametrize(("kind", "n_outputs"), list(zip(KINDS, (1, 1, 2, 3, 1, 1, 1, 1, 1), strict=True)))
def test_two_classes_have_one_output_unless_they_are_alike(rng, kind, n_outputs):
    family, weight = family_of(rng, kind)
    assert family.n_outputs == n_outputs == family.null_link(weight).size


@pytest.mark.parametrize("kind", KINDS)
def test_slopes_and_curvatures_of_the_loss_are_finite_differences(rng, kind):
    family, _, _, values = anchored(rng, kind)
    observed = family.observed(values)
    found = family.losses(observed)
    first = differences(lambda at: family.losses(at).value.sum(), observed)
    second = differences(lambda at: family.losses(at).gradient.sum(), observed)
    np.testing.assert_allclose(found.gradient, first, rtol=1e-6, atol=1e-8)
    # with an offset the loss bends down where a blend overrates a class that offsets make rare
    bound = np.maximum(second, FLAT) if kind == "two with offsets" else second
    np.testing.assert_allclose(found.hessian, bound, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("power", POWERS.values())
def test_slopes_and_curvatures_by_the_mean_are_finite_differences_too(rng, power):
    mean, y = rng.uniform(0.5, 3.0, 12), rng.gamma(2.0, size=12)
    family = served_costs_of(y, power)
    found = family.losses(mean)
    np.testing.assert_allclose(found.value, costs_of(y, power).losses(np.log(mean)).value, atol=1e-12)
    first = differences(lambda at: family.losses(at).value.sum(), mean)
    second = differences(lambda at: family.losses(at).gradient.sum(), mean)
    np.testing.assert_allclose(found.gradient, first, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.hessian, np.maximum(second, FLAT * mean**-power), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(family.values(family.link_of(mean)), mean)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_weight_two_is_the_row_twice_and_one_of_none_no_row(rng, kind):
    family, _ = family_of(rng, kind)
    weight = np.array([1.0, 2.0, 0.0, 3.0] * 3)
    twice = np.repeat(np.arange(12), weight.astype(int))
    # so far apart that the smallest curvatures are held up by the others
    link = 3.0 * rng.normal(size=(12, family.n_outputs))
    whole, ones = family.part(twice), np.ones(twice.size)
    np.testing.assert_allclose(family.null_link(weight), whole.null_link(ones))
    assert family.dispersion(link, weight) == pytest.approx(whole.dispersion(link[twice], ones))
    np.testing.assert_allclose(family.residual(link, weight)[twice], whole.residual(link[twice], ones), atol=1e-12)
    curve = family.hessian(link, weight)
    if curve is not None:
        np.testing.assert_allclose(curve[twice], whole.hessian(link[twice], ones))


@pytest.mark.parametrize("kind", KINDS)
def test_losses_of_many_columns_are_those_of_each(rng, kind):
    family, _, link, _ = anchored(rng, kind)
    many = family.observed(family.values(np.stack([link, link + 0.3, -link], axis=1)))
    for k, part in enumerate((link, link + 0.3, -link)):
        one = family.losses(family.observed(family.values(part)))
        for all_columns, column in zip(family.losses(many), one, strict=True):
            np.testing.assert_allclose(all_columns[:, k], column)


@pytest.mark.parametrize("kind", KINDS)
def test_values_and_links_are_inverse_to_each_other(rng, kind):
    family, _, link, values = anchored(rng, kind)
    back = family.link_of(values)
    np.testing.assert_allclose(family.scaled(0.0, 1.0).values(back), values, rtol=1e-12)
    if kind != "numbers":
        np.testing.assert_allclose(np.ptp(back - link, axis=1), 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_residuals_are_minus_the_slope_of_the_loss_by_the_link(rng, kind):
    family, weight, link, _ = anchored(rng, kind)
    slope = differences(lambda at: family.losses(family.observed(family.values(at))).value.sum(), link)
    expected = slope / (2 * family.unit**2) if kind == "numbers" else slope
    np.testing.assert_allclose(family.residual(link, weight), -expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("level", [-5000.0, 300.0, 5000.0])
def test_the_level_of_log_hazards_changes_neither_residuals_nor_curvatures(rng, level):
    family, weight, link, _ = anchored(rng, "survival")
    for part in (family.residual, family.hessian):
        np.testing.assert_allclose(part(link + level, weight), part(link, weight), rtol=1e-9, atol=1e-9)


def test_residuals_are_finite_where_log_hazards_are_far_apart(rng):
    family, weight, link, _ = anchored(rng, "survival")
    link[[2, 7], 0] = 1e4, -1e4
    assert np.isfinite(family.residual(link, weight)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_residuals_of_the_null_model_sum_to_zero(rng, kind):
    family, weight = family_of(rng, kind)
    link = np.tile(family.null_link(weight), (12, 1))
    np.testing.assert_allclose(weight @ family.residual(link, weight), 0.0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_part_is_the_family_of_its_rows(rng, kind):
    family, _, _, values = anchored(rng, kind)
    rows = np.array([7, 2, 2])
    part = family.part(rows)
    assert part.n_outputs == family.n_outputs
    expected = family.losses(family.observed(values)).value[rows]
    np.testing.assert_array_equal(part.losses(part.observed(values[rows])).value, expected)


@pytest.mark.parametrize("kind", KINDS[1:4])
def test_the_observed_value_is_the_probability_of_what_happened(rng, kind):
    family, _, _, values = anchored(rng, kind)
    np.testing.assert_allclose(values.sum(axis=1), 1.0)
    np.testing.assert_array_equal(family.observed(values), [values[i, family.y[i]] for i in range(12)])


@pytest.mark.parametrize("kind", KINDS[1:4])
def test_extreme_links_give_finite_values_and_losses(rng, kind):
    family, weight = family_of(rng, kind)
    link = 1e4 * rng.normal(size=(12, family.n_outputs))
    found = family.losses(family.observed(family.values(link)))
    assert all(np.isfinite(part).all() for part in found)
    assert np.isfinite(family.link_of(family.values(link))).all()
    assert (family.hessian(link, weight) >= FLAT).all()


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("spread", [0.0, 1.0, 4.0])
def test_the_curvature_of_classes_is_a_bound_for_all_of_them_together(rng, n_classes, spread):
    family = classes_of(np.arange(12) % n_classes, n_classes, symmetric=True)
    link = spread * rng.normal(size=(12, n_classes))
    chance = family.values(link)
    exact = chance[:, :, None] * np.eye(n_classes) - chance[:, :, None] * chance[:, None, :]
    bound = family.hessian(link, np.ones(12))[:, :, None] * np.eye(n_classes)
    assert np.linalg.eigvalsh(bound - exact).min() > -1e-9


def test_the_bound_of_two_classes_is_tight(rng):
    family, link = classes_of(np.arange(12) % 2, 2, symmetric=True), rng.normal(size=(12, 2))
    p = family.values(link)[:, 0]
    np.testing.assert_allclose(family.hessian(link, np.ones(12)), np.tile(2 * p * (1 - p), (2, 1)).T)
    exact = np.array([[1, -1], [-1, 1]]) * (p * (1 - p))[:, None, None]
    bound = family.hessian(link, np.ones(12))[:, :, None] * np.eye(2)
    np.testing.assert_allclose(np.linalg.eigvalsh(bound - exact)[:, 0], 0.0, atol=1e-12)


def test_binary_curvature_is_p_times_one_minus_p(rng):
    family, weight, link, values = anchored(rng, "two classes")
    np.testing.assert_allclose(family.hessian(link, weight)[:, 0], values[:, 0] * values[:, 1])


@pytest.mark.parametrize("kind", KINDS[1:4])
def test_the_mean_link_gives_the_class_shares_moved_a_little(rng, kind):
    family, weight = family_of(rng, kind)
    means, overall = np.average(family.means(), axis=0), weight @ family.means()
    found = family.values(family.mean_link(means, overall)[None])[0, -means.size :]
    np.testing.assert_allclose(found, (1 - SMOOTH) * means + SMOOTH * overall)


@pytest.mark.parametrize("kind", KINDS[1:4])
def test_the_mean_link_of_one_class_is_finite(rng, kind):
    family, weight = family_of(rng, kind)
    assert np.isfinite(family.mean_link(family.means()[0], weight @ family.means())).all()


@pytest.mark.parametrize("case", ["random", "tied"])
def test_martingale_residuals_sum_to_zero_under_the_weights(rng, case):
    family, weight = family_of(rng, "survival", case)
    link = rng.normal(size=(12, 1))
    assert weight @ family.residual(link, weight)[:, 0] == pytest.approx(0.0, abs=1e-12)
    expected = -losses.slope("cox", link, (family.event, family.time), weight)[:, 0]
    np.testing.assert_allclose(weight * family.residual(link, weight)[:, 0], expected, atol=1e-12)


@pytest.mark.parametrize("case", ["random", "tied", "constant", "single"])
def test_an_anchored_hazard_is_breslows(rng, case):
    family, weight = family_of(rng, "survival", case)
    link = rng.normal(size=(weight.size, 1))
    expected = losses.hazard(link[:, 0], (family.event, family.time), weight)
    np.testing.assert_allclose(family.anchored(link, weight).hazard, expected)


def test_a_hazard_at_other_times_is_that_of_the_last_event_before(rng):
    family, weight = family_of(rng, "survival")
    link, at = rng.normal(size=12), np.array([1e-9, 0.4, 1.1, 99.0])
    own = cumulative_hazard(family, link, weight)
    expected = [own[family.time <= t].max(initial=0.0) for t in at]
    np.testing.assert_allclose(cumulative_hazard(family, link, weight, at), expected)


def test_many_hazards_are_those_of_each(rng):
    family, _ = family_of(rng, "survival", "tied")
    links, weights = rng.normal(size=(2, 12)), rng.dirichlet(np.ones(12), size=2)
    expected = [cumulative_hazard(family, link, weight) for link, weight in zip(links, weights, strict=True)]
    np.testing.assert_allclose(cumulative_hazard(family, links, weights), expected)


@pytest.mark.parametrize("case", ["random", "tied", "constant", "single"])
def test_the_partial_loss_equals_the_twin(rng, case):
    family, weight = family_of(rng, "survival", case)
    links = rng.normal(size=(3, weight.size))
    expected = [losses.loss("cox", link[:, None], (family.event, family.time), weight) for link in links]
    np.testing.assert_allclose(partial_loss(family, links, weight), expected)


def test_risk_sums_are_those_of_the_rows_that_are_left(rng):
    family, weight = family_of(rng, "survival", "tied")
    expected = [weight[family.time >= time].sum() for time in family.time]
    np.testing.assert_allclose(risk_sums(family, weight), expected)


def test_columns_of_survival_may_be_models_with_weights_of_their_own(rng):
    family, _ = family_of(rng, "survival", "tied")
    links, weights = rng.normal(size=(12, 3)), rng.uniform(0.5, 2.0, size=(12, 3)) * (rng.uniform(size=(12, 3)) < 0.7)
    for part in ("residual", "hessian"):
        together = getattr(family, part)(links, weights)
        alone = [getattr(family, part)(link[:, None], weight) for link, weight in zip(links.T, weights.T, strict=True)]
        np.testing.assert_array_equal(together, np.hstack(alone))


def test_survival_rows_without_weight_have_no_say_whatever_their_hazard(rng):
    family, weight = family_of(rng, "survival", "tied")
    link, seen = rng.normal(size=(12, 1)), np.arange(12) % 4 > 0
    far = np.where(seen[:, None], link, 2000.0)
    found = family.residual(far, weight * seen)
    np.testing.assert_allclose(found[seen], family.part(seen).residual(link[seen], weight[seen]))
    assert np.isfinite(found).all()


def test_the_left_out_loss_of_survival_is_a_difference_of_partial_losses(rng):
    family, weight = family_of(rng, "survival", "tied")
    links, train, test = rng.normal(size=(12, 2, 1)), np.arange(0, 12, 2), np.arange(1, 12, 2)
    found = family.left_out_loss(train, test, weight)(links.__getitem__)
    for k in range(2):
        some = losses.loss("cox", links[train, k], (family.event[train], family.time[train]), weight[train])
        everyone = losses.loss("cox", links[:, k], (family.event, family.time), weight)
        assert found[k] == pytest.approx(everyone - some)


@pytest.mark.parametrize("at_once", [2, 100])
@pytest.mark.parametrize("kind", KINDS[:4])
def test_the_left_out_loss_of_other_families_is_a_sum_over_rows(rng, kind, at_once, monkeypatch):
    monkeypatch.setattr("heedful._responses.response.AT_ONCE", at_once)
    family, weight, link, values = anchored(rng, kind)
    test = np.array([1, 4, 5])
    found = family.left_out_loss(np.arange(12), test, weight)(lambda rows: link[rows][:, None])
    assert found[0] == pytest.approx(weight[test] @ family.losses(family.observed(values)).value[test])


def test_the_loss_of_survival_needs_a_fixed_hazard(rng):
    family, _ = family_of(rng, "survival")
    with pytest.raises(ValueError, match="use `anchored` first"):
        family.losses(np.zeros(12))


def test_levels_make_attended_events_as_many_as_expected(rng):
    family, weight, _, _ = anchored(rng, "survival")
    links, attention = rng.normal(size=(4, 12)), rng.dirichlet(np.ones(12), size=4)
    level = family.attended_level(links, attention, weight)[:, 0]
    expected = (attention * np.exp(links) * family.hazard).sum(axis=1)
    overall = weight @ family.event
    moved = [(1 - SMOOTH) * sums + SMOOTH * overall for sums in (attention @ family.event, expected)]
    np.testing.assert_allclose(np.exp(level), moved[0] / moved[1])


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_given_anew_have_the_same_losses(rng, kind):
    family, _, _, values = anchored(rng, kind)
    names = {"survival": ["event", "time"]} | {key: ["y", "offset"] for key in (*POWERS, "two with offsets")}
    encoded = np.column_stack([getattr(family, name) for name in names.get(kind, ["y"])]).squeeze()
    order = rng.permutation(12)
    again = family.new_rows(encoded[order])
    expected, found = (part.losses(part.observed(values[order])) for part in (family.part(order), again))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other)


def test_new_rows_have_the_hazard_that_has_piled_up_until_their_time(rng):
    family, weight, link, _ = anchored(rng, "survival")
    times = np.sort(np.append(rng.uniform(0, 2 * family.time.max(), size=20), [0.0, *family.time]))
    found = family.new_rows(np.column_stack([np.ones(times.size), times])).hazard
    np.testing.assert_allclose(found, cumulative_hazard(family, link[:, 0], weight, times))


@pytest.mark.each_value
@pytest.mark.parametrize("n_classes", [2, 3, 20, 200])
@pytest.mark.parametrize("spread", [0.0, 1e-8, 1.0, 3.0, 20.0])
def test_the_largest_eigenvalue_is_that_of_the_matrix(rng, n_classes, spread):
    link = spread * rng.normal(size=(50, n_classes))
    mass = np.exp(link - link.max(axis=1, keepdims=True))
    chance = np.clip(mass / mass.sum(axis=1, keepdims=True), 1e-6, 1 - 1e-6)
    diagonal, odds = 1.0 / (1.0 - chance), np.sqrt(chance / (1.0 - chance))
    matrix = np.array([np.diag(d) - np.outer(u, u) for d, u in zip(diagonal, odds, strict=True)])
    found = largest_eigenvalue(diagonal, odds**2)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(matrix)[:, -1], rtol=1e-9)


@pytest.mark.parametrize("power", POWERS.values())
def test_the_curvature_of_a_deviance_is_that_of_rows_which_are_as_expected(rng, power):
    link, offset, weight = rng.normal(size=(12, 1)), rng.normal(size=12), rng.uniform(0.5, 2.0, size=12)
    family = costs_of(np.exp(link[:, 0] + offset), power, offset)
    np.testing.assert_allclose(family.hessian(link, weight)[:, 0], family.losses(link[:, 0]).hessian)


@pytest.mark.parametrize("power", POWERS.values())
def test_deviance_is_scikit_learns(rng, power):
    family = deviance_of(rng, power)
    link, weight = rng.normal(size=(12, 1)), rng.uniform(size=12)
    mean = np.exp(link[:, 0] + family.offset)
    ours = np.average(family.losses(link[:, 0]).value, weights=weight)
    np.testing.assert_allclose(2 * ours, mean_tweedie_deviance(family.y, mean, sample_weight=weight, power=power))


@pytest.mark.parametrize("power", POWERS.values())
def test_an_offset_is_a_rate_under_a_weight_of_exposure_to_a_power(rng, power):
    # the identity that lets exposures be checked without offsets: E^(2 - p) times the deviance of y / E
    family, link = deviance_of(rng, power), rng.normal(size=(12, 1))
    exposure = np.exp(family.offset)
    rates, scale = costs_of(family.y / exposure, power), exposure ** (2 - power)
    np.testing.assert_allclose(family.losses(link[:, 0]).value, scale * rates.losses(link[:, 0]).value, atol=1e-12)
    np.testing.assert_allclose(family.residual(link, None), scale[:, None] * rates.residual(link, None), atol=1e-12)
    weight = rng.uniform(size=12)
    np.testing.assert_allclose(family.null_link(weight), rates.null_link(weight * scale))


@pytest.mark.parametrize("power", POWERS.values())
def test_the_rate_without_columns_is_the_best_one(rng, power):
    family, weight = deviance_of(rng, power), rng.uniform(size=12)
    level = np.tile(family.null_link(weight), (12, 1))
    np.testing.assert_allclose(weight @ family.residual(level, weight), 0.0, atol=1e-12)


@pytest.mark.parametrize("power", POWERS.values())
def test_dispersion_is_the_mean_of_pearsons_squared_residuals(rng, power):
    family, weight = deviance_of(rng, power), rng.uniform(size=12)
    level = np.tile(family.null_link(weight), (12, 1))
    mean = np.exp(level[:, 0] + family.offset)
    expected = np.average((family.y - mean) ** 2 / mean**power, weights=weight)
    assert family.dispersion(level, weight) == pytest.approx(expected)


def test_counts_without_any_spread_have_a_unit_too():
    assert costs_of(np.full(5, 1.0), 1.0).dispersion(np.zeros((5, 1)), np.ones(5)) == 1.0


def test_an_offset_moves_the_log_odds_that_the_loss_looks_at(rng):
    family, _, link, values = anchored(rng, "two with offsets")
    plain = classes_of(family.y, 2)
    moved = link + family.offset[:, None]
    found = family.losses(family.observed(values)).value
    np.testing.assert_allclose(found, plain.losses(plain.observed(plain.values(moved))).value)
    np.testing.assert_allclose(family.residual(link, None), plain.residual(moved, None))
    np.testing.assert_allclose(family.hessian(link, None), plain.hessian(moved, None))


@pytest.mark.parametrize("shift", [0.0, 1.3])
def test_equal_offsets_are_taken_off_the_log_odds_of_shares(rng, shift):
    plain, weight = family_of(rng, "two classes")
    family = classes_of(plain.y, 2, offset=np.full(12, shift))
    overall, means = (np.average(family.means(), axis=0, weights=one) for one in (weight, np.ones(12)))
    without = plain.mean_link(means[:1], overall[:1])
    np.testing.assert_allclose(family.mean_link(means, overall), without - shift)
    np.testing.assert_allclose(family.null_link(weight), plain.null_link(weight) - shift)


def test_kernels_take_the_rows_of_every_family_as_one_type(rng):
    # fits of another family would be compiled anew otherwise
    types = {kind: numba.typeof(one_kind(family_of(rng, kind)[0].outcome)) for kind in KINDS}
    assert len(set(types.values())) == 1, types
