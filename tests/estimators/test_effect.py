"""Treatment effects: laws of the estimator, and what it refuses."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heedful import AttentionEffect, AttentionLasso, AttentionLassoClassifier, load_model, save_model
from heedful.datasets import make_effects
from heedful.similarity import ForestProximity, GaussianSimilarity, default_forests

FEW = {"similarity": ForestProximity(16), "random_state": 0}
PLAIN = FEW | {"outcome": LinearRegression(), "propensity": LogisticRegression(tol=1e-12, max_iter=1000)}
N_TRAIN = 160


@pytest.fixture(scope="module")
def rows():
    return make_effects("groups", 200, random_state=3).split(N_TRAIN)


@pytest.fixture(scope="module")
def model(rows):
    train, _ = rows
    return AttentionEffect(**PLAIN).fit(train.X, train.y, train.treatment)


def pseudo_outcomes(model, train):
    left = train.treatment - model.propensity_
    return (train.y - model.expected_outcome_) / left, left**2


def test_effects_are_those_of_an_attention_lasso_of_pseudo_outcomes(rows):
    """One flow: if slopes of the baseline are believed in full nothing but the draws of trees differs."""
    train, test = rows
    y = train.y + 3 * (train.treatment - 0.5) * train.X[:, 3]
    how = {"similarity": GaussianSimilarity(), "mixing": 0.5, "random_state": 0}
    models = {"outcome": LinearRegression(), "propensity": LogisticRegression()}
    own = AttentionEffect(heads="single", temperature=1.0, **how, **models).fit(train.X, y, train.treatment)
    assert own.baseline_.guard_ == 1.0
    pseudo, weight = pseudo_outcomes(own, replace(train, y=y))
    alpha = own.baseline_.alpha_
    plain = AttentionLasso(heads="single", temperature=1.0, alpha=alpha, **how).fit(
        train.X, pseudo, sample_weight=weight
    )
    np.testing.assert_allclose(own.effect(test.X), plain.predict(test.X), rtol=1e-6)
    np.testing.assert_allclose(own.attention(test.X).toarray(), plain.attention(test.X).toarray(), atol=1e-9)
    np.testing.assert_allclose(own.local_models(test.X).lasso_coef, plain.local_models(test.X).lasso_coef, atol=1e-6)
    np.testing.assert_array_equal(own.predict(test.X), own.effect(test.X))


@pytest.mark.one_value
@pytest.mark.parametrize(
    "code",
    [
        lambda w: w.astype(bool),
        lambda w: w + 5.0,
        lambda w: np.where(w == 1, "treated", "control"),
        lambda w: pd.Series(w, index=np.arange(N_TRAIN)[::-1]),
        lambda w: w[:, None].astype(np.int8),
    ],
)
def test_how_the_treatment_is_coded_changes_nothing(rows, model, code):
    train, test = rows
    other = AttentionEffect(**PLAIN).fit(train.X, train.y, code(train.treatment))
    np.testing.assert_array_equal(other.effect(test.X), model.effect(test.X))
    assert other.average_effect() == model.average_effect()


def test_swapping_treatment_and_control_flips_signs(rows, model):
    train, test = rows
    other = AttentionEffect(**PLAIN).fit(train.X, train.y, np.where(train.treatment == 1, "a", "b"))
    assert other.treatments_.tolist() == ["a", "b"]
    np.testing.assert_allclose(other.effect(test.X), -model.effect(test.X), atol=1e-6)
    np.testing.assert_allclose(other.propensity_, 1 - model.propensity_, atol=1e-9)
    assert other.average_effect().effect == pytest.approx(-model.average_effect().effect, rel=1e-6)


@pytest.mark.long
@pytest.mark.more
def test_our_models_of_expectations_flip_signs_too(rows):
    train, test = rows
    own, other = (
        AttentionEffect(heads="single", **FEW).fit(train.X, train.y, w) for w in (train.treatment, -train.treatment)
    )
    np.testing.assert_allclose(other.effect(test.X), -own.effect(test.X), atol=1e-5)


@pytest.mark.more
def test_a_shifted_outcome_changes_no_effect(rows, model):
    train, test = rows
    other = AttentionEffect(**PLAIN).fit(train.X, train.y + 50.0, train.treatment)
    np.testing.assert_allclose(other.effect(test.X), model.effect(test.X), atol=1e-6)
    twice = AttentionEffect(**PLAIN).fit(train.X, 2 * train.y, train.treatment)
    np.testing.assert_allclose(twice.effect(test.X), 2 * model.effect(test.X), atol=1e-6)


def test_effects_of_an_amount_are_per_unit(rows, rng):
    train, test = rows
    amount = train.X[:, 4] + rng.normal(size=N_TRAIN)
    y = train.y + amount * train.X[:, 3]
    how = FEW | {"outcome": LinearRegression(), "propensity": LinearRegression()}
    own = AttentionEffect(**how).fit(train.X, y, amount)
    assert own.treatments_ is None
    for unit, zero in ((10.0, 3.0), (1e-8, 0.0)):
        other = AttentionEffect(**how).fit(train.X, y, unit * amount + zero)
        np.testing.assert_allclose(unit * other.effect(test.X), own.effect(test.X), atol=1e-5)
        assert unit * other.average_effect().effect == pytest.approx(own.average_effect().effect, rel=1e-6)
    assert np.corrcoef(own.effect(test.X), test.X[:, 3])[0, 1] > 0.5


def test_an_amount_that_is_what_was_expected_says_nothing(rows, rng):
    train, test = rows
    amount = rng.normal(size=N_TRAIN)
    amount[0] = 0.0
    own, other = (
        AttentionEffect(outcome=LinearRegression(), propensity=0.0, **FEW).fit(train.X, y, amount)
        for y in (train.y, np.r_[train.y[0], train.y[1:]])
    )
    assert np.isfinite(own.effect(test.X)).all()
    np.testing.assert_array_equal(own.effect(test.X), other.effect(test.X))


@pytest.mark.more
def test_without_differences_effects_are_the_average(rng):
    X = rng.normal(size=(400, 5))
    treatment = rng.integers(0, 2, 400)
    y = X[:, 0] + 2.0 * treatment + rng.normal(size=400)
    model = AttentionEffect(propensity=0.5, outcome=LinearRegression(), random_state=0).fit(X, y, treatment)
    assert model.mixing_ < 0.1
    found = model.effect(X)
    assert found.mean() == pytest.approx(model.average_effect().effect, abs=0.1)
    assert found.std() < 0.15
    average, left = model.average_effect(), treatment - 0.5
    # what the truth about outcomes would have made of the same rows
    known = 2.0 + left / 0.25 * (y - X[:, 0] - 1.0 - 2.0 * left)
    assert average.effect == pytest.approx(known.mean(), abs=average.standard_error)


@pytest.mark.more
def test_local_models_that_gain_next_to_nothing_are_not_believed():
    """Where all effects are equal most fits have no local part at all; by the guard of other responses half would."""
    mixing = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, treatment = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
        y = X[:, 0] + 2.0 * treatment + rng.normal(size=200)
        how = {"propensity": 0.5, "outcome": LinearRegression(), "random_state": 0}
        mixing.append(AttentionEffect(**how).fit(X, y, treatment).mixing_)
    assert sum(mixing) < 0.1
    assert np.mean(np.array(mixing) == 0) > 0.6


def test_a_known_propensity_is_used_as_it_is(rows):
    train, _ = rows
    chance = train.propensity.copy()
    chance[:3] = 0.001, 0.999, 0.4
    how = FEW | {"outcome": LinearRegression()}
    given = AttentionEffect(**how).fit(train.X, train.y, train.treatment, propensity=chance)
    np.testing.assert_array_equal(given.propensity_, chance)
    half = AttentionEffect(propensity=0.5, **how).fit(train.X, train.y, train.treatment)
    np.testing.assert_array_equal(half.propensity_, np.full(N_TRAIN, 0.5))
    pseudo, weight = pseudo_outcomes(given, train)
    np.testing.assert_allclose(given._model.rows.response["propensity"], chance)
    np.testing.assert_allclose(given.response_.encode(given._model.rows.response)[:, 0], pseudo)
    assert weight[0] in (0.001**2, 0.999**2)


@pytest.mark.long
@pytest.mark.more
def test_what_is_expected_of_a_row_does_not_depend_on_its_own_outcome(rows):
    train, _ = rows
    how = {"similarity": ForestProximity(8), "random_state": 0}
    moved = train.y.copy()
    moved[11] += 30.0
    own, other = (AttentionEffect(heads="single", **how).fit(train.X, y, train.treatment) for y in (train.y, moved))
    assert own.expected_outcome_[11] == other.expected_outcome_[11]
    assert (own.expected_outcome_ != other.expected_outcome_).any()
    np.testing.assert_array_equal(own.propensity_, other.propensity_)


@pytest.mark.long
@pytest.mark.more
def test_errors_of_what_is_expected_go_together_less_than_those_of_attention_lassos_alone():
    """The average effect is off by the mean product of the two errors."""
    rows = make_effects("A", 400, random_state=9000)
    truth = rows.baseline + (rows.propensity - 0.5) * rows.effect
    alone = {"outcome": AttentionLasso(heads="single", random_state=0)}
    alone["propensity"] = AttentionLassoClassifier(heads="single", random_state=0)
    products = []
    for how in ({}, alone):
        own = AttentionEffect(heads="single", similarity=ForestProximity(8), random_state=0, **how)
        own.fit(rows.X, rows.y, rows.treatment)
        products.append(((own.expected_outcome_ - truth) * (own.propensity_ - rows.propensity)).mean())
    assert 0 < products[0] < 0.85 * products[1]


def test_held_out_effects_are_those_of_rows_left_out(rows, model):
    train, _ = rows
    pseudo, weight = pseudo_outcomes(model, train)
    error = np.average((pseudo - model.held_out_effect_) ** 2, weights=weight)
    assert error == pytest.approx(model.held_out_error_["attention"], rel=1e-9)
    seen = np.average((pseudo - model.effect(train.X)) ** 2, weights=weight)
    assert seen < error


def draw_trial(rng, n):
    """Return a trial whose columns are three factors and whose outcomes are labels, with the effect in each cell."""
    X = pd.DataFrame({name: rng.choice(["a", "b"], n) for name in "stu"})
    effect = np.where(X["s"] == X["t"], 0.5, -0.5) + 0.1 * (X["u"] == "a")
    treatment = rng.integers(0, 2, n)
    risk = 0.45 + 0.05 * (X["u"] == "a") + (treatment - 0.5) * effect
    return X, (rng.random(n) < risk).to_numpy().astype(np.int64), treatment, np.asarray(effect)


def fit_rows(table, rows, how=PLAIN, **given):
    """Fit to some rows of a table (columns, outcome, treatment), by row numbers that may repeat."""
    X, y, treatment = table
    given = {name: values if values is None else values[rows] for name, values in given.items()}
    return AttentionEffect(heads="single", **how).fit(X[rows], y[rows], treatment[rows], **given)


def answers(model, X):
    """Return all that a model says of rows and of averages, as one array."""
    tests = model.heterogeneity().tests.drop(columns="meaning").to_numpy(dtype=np.float64)
    average = model.average_effect()
    parts = [
        model.effect(X),
        model.effect_interval(X),
        [average.effect, average.standard_error, average.p_value],
        tests,
    ]
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.fixture(scope="module")
def tables(rows):
    train, _ = rows
    X, y, treatment, _ = draw_trial(np.random.default_rng(1), 200)
    codes = X.apply(lambda column: pd.factorize(column, sort=True)[0]).to_numpy(dtype=np.float64)
    return {"numbers": (train.X, train.y, train.treatment), "factors": (codes, y, treatment)}


@pytest.mark.one_value
@pytest.mark.parametrize("beside", [(), ("sample_weight", "propensity"), ("groups",)])
@pytest.mark.parametrize("kind", ["numbers", "factors"])
def test_the_order_of_rows_changes_nothing(rng, tables, kind, beside):
    n = len(tables[kind][1])
    everything = {
        "sample_weight": rng.uniform(0.5, 2.0, n),
        "propensity": rng.uniform(0.3, 0.7, n),
        "groups": rng.integers(0, 40, n),
    }
    given = {name: everything[name] for name in beside}
    order = rng.permutation(n)
    own, mixed = (fit_rows(tables[kind], rows, **given) for rows in (np.arange(n), order))
    X = tables[kind][0][:30]
    np.testing.assert_allclose(answers(mixed, X), answers(own, X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(mixed.held_out_effect_, own.held_out_effect_[order], rtol=1e-9)


@pytest.mark.long
@pytest.mark.more
def test_the_order_of_rows_changes_nothing_of_our_models_of_expectations(rng, tables):
    order = rng.permutation(N_TRAIN)
    own, mixed = (fit_rows(tables["numbers"], rows, FEW) for rows in (np.arange(N_TRAIN), order))
    for name in ("expected_outcome_", "propensity_", "held_out_effect_"):
        np.testing.assert_allclose(getattr(mixed, name), getattr(own, name)[order], rtol=1e-9)


@pytest.mark.one_value
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", ["numbers", "factors"])
def test_a_row_of_weight_two_is_the_row_twice(rng, tables, kind, grouped):
    n = len(tables[kind][1])
    counts, groups = rng.integers(0, 4, n), rng.integers(0, 40, n) if grouped else None
    again = rng.permutation(np.repeat(np.arange(n), counts))
    chance = rng.uniform(0.3, 0.7, n) if kind == "numbers" else np.full(n, 0.5)
    known = {"propensity": chance, "groups": groups}
    own = fit_rows(tables[kind], np.arange(n), sample_weight=1.0 * counts, **known)
    twice = fit_rows(tables[kind], again, **known)
    X = tables[kind][0]
    np.testing.assert_allclose(own.effect(X), twice.effect(X), rtol=1e-8, atol=1e-8)
    assert own.average_effect().effect == pytest.approx(twice.average_effect().effect, rel=1e-8)
    np.testing.assert_allclose(own.held_out_effect_[again], twice.held_out_effect_, rtol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize("grouped", [False, True])
def test_rows_of_no_weight_are_not_there(rng, rows, tables, grouped):
    train, test = rows
    weight = rng.permutation(np.r_[np.zeros(20), rng.uniform(0.5, 2.0, N_TRAIN - 20)])
    groups = rng.integers(0, 40, N_TRAIN) if grouped else None
    spoilt = train.X, np.where(weight > 0, train.y, 1e4), train.treatment
    there = np.flatnonzero(weight > 0)
    own = fit_rows(spoilt, np.arange(N_TRAIN), sample_weight=weight, groups=groups)
    alone = fit_rows(spoilt, there, sample_weight=weight, groups=groups)
    np.testing.assert_allclose(answers(own, test.X), answers(alone, test.X), rtol=1e-9)
    assert own.average_effect().n_rows == N_TRAIN - 20
    for name in ("expected_outcome_", "propensity_", "held_out_effect_"):
        np.testing.assert_allclose(getattr(own, name)[there], getattr(alone, name), rtol=1e-9)
        assert np.isfinite(getattr(own, name)).all()


@pytest.mark.more
def test_a_trial_whose_rows_repeat_has_effects_of_the_right_sign(rng):
    """Equal rows are observations of their own: a column of noise, which tells them apart, is no help."""
    X, y, treatment, effect = draw_trial(rng, 500)
    errors = []
    for table in (X, X.assign(noise=rng.normal(size=500))):
        found = AttentionEffect(heads="single", propensity=0.5, **FEW).fit(table, y, treatment).effect(table)
        errors.append(np.sqrt(((found - effect) ** 2).mean()) / effect.std())
        if table is X:
            assert (found * effect > 0).all()
    assert errors[0] < min(0.5, errors[1] + 0.02)


def test_rows_that_repeat_stay_apart_in_many_cells_too(rng):
    """What is left of outcomes differs from cell to cell: whether equal rows are copies is seen by the outcomes."""
    X = rng.integers(0, 4, (800, 3)) * 1.0
    y, treatment = rng.integers(0, 2, (2, 800))
    own = AttentionEffect(heads="single", **FEW, outcome=LinearRegression(), propensity=0.5).fit(X, y, treatment)
    assert own._model.rows.weight.size == 800


def test_groups_stay_together_and_make_standard_errors(rows, model):
    train, _ = rows
    groups = np.repeat(np.arange(N_TRAIN // 4), 4)
    own = AttentionEffect(**PLAIN).fit(train.X, train.y, train.treatment, groups=groups)
    assert own.average_effect().n_groups == N_TRAIN // 4
    table = own._model.rows
    np.testing.assert_array_equal(table.give_rows(table.groups), groups)
    for fit, left_out in own._model.splits:
        assert not set(table.groups[fit]) & set(table.groups[left_out])
    assert model.average_effect().n_groups is None
    assert np.isfinite(own.held_out_effect_).all()


@pytest.mark.parametrize("grouped", [False, True])
def test_folds_may_be_a_splitter_or_splits(rows, grouped):
    train, test = rows
    groups = np.arange(N_TRAIN) // 2 if grouped else None
    splits = list(GroupKFold(3).split(train.X, groups=np.arange(N_TRAIN) // 2))
    given = [splits, iter(splits), GroupKFold(3)] if grouped else [splits, iter(splits)]
    models = [AttentionEffect(cv=cv, **PLAIN).fit(train.X, train.y, train.treatment, groups=groups) for cv in given]
    for fit, left_out in splits:
        expected = LinearRegression().fit(train.X[fit], train.y[fit]).predict(train.X[left_out])
        np.testing.assert_allclose(models[0].expected_outcome_[left_out], expected)
    for model in models[1:]:
        np.testing.assert_array_equal(model.effect(test.X), models[0].effect(test.X))


def test_folds_are_needed(rows):
    train, _ = rows
    for cv, error in (("oob", "number of folds, a splitter"), (1, "at least 2"), (0.5, "`cv`"), ([], "exactly one")):
        with pytest.raises((ValueError, TypeError), match=error):
            AttentionEffect(cv=cv, **PLAIN).fit(train.X, train.y, train.treatment)


def test_two_labels_of_an_outcome_give_a_risk_difference(rng):
    X = rng.normal(size=(200, 3))
    treatment = rng.integers(0, 2, 200)
    risk = 0.3 + 0.4 * treatment * (X[:, 0] > 0)
    y = np.where(rng.random(200) < risk, "ill", "healthy")
    own = AttentionEffect(heads="single", propensity=0.5, **FEW).fit(X, y, treatment)
    assert own.outcomes_.tolist() == ["healthy", "ill"]
    assert ((own.expected_outcome_ > 0) & (own.expected_outcome_ < 1)).all()
    found = own.average_effect()
    # of the labels in order the second counts: ill
    assert found.effect == pytest.approx(0.2, abs=3 * found.standard_error)
    by_number = AttentionEffect(heads="single", propensity=0.5, **FEW).fit(X, y == "ill", treatment)
    np.testing.assert_array_equal(by_number.effect(X), own.effect(X))


def test_frames_with_text_and_missing_cells_are_taken(rows):
    train, test = rows
    frame = pd.DataFrame(train.X, columns=list("abcdef"), index=[f"row {i}" for i in range(N_TRAIN)])
    frame["town"] = np.resize(["north", "south", None], N_TRAIN)
    frame.loc[frame.index[:10], "a"] = np.nan
    own = AttentionEffect(heads="single", features=["a", "d", "town"], **FEW)
    own.fit(frame, pd.Series(train.y, frame.index), pd.Series(train.treatment, frame.index))
    new = pd.DataFrame(test.X, columns=list("abcdef")).assign(town="south")
    found = own.explain(new)
    np.testing.assert_allclose(found.prediction, own.effect(new))
    assert found.task == "effect"
    assert found.words.prediction == "effect"
    assert found.train.columns.tolist() == ["outcome", "treatment", "expected_outcome", "propensity"]
    assert {"a", "d"} < set(own.local_models(new).lasso_coef.columns)
    assert "b" not in own.local_models(new).lasso_coef.columns
    balance = own.overlap().balance
    assert {"a", "town = north", "town is missing"} < set(balance.index)


def test_the_average_over_a_subset_is_that_of_its_rows(rows, model):
    train, _ = rows
    part = model.average_effect(subset=train.group == 1)
    assert part.n_rows == int((train.group == 1).sum())
    assert part.effect < model.average_effect().effect


def test_tests_and_overlap_are_told(rows, model):
    assert model.heterogeneity().n_rows == N_TRAIN // 2
    overlap = model.overlap()
    n_treated = int(rows[0].treatment.sum())
    assert overlap.arms["rows"].to_dict() == {0: N_TRAIN - n_treated, 1: n_treated}
    pd.testing.assert_series_equal(overlap.propensity, pd.Series(model.propensity_, name="propensity"))
    assert "R-loss" in str(model.summary())
    assert "off by" not in str(model.summary())
    assert str(model.summary()).startswith("AttentionEffect of outcome (a treatment effect)\n")


def test_saved_models_answer_the_same(rows, model, tmp_path):
    _, test = rows
    save_model(model, tmp_path / "effect.heedful")
    loaded = load_model(tmp_path / "effect.heedful")
    np.testing.assert_array_equal(loaded.effect(test.X), model.effect(test.X))
    assert loaded.average_effect() == model.average_effect()
    pd.testing.assert_frame_equal(loaded.overlap().balance, model.overlap().balance)


@pytest.mark.more
def test_treatments_are_routed_through_a_pipeline(rows):
    train, test = rows
    with config_context(enable_metadata_routing=True):
        effect = AttentionEffect(**PLAIN).set_fit_request(treatment=True)
        pipe = make_pipeline(StandardScaler(), effect).fit(train.X, train.y, treatment=train.treatment)
        assert pipe.predict(test.X).shape == (len(test.y),)


@pytest.mark.more
def test_treatments_and_weights_are_routed_through_cross_validation(rows):
    train, _ = rows
    given = {"treatment": train.treatment, "sample_weight": np.ones(N_TRAIN), "groups": np.arange(N_TRAIN) // 2}
    with config_context(enable_metadata_routing=True):
        effect = AttentionEffect(propensity=0.5, outcome=LinearRegression(), **FEW)
        effect.set_fit_request(treatment=True, sample_weight=True, groups=True)
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), effect)
        halves = list(GroupKFold(2).split(train.X, groups=given["groups"]))
        found = cross_val_predict(pipe, train.X, train.y, cv=halves, params=given)
        for there, left_out in halves:
            own = clone(pipe).fit(train.X[there], train.y[there], **{name: v[there] for name, v in given.items()})
            np.testing.assert_array_equal(found[left_out], own.predict(train.X[left_out]))


def test_without_a_request_a_treatment_is_not_passed_on(rows):
    train, _ = rows
    with config_context(enable_metadata_routing=True), pytest.raises(UnsetMetadataPassedError, match="treatment"):
        make_pipeline(AttentionEffect(**PLAIN)).fit(train.X, train.y, treatment=train.treatment)


def test_parameters_are_those_of_the_constructor():
    names = "cv features heads local mixing n_jobs outcome propensity random_state similarity"
    names += " temperature verbose"
    model = AttentionEffect(heads="single", propensity=LogisticRegression(C=3.0))
    assert sorted(model.get_params(deep=False)) == names.split()
    assert model.get_params()["propensity__C"] == 3.0
    other = clone(model).set_params(propensity__C=5.0, cv=3)
    assert (model.propensity.C, other.propensity.C, other.cv) == (3.0, 5.0, 3)


@pytest.mark.more
def test_frames_of_polars_give_the_same(rows, model):
    train, test = rows
    frame = pl.DataFrame(train.X, schema=list("abcdef"))
    own = AttentionEffect(**PLAIN).fit(frame, pl.Series(train.y), pl.Series(train.treatment))
    assert own.feature_names_in_.tolist() == list("abcdef")
    new = pl.DataFrame(test.X, schema=list("abcdef"))
    # sums of least squares go by how a table lies in memory
    np.testing.assert_allclose(own.effect(new), model.effect(test.X), rtol=1e-9)
    arms = pl.Series(np.where(train.treatment == 1, "treated", "control"))
    assert AttentionEffect(**PLAIN).fit(frame, pl.Series(train.y), arms).treatments_.tolist() == [
        "control",
        "treated",
    ]
    for asked in (own.effect, own.effect_interval, own.explain, own.local_models):
        with pytest.raises(ValueError, match="feature names"):
            asked(new.rename({"a": "other"}))
        with pytest.raises(ValueError, match=r"5 features|missing"):
            asked(new.drop("f"))


def test_what_has_no_meaning_for_effects_is_not_there(rows, model):
    with pytest.raises(ValueError, match="`y` must be None: effects are never observed"):
        model.explain(rows[1].X, rows[1].y)
    for name in ("predict_interval", "predict_proba", "score"):
        assert not hasattr(model, name)


def test_copies_and_text_are_those_of_scikit_learn(model):
    assert clone(model).get_params()["cv"] == 5
    assert "AttentionEffect(" in repr(AttentionEffect(heads="single"))
    with pytest.raises(NotFittedError):
        AttentionEffect().average_effect()


@pytest.mark.parametrize(
    ("how", "given", "error"),
    [
        ({"cv": 1}, {}, "`cv` must be at least 2"),
        ({"heads": "many"}, {}, "`heads` must be one of"),
        ({"outcome": "lasso"}, {}, "`outcome` must be a scikit-learn regressor"),
        ({"propensity": [0.5] * N_TRAIN}, {}, "One for each row goes to `fit`"),
        ({"propensity": 1.0}, {}, "`propensity` must be > 0 and < 1"),
        ({}, {"propensity": [0.5, 0.5]}, "one for each of 160 rows"),
        ({}, {"treatment": np.ones(N_TRAIN)}, "got 1.0 only. Add rows"),
        ({}, {"treatment": np.zeros(3)}, "`treatment` must have one value per row"),
        ({}, {"sample_weight": np.ones(3)}, "`sample_weight` must be a number or have one value per row"),
        ({}, {"y": np.zeros(3)}, "`y` must have one value per row"),
    ],
)
def test_what_cannot_be_used_is_refused_before_any_work(rows, how, given, error):
    train, _ = rows
    arguments = {"y": train.y, "treatment": train.treatment} | given
    with pytest.raises((ValueError, TypeError), match=error):
        AttentionEffect(**PLAIN | how).fit(train.X, **arguments)


def test_a_treatment_that_columns_decide_is_refused(rng):
    X = rng.normal(size=(300, 2))
    with pytest.raises(ValueError, match=r"almost perfectly.*Leave out columns that determine the treatment"):
        AttentionEffect(outcome=LinearRegression(), **FEW).fit(X, X[:, 1], X[:, 0] > 0)


def test_rows_of_no_weight_do_not_tell_whether_columns_decide_an_amount(rng):
    X, weight = rng.normal(size=(200, 2)), np.r_[np.ones(100), np.zeros(100)]
    amount = np.where(weight > 0, X[:, 0], rng.normal(size=200))
    how = FEW | {"outcome": LinearRegression(), "propensity": LinearRegression()}
    with pytest.raises(ValueError, match="no similar rows got different treatments"):
        AttentionEffect(**how).fit(X, X[:, 1], amount, sample_weight=weight)


def test_a_treatment_that_is_constant_within_every_site_is_refused(rng):
    X = pd.DataFrame({"site": rng.choice(list("abcdef"), 300), "age": rng.normal(size=300)})
    treatment = X["site"].isin(["a", "c", "e"])
    with pytest.raises(ValueError, match=r"no similar rows got different treatments.*Leave out columns"):
        AttentionEffect(heads="single", outcome=AttentionLasso(heads="single", **FEW), **FEW).fit(
            X, X["age"], treatment
        )


def test_propensities_near_the_ends_are_moved_with_a_warning(rng):
    X = rng.normal(size=(400, 3))
    treatment = rng.random(400) < 1 / (1 + np.exp(-5 * X[:, 0]))
    with pytest.warns(UserWarning, match=r"of 400 rows have a propensity within 0.02.*Look at overlap\(\)"):
        own = AttentionEffect(**PLAIN).fit(X, X[:, 1], treatment)
    assert own.propensity_.min() == 0.02
    assert own.propensity_.max() == 0.98
    assert "one treatment only" in own.overlap().verdict


def test_names_of_three_arms_and_unknown_treatments_are_refused(rows):
    train, _ = rows
    with pytest.raises(ValueError, match=r"3 levels: 'a', 'b', 'c'. Keep the rows of two"):
        AttentionEffect(**PLAIN).fit(train.X, train.y, np.resize(["a", "b", "c"], N_TRAIN))
    unknown = np.where(np.arange(N_TRAIN) < 2, np.nan, train.treatment)
    with pytest.raises(ValueError, match=r"got 2 missing or NaN. Drop those rows"):
        AttentionEffect(**PLAIN).fit(train.X, train.y, unknown)


def test_categories_with_an_order_say_who_is_treated(rows, model):
    train, test = rows
    names = np.where(train.treatment == 1, "drug", "placebo")
    arms = pd.Categorical(names, ["placebo", "drug"], ordered=True)
    own = AttentionEffect(**PLAIN).fit(train.X, train.y, pd.Series(arms))
    assert own.treatments_.tolist() == ["placebo", "drug"]
    np.testing.assert_array_equal(own.effect(test.X), model.effect(test.X))


@pytest.mark.more
def test_gains_where_smaller_is_better_are_those_of_the_outcome_turned_over(rows, model):
    train, _ = rows
    turned = AttentionEffect(**PLAIN).fit(train.X, -train.y, train.treatment)
    found = model.heterogeneity(smaller_is_better=True)
    np.testing.assert_allclose(found.curve["gain"], turned.heterogeneity().curve["gain"], atol=1e-6)


def test_many_heads_take_forests_of_every_kind(rows):
    train, test = rows
    own = AttentionEffect(outcome=LinearRegression(), propensity=0.5, similarity=default_forests(16), random_state=0)
    own.fit(train.X, train.y, train.treatment)
    assert len(own.similarity_) == 5
    assert np.isfinite(own.effect(test.X)).all()


def test_a_larger_coverage_widens_the_interval_of_the_average_around_the_same_middle(model):
    narrow, wide = (model.average_effect(coverage=coverage) for coverage in (0.5, 0.99))
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low) > 0
    assert wide.high + wide.low == pytest.approx(narrow.high + narrow.low)
