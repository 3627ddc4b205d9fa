"""Boosted stumps against a plain booster that tries every stump, and the laws that an additive model keeps."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from heedful import _blocks
from heedful._blocks import side_by_side
from heedful._folds import Split, random_splits
from heedful._trees import Bins, Boosting, fit_stumps
from reference import stumps as reference
from reference.rows import classes_of, costs_of, numbers_of, survival_of

KINDS = ["numbers", "binary", "two alike", "classes", "survival", "costs"]


def bin_table(X, categories=None, weight=None):
    categories = np.zeros(X.shape[1], bool) if categories is None else np.asarray(categories)
    return Bins().fit(X, categories, np.ones(len(X)) if weight is None else weight).transform(X)


def make_table(rng, n_rows=80, missing=0.1):
    X = np.column_stack([rng.normal(size=(n_rows, 3)), rng.integers(0, 9, n_rows), rng.integers(0, 3, n_rows)])
    signal = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 / 2 + np.array([0, 2, 1, 0, 2, 1, 0, 2, 1])[X[:, 3].astype(int)]
    X[rng.uniform(size=X.shape) < missing] = np.nan
    return X, signal, np.array([False, False, False, True, False])


def make_family(kind, signal, rng):
    noisy = signal + rng.normal(size=signal.size)
    if kind == "numbers":
        return numbers_of(100.0 + 7.0 * noisy)
    if kind == "costs":
        years = rng.uniform(0.2, 2.0, signal.size)
        costs = 50.0 * rng.gamma(9.0, years * np.exp(signal)) * (rng.uniform(size=signal.size) < 0.98)
        return costs_of(costs, 1.5, np.log(years))
    if kind == "survival":
        time = rng.exponential(np.exp(2 - 2 * signal)).round(2)  # with ties
        return survival_of((rng.uniform(size=time.size) < 0.7).astype(float), time)
    cuts = [np.median(signal)] if kind != "classes" else np.quantile(signal, [0.3, 0.6])
    return classes_of(np.digitize(noisy, cuts), len(cuts) + 1, symmetric=kind == "two alike")


def same_model(one, other, tolerance=1e-9):
    np.testing.assert_allclose(one.shapes, other.shapes, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(one.start, other.start, rtol=tolerance, atol=tolerance)


def fold_links(fitted, rows):
    return np.hstack([model.link(rows) for model in fitted.folds])


@st.composite
def tables(draw):
    n_rows, n_columns = draw(st.integers(2, 14)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    X = rng.integers(0, draw(st.integers(1, 6)), (n_rows, n_columns)).astype(float)
    X[rng.uniform(size=X.shape) < draw(st.sampled_from([0.0, 0.2, 0.5]))] = np.nan
    y, weight = rng.integers(-4, 5, n_rows).astype(float), np.ones(n_rows)
    if draw(st.booleans()):
        weight = rng.integers(0, 3, n_rows).astype(float)
        weight[0] = 1.0
    return X, rng.uniform(size=n_columns) < draw(st.sampled_from([0.0, 0.5])), y, weight


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(table=tables(), ridge=st.sampled_from([0.0, 1.0, 1e6]), least=st.sampled_from([1e-6, 1.0, 3.0]))
def test_a_round_adds_the_best_of_all_stumps(table, ridge, least):
    X, categories, y, weight = table
    rows, how = bin_table(X, categories), Boosting(1, 0.3, ridge, least)
    expected = reference.boost(rows.codes, categories, numbers_of(y), weight, how)[-1]
    found = fit_stumps(rows, numbers_of(y), weight, [], how).model.link(rows)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_models_worked_out_one_by_one_are_those_worked_out_together(rng, kind, monkeypatch):
    X, signal, categories = make_table(rng, 60)
    family, rows, splits = make_family(kind, signal, rng), bin_table(X, categories), random_splits(60, 3, 0)
    weight = rng.uniform(0.2, 2.0, 60)
    together = fit_stumps(rows, family, weight, splits, Boosting(10))
    monkeypatch.setattr("heedful._trees.rounds.FEW", 0)
    alone = fit_stumps(rows, family, weight, splits, Boosting(10))
    for one, other in zip([alone.model, *alone.folds], [together.model, *together.folds], strict=True):
        same_model(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_share_the_models_and_change_no_bit(rng, kind, monkeypatch):
    X, signal, categories = make_table(rng, 60)
    family, rows, splits = make_family(kind, signal, rng), bin_table(X, categories), random_splits(60, 4, 0)
    monkeypatch.setattr("heedful._trees.rounds.FEW", 0)
    shared = []
    monkeypatch.setattr(_blocks, "side_by_side", lambda *a, **how: shared.append(len(a[1])) or side_by_side(*a, **how))
    one, *others = (fit_stumps(rows, family, np.ones(60), splits, Boosting(20), n_jobs=n) for n in (1, 2, 3, 9))
    assert set(shared) == {1, 2, 3, 5}
    for other in others:
        np.testing.assert_array_equal(other.loss, one.loss)
        for a, b in zip([one.model, *one.folds], [other.model, *other.folds], strict=True):
            np.testing.assert_array_equal(a.shapes, b.shapes)
            np.testing.assert_array_equal(a.start, b.start)


def test_a_category_is_parted_into_the_best_of_all_subsets(rng):
    level, y = np.repeat(np.arange(7), 6), rng.normal(size=42) + np.repeat(rng.normal(size=7), 6)
    rows = bin_table(level[:, None].astype(float), [True])
    found = fit_stumps(rows, numbers_of(y), np.ones(42), [], Boosting(1, 1.0, 0.0)).model.link(rows)[:, 0]
    errors = []
    for size in range(1, 7):
        for chosen in combinations(range(7), size):
            inside = np.isin(level, chosen)
            errors.append(inside.sum() * y[inside].var() + (~inside).sum() * y[~inside].var())
    assert ((y - found) ** 2).sum() == pytest.approx(min(errors))


@pytest.mark.each_value
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("signs", [None, [1, -1, 0, 0, 1]], ids=["free", "up and down"])
def test_rounds_are_those_of_a_plain_booster_fold_by_fold(rng, kind, signs):
    X, signal, categories = make_table(rng, 60)
    family, weight = make_family(kind, signal, rng), rng.uniform(0.0, 2.0, 60) * (rng.uniform(size=60) < 0.9)
    rows, splits, how = bin_table(X, categories), random_splits(60, 2, 0), Boosting(19, 0.3, 1.0, 1.0)
    fitted = fit_stumps(rows, family, weight, splits, how, signs=signs)
    table = (rows.codes, categories, family, weight, how)
    paths = [reference.boost(*table, split.train, signs) for split in splits]
    loss = reference.left_out_losses(paths, family, weight, splits)
    np.testing.assert_allclose(fitted.loss, loss, rtol=1e-9)
    assert fitted.n_rounds == np.argmin(loss)
    assert fitted.n_rounds > 1
    everyone = reference.boost(*table, signs=signs)
    np.testing.assert_allclose(fitted.model.link(rows), everyone[fitted.n_rounds], rtol=1e-9, atol=1e-9)
    for path, model in zip(paths, fitted.folds, strict=True):
        np.testing.assert_allclose(model.link(rows), path[fitted.n_rounds], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_its_start_and_shapes_of_mean_zero(rng, kind):
    X, signal, categories = make_table(rng)
    rows, weight = bin_table(X, categories), rng.uniform(0.1, 2.0, 80)
    fitted = fit_stumps(rows, make_family(kind, signal, rng), weight, random_splits(80, 3, 0), Boosting(30))
    everyone = [np.arange(80), *(split.train for split in random_splits(80, 3, 0))]
    for model, train in zip([fitted.model, *fitted.folds], everyone, strict=True):
        parts = np.stack([model.shapes[j][rows.codes[:, j]] for j in range(5)])
        np.testing.assert_allclose(model.link(rows), model.start + parts.sum(axis=0), rtol=1e-12, atol=1e-12)
        means = np.average(parts[:, train], axis=1, weights=weight[train])
        np.testing.assert_allclose(means, 0.0, atol=1e-12 * np.abs(model.shapes).max())


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_of_a_fold_is_that_of_its_training_rows_alone(rng, kind):
    X, signal, categories = make_table(rng)
    family, splits, rows = make_family(kind, signal, rng), random_splits(80, 4, 1), bin_table(X, categories)
    fitted = fit_stumps(rows, family, np.ones(80), splits, Boosting(25))
    for model, split in zip(fitted.folds, splits, strict=True):
        how = Boosting(fitted.n_rounds)
        alone = fit_stumps(rows[split.train], family.part(split.train), np.ones(split.train.size), [], how)
        same_model(model, alone.model)


def test_folds_may_overlap_and_leave_rows_out(rng):
    X, signal, categories = make_table(rng)
    family, rows = make_family("numbers", signal, rng), bin_table(X, categories)
    splits = [Split(np.arange(30, 80), np.arange(20)), Split(np.arange(25, 80), np.arange(10, 25))]
    fitted = fit_stumps(rows, family, np.ones(80), splits, Boosting(20))
    one, two = (model.link(rows) for model in fitted.folds)
    error = (family.y[:, None] - np.hstack([one, two])) ** 2
    mean = (error[:20, 0].sum() + error[10:25, 1].sum()) / 35
    assert fitted.loss[fitted.n_rounds] == pytest.approx(mean)


@pytest.mark.parametrize("kind", KINDS)
def test_rounds_end_where_left_out_rows_say(rng, kind):
    X, signal, categories = make_table(rng, 60)
    family, rows, splits = make_family(kind, signal, rng), bin_table(X, categories), random_splits(60, 5, 0)
    long = fit_stumps(rows, family, np.ones(60), splits, Boosting(150, 0.3, patience=150))
    short = fit_stumps(rows, family, np.ones(60), splits, Boosting(150, 0.3, patience=11))
    assert long.loss.size == 151
    assert short.loss.size - 1 == short.n_rounds + 11 < 150
    np.testing.assert_array_equal(short.loss, long.loss[: short.loss.size])
    assert short.n_rounds == np.argmin(short.loss)
    cut = fit_stumps(rows, family, np.ones(60), [], Boosting(short.n_rounds, 0.3))
    same_model(short.model, cut.model, 1e-12)


def test_noise_and_no_rounds_leave_the_start(rng):
    rows, y, splits = bin_table(rng.normal(size=(50, 2))), rng.normal(size=50), random_splits(50, 2, 0)
    fitted = fit_stumps(rows, numbers_of(y), np.ones(50), splits, Boosting(0))
    assert fitted.loss.size == 1
    np.testing.assert_allclose(fitted.model.link(rows), y.mean())
    constant = fit_stumps(rows, numbers_of(np.full(50, 3.0)), np.ones(50), splits)
    np.testing.assert_array_equal(fold_links(constant, rows), 3.0)
    assert constant.n_rounds == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_weight_two_is_the_row_twice_and_one_of_weight_zero_no_row(rng, kind):
    X, signal, categories = make_table(rng)
    family, weight, splits = make_family(kind, signal, rng), rng.integers(0, 4, 80), random_splits(80, 4, 0)
    bins, twice = Bins().fit(X, categories, np.ones(80)), np.repeat(np.arange(80), weight)
    again = [Split(*(np.flatnonzero(np.isin(twice, part)) for part in split)) for split in splits]
    one = fit_stumps(bins.transform(X), family, weight.astype(float), splits, Boosting(40))
    two = fit_stumps(bins.transform(X[twice]), family.part(twice), np.ones(twice.size), again, Boosting(40))
    np.testing.assert_allclose(one.loss, two.loss, rtol=1e-9)
    for a, b in zip([one.model, *one.folds], [two.model, *two.folds], strict=True):
        same_model(a, b)


def test_rows_of_weight_zero_change_no_digit(rng):
    X, signal, categories = make_table(rng)
    family, rows = make_family("survival", signal, rng), bin_table(X, categories)
    kept, weight = np.arange(60), np.where(np.arange(80) < 60, 1.0, 0.0)
    one = fit_stumps(rows, family, weight, random_splits(60, 4, 0), Boosting(30))
    two = fit_stumps(rows[kept], family.part(kept), np.ones(60), random_splits(60, 4, 0), Boosting(30))
    np.testing.assert_array_equal(one.model.shapes, two.model.shapes)


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_changes_rounding_only(rng, kind):
    X, signal, categories = make_table(rng)
    X = np.column_stack([X, -X[:, 0], X[:, 3]])  # columns that part the rows alike
    categories = np.append(categories, [False, True])
    family, order = make_family(kind, signal, rng), rng.permutation(80)
    splits, place = random_splits(80, 4, 0), np.argsort(order)
    moved = [Split(place[split.train], place[split.test]) for split in splits]
    one = fit_stumps(bin_table(X, categories), family, np.ones(80), splits, Boosting(40))
    two = fit_stumps(bin_table(X[order], categories), family.part(order), np.ones(80), moved, Boosting(40))
    for a, b in zip([one.model, *one.folds], [two.model, *two.folds], strict=True):
        same_model(a, b)


@pytest.mark.parametrize("transform", [np.exp, lambda x: 1e-7 * x, lambda x: 1e8 + x, lambda x: 1e300 * x, np.cbrt])
def test_a_monotone_transform_of_a_column_changes_nothing(rng, transform):
    X = rng.choice(np.linspace(-1.0, 1.0, 300), size=(200, 3))
    y, other, splits = X[:, 0] + X[:, 1] ** 2, X.copy(), random_splits(200, 3, 0)
    other[:, 1] = transform(X[:, 1])
    one, two = (fit_stumps(bin_table(x), numbers_of(y), np.ones(200), splits, Boosting(30)) for x in (X, other))
    for a, b in zip([one.model, *one.folds], [two.model, *two.folds], strict=True):
        np.testing.assert_array_equal(a.shapes, b.shapes)


@pytest.mark.parametrize(("scale", "shift"), [(1e-150, 0.0), (1e150, 0.0), (1e-6, 1.0), (2.0, 1e6)])
def test_units_of_the_response_carry_over(rng, scale, shift):
    X, signal, categories = make_table(rng)
    rows, splits = bin_table(X, categories), random_splits(80, 3, 0)
    one = fit_stumps(rows, numbers_of(signal), np.ones(80), splits, Boosting(30))
    two = fit_stumps(rows, numbers_of(scale * signal + shift), np.ones(80), splits, Boosting(30))
    np.testing.assert_allclose(fold_links(two, rows), scale * fold_links(one, rows) + shift, rtol=1e-8)
    np.testing.assert_allclose(two.model.shapes, scale * one.model.shapes, rtol=1e-6, atol=1e-6 * scale)


@pytest.mark.parametrize("scale", [1e-170, 1e170])
def test_responses_whose_squares_are_no_numbers_are_fitted(rng, scale):
    X, signal, categories = make_table(rng)
    rows = bin_table(X, categories)
    one, two = (fit_stumps(rows, numbers_of(c * signal), np.ones(80), [], Boosting(30)).model for c in (1.0, scale))
    assert (one.shapes != 0.0).any()
    np.testing.assert_allclose(two.link(rows), scale * one.link(rows), rtol=1e-8)


def test_constant_columns_are_never_used(rng):
    X, signal, categories = make_table(rng, missing=0.0)
    X[:, [1, 3]] = 7.0
    fitted = fit_stumps(
        bin_table(X, categories), numbers_of(signal), np.ones(80), random_splits(80, 3, 0), Boosting(40)
    )
    for model in [fitted.model, *fitted.folds]:
        assert (model.shapes[[1, 3]] == 0.0).all()
        assert (model.shapes[0] != 0.0).any()


def test_a_huge_ridge_makes_small_steps_and_a_huge_least_none(rng):
    X, y = rng.normal(size=(40, 1)), rng.normal(size=40)
    rows = bin_table(X)
    small = fit_stumps(rows, numbers_of(y), np.ones(40), [], Boosting(1, 1.0, 1e9)).model
    steps = np.unique((small.link(rows)[:, 0] - y.mean()).round(12))
    away = np.cumsum((y - y.mean())[np.argsort(X[:, 0])])[2:-3]  # three rows at least on each side
    np.testing.assert_allclose(np.abs(steps), np.abs(away).max() / 1e9, rtol=1e-3)
    none = fit_stumps(rows, numbers_of(y), np.ones(40), random_splits(40, 2, 0), Boosting(9, min_hessian=20.1))
    assert (none.model.shapes == 0.0).all()
    assert none.n_rounds == 0


def test_missing_cells_learn_their_side_and_unseen_codes_get_no_step(rng):
    X = rng.normal(size=(200, 1))
    X[::2] = np.nan
    y = np.where(np.isnan(X[:, 0]) | (X[:, 0] > 1.0), 5.0, 0.0)
    model = fit_stumps(bin_table(X), numbers_of(y), np.ones(200), [], Boosting(1, 1.0, 0.0)).model
    np.testing.assert_allclose(model.link(bin_table(X))[:, 0], y, atol=1e-9)
    level = np.repeat(np.arange(4.0), 10)[:, None]
    full = bin_table(level, [True])
    part = fit_stumps(full[:30], numbers_of(level[:30, 0]), np.ones(30), [], Boosting(1, 1.0, 0.0)).model
    new = full.bins.transform(np.array([[3.0], [np.nan], [9.0]]))
    np.testing.assert_allclose(part.link(new), level[:30].mean())


def test_a_category_of_many_levels_of_noise_is_left_alone(rng):
    X = np.column_stack([rng.integers(0, 60, 300), rng.normal(size=300)])
    y = 0.3 * np.sign(X[:, 1]) + rng.normal(size=300)
    model = fit_stumps(bin_table(X, [True, False]), numbers_of(y), np.ones(300), [], Boosting(5)).model
    assert (model.shapes[0] == 0.0).all()


@pytest.mark.parametrize("kind", ["binary", "classes"])
def test_a_fold_that_saw_one_class_predicts_that_class(rng, kind):
    X, signal, categories = make_table(rng)
    family = make_family(kind, signal, rng)
    only = np.flatnonzero(family.y == 1)
    rest = np.setdiff1d(np.arange(80), only)
    rows = bin_table(X, categories)
    fitted = fit_stumps(rows, family, np.ones(80), [Split(only, rest), Split(rest, only)])
    assert (family.values(fitted.folds[0].link(rows))[rest, 1] > 0.999).all()
    assert np.isfinite(fitted.loss).all()


def test_steps_stay_within_what_the_family_believes(rng):
    X, time = np.repeat([[0.0], [1.0]], 30, axis=0), np.arange(60.0)
    family, rows = survival_of(np.repeat([1.0, 0.0], 30), time), bin_table(X)
    family.farthest_step = 0.05
    shape = fit_stumps(rows, family, np.ones(60), [], Boosting(1, 0.5, 0.0)).model.shapes[0, :2, 0]
    assert np.ptp(shape) == pytest.approx(0.05)


@pytest.mark.parametrize("kind", KINDS[:-1])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_curves_with_a_sign_never_turn_round_and_the_others_do(rng, kind, missing):
    X, signal, categories = make_table(rng, missing=missing)
    X[:, 1] = X[:, 0]  # whose effect goes up and down
    rows, family = bin_table(X, categories), make_family(kind, signal, rng)
    model = fit_stumps(rows, family, np.ones(80), [], Boosting(40), signs=[1, -1, 0, 0, 0]).model
    for column, sign in ((0, 1), (1, -1)):
        steps = sign * np.diff(model.shapes[column, : rows.bins.sizes[column]], axis=0)
        assert (steps >= 0).all()
        assert (steps > 0).any()
    model = fit_stumps(rows, family, np.ones(80), [], Boosting(40)).model
    free = np.diff(model.shapes[0, : rows.bins.sizes[0]], axis=0)
    assert (free > 0).any()
    assert (free < 0).any()


def test_memory_for_losses_changes_nothing(rng, monkeypatch):
    X, signal, categories = make_table(rng)
    family, rows, splits = make_family("classes", signal, rng), bin_table(X, categories), random_splits(80, 4, 0)
    one = fit_stumps(rows, family, np.ones(80), splits, Boosting(60, patience=5))
    for budget in (1, 60_000):
        monkeypatch.setattr(_blocks, "BUDGET", budget)
        two = fit_stumps(rows, family, np.ones(80), splits, Boosting(60, patience=5))
        np.testing.assert_allclose(one.loss, two.loss, rtol=1e-14)
        np.testing.assert_array_equal(fold_links(one, rows), fold_links(two, rows))


def test_a_bar_shows_rounds(rng, capsys):
    fit_stumps(bin_table(rng.normal(size=(20, 1))), numbers_of(rng.normal(size=20)), np.ones(20), [], Boosting(3), 1)
    assert "stumps" in capsys.readouterr().err


def test_bins_of_categories_are_counted():
    X = np.column_stack([np.arange(300.0), np.arange(300.0) % 5, np.full(300, np.nan), np.arange(300.0) % 7])
    bins = Bins().fit(X, np.array([True, True, True, False]), np.ones(300))
    assert bins.sizes.tolist() == [255, 5, 0, 7]
