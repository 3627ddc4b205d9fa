"""What is expected of rows by models that did not see them."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, TimeSeriesSplit
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

from heedful._effects.inputs import Column
from heedful._effects.nuisance import (
    Learner,
    check_amounts_left,
    check_known,
    check_learner,
    clip_propensity,
    draw_folds,
    expect,
)
from heedful._folds import Split

LABELS = np.array([0, 1])


def seeded():
    return np.random.RandomState(0)


def make_rows(rng, n=60):
    X = rng.normal(size=(n, 2))
    y = X[:, 0] + rng.normal(size=n)
    arms = (rng.random(n) < 0.5).astype(np.float64)
    return X, Column(y, None), Column(arms, LABELS)


def test_a_row_is_expected_by_a_model_of_the_other_folds(rng):
    X, y, arms = make_rows(rng)
    rows = draw_folds(X, [arms, y], np.ones(60), None, 5, seeded())
    found = expect(Learner((Ridge(),), ours=False), y, rows)
    chance = expect(Learner((LogisticRegression(),), ours=False), arms, rows)
    splits = rows.given_splits()
    assert sorted(np.concatenate([split.test for split in splits]).tolist()) == list(range(60))
    for train, test in splits:
        assert not set(train.tolist()) & set(test.tolist())
        np.testing.assert_allclose(found[test], Ridge().fit(X[train], y.values[train]).predict(X[test]))
        own = LogisticRegression().fit(X[train], arms.values[train]).predict_proba(X[test])[:, 1]
        np.testing.assert_allclose(chance[test], own)


def test_the_mean_of_several_models_counts(rng):
    X, y, arms = make_rows(rng)
    rows = draw_folds(X, [arms, y], rng.uniform(1.0, 3.0, 60), None, 5, seeded())
    for column, models in ((y, (Ridge(), Ridge(100.0))), (arms, (LogisticRegression(), LogisticRegression(C=0.01)))):
        one, other = (expect(Learner((model,), ours=False), column, rows) for model in models)
        np.testing.assert_allclose(expect(Learner(models, ours=False), column, rows), (one + other) / 2)
        assert np.abs(one - other).max() > 0.05


def test_what_is_expected_of_a_row_does_not_depend_on_its_own_values(rng):
    X, y, arms = make_rows(rng)
    moved_y, moved_arms = y.values.copy(), arms.values.copy()
    moved_y[7] += 100.0
    moved_arms[7] = 1 - moved_arms[7]
    found = []
    for outcomes, treatments in ((y.values, arms.values), (moved_y, moved_arms)):
        columns = [Column(treatments, LABELS), Column(outcomes, None)]
        rows = draw_folds(X, columns, np.ones(60), None, 5, seeded())
        learners = Learner((LogisticRegression(),), ours=False), Learner((Ridge(),), ours=False)
        found.append([expect(*pair, rows) for pair in zip(learners, columns, strict=True)])
    for before, after in zip(*found, strict=True):
        assert before[7] == after[7]
        assert (before != after).sum() > 30


def test_rows_of_no_weight_are_not_seen_and_what_is_expected_of_them_is_the_mean_of_all_folds(rng):
    X, y, _ = make_rows(rng, 30)
    weight = np.r_[np.zeros(5), rng.uniform(1.0, 3.0, 25)]
    spoilt = y._replace(values=np.where(weight > 0, y.values, 1e6))
    learner = Learner((LinearRegression(),), ours=False)
    rows = draw_folds(X, [spoilt], weight, None, 3, seeded())
    found = expect(learner, spoilt, rows)
    alone = draw_folds(X[5:], [Column(y.values[5:], None)], weight[5:], None, 3, seeded())
    np.testing.assert_array_equal(found[5:], expect(learner, Column(y.values[5:], None), alone))
    parts = [LinearRegression().fit(X[t], y.values[t], weight[t]).predict(X[:5]) for t, _ in rows.given_splits()]
    np.testing.assert_allclose(found[:5], np.mean(parts, axis=0))


def draw_cells(rng, n=240):
    """Return rows of three cells with two labels in each: equal rows are observations that happen to agree."""
    cell = rng.integers(0, 3, n)
    arms = (rng.random(n) < 0.5).astype(np.float64)
    return cell[:, None] * 1.0, Column((rng.random(n) < 0.2 + 0.3 * cell) * 1.0, LABELS), Column(arms, LABELS)


@pytest.mark.parametrize("draw", [make_rows, draw_cells])
def test_groups_stay_together(rng, draw):
    X, y, arms = draw(rng, 60)
    groups = rng.permutation(np.repeat(np.arange(12), 5))
    splits = draw_folds(X, [arms, y], np.ones(60), groups, 4, seeded()).given_splits()
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])
        assert train.size + test.size == 60
    assert len(splits) == 4


def test_copies_of_a_row_stay_with_it_and_count(rng):
    X, y, arms = make_rows(rng)
    again = rng.permutation(np.r_[np.arange(60), np.arange(20)])
    columns = [Column(arms.values[again], LABELS), Column(y.values[again], None)]
    rows = draw_folds(X[again], columns, np.ones(80), None, 5, seeded())
    for model in (KNeighborsRegressor(5), Ridge()):
        found = expect(Learner((model,), ours=False), columns[1], rows)
        for train, test in rows.given_splits():
            assert not set(again[train].tolist()) & set(again[test].tolist())
            known = model.fit(X[again[train]], y.values[again[train]]).predict(X[again[test]])
            np.testing.assert_allclose(found[test], known)


def test_rows_that_happen_to_be_equal_are_left_out_one_by_one(rng):
    X, y, arms = draw_cells(rng)
    rows = draw_folds(X, [arms, y], np.ones(240), None, 5, seeded())
    assert [test.size for _, test in rows.splits] == [48] * 5
    found = expect(Learner((DecisionTreeClassifier(),), ours=False), y, rows)
    # all copies left out together would leave the other label
    assert np.corrcoef(found, y.values)[0, 1] > 0.3
    for cell in range(3):
        own = X[:, 0] == cell
        assert np.mean(found[own]) == pytest.approx(y.values[own].mean(), abs=0.02)


@pytest.mark.parametrize("draw", [make_rows, draw_cells])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("model", [Ridge(), KNeighborsRegressor(5)])
def test_a_row_of_weight_two_is_the_row_twice_in_whatever_order(rng, draw, grouped, model):
    """Weights that are counts reach models that take no weights as copies."""
    X, y, arms = draw(rng, 60)
    groups = rng.integers(0, 15, 60)
    counts = rng.integers(0, 4, 60)
    again = rng.permutation(np.repeat(np.arange(60), counts))
    found = []
    for rows, weight in ((np.arange(60), 1.0 * counts), (again, np.ones(again.size))):
        columns = [Column(arms.values[rows], LABELS), Column(y.values[rows], None)]
        folds = draw_folds(X[rows], columns, weight, groups[rows] if grouped else None, 5, seeded())
        found.append(expect(Learner((model,), ours=False), columns[1], folds))
    np.testing.assert_array_equal(found[0][again], found[1])


def test_folds_that_are_given_are_those_of_the_rows(rng):
    X, y, _ = make_rows(rng)
    again = np.r_[np.arange(60), np.arange(20)]
    splits = [Split(*split) for split in GroupKFold(3).split(again, groups=again)]
    rows = draw_folds(X[again], [Column(y.values[again], None)], np.ones(80), None, splits, seeded())
    assert rows.observations.source.size == 60
    for given, found in zip(splits, rows.given_splits(), strict=True):
        np.testing.assert_array_equal(given.train, found.train)
        np.testing.assert_array_equal(given.test, found.test)
    apart = [Split(*split) for split in KFold(4).split(again)]
    assert draw_folds(X[again], [Column(y.values[again], None)], np.ones(80), None, apart, seeded()).order.size == 80


@pytest.mark.parametrize("splitter", [TimeSeriesSplit(3), ShuffleSplit(5, random_state=0)])
def test_folds_must_predict_each_row_once(rng, splitter):
    X, y, _ = make_rows(rng)
    splits = [Split(*split) for split in splitter.split(X)]
    with pytest.raises(ValueError, match="test part of exactly one fold"):
        draw_folds(X, [y], np.ones(60), None, splits, seeded())


def test_rare_arms_are_dealt_out_to_the_folds(rng):
    X = rng.normal(size=(40, 1))
    rare = np.zeros(40)
    rare[:2] = 1.0
    for state in range(20):
        rows = draw_folds(X, [Column(rare, LABELS)], np.ones(40), None, 2, np.random.RandomState(state))
        assert all(rare[train].sum() == 1 for train, _ in rows.given_splits())
    rare[1] = 0.0
    with pytest.raises(
        ValueError, match="`treatment` must have rows of both labels in the training part of all 2 folds"
    ):
        draw_folds(X, [Column(rare, LABELS)], np.ones(40), None, 2, seeded())


@pytest.mark.parametrize(
    ("model", "column", "error"),
    [
        ("forest", Column(np.ones(2), None), "`outcome` must be a scikit-learn regressor or classifier"),
        (LogisticRegression(), Column(np.ones(2), None), "`outcome` must be a regressor"),
        (RidgeClassifier(), Column(np.ones(2), LABELS), "`outcome` must have predict_proba"),
        (KNeighborsRegressor(), Column(np.ones(2), None), "`outcome` must take `sample_weight`"),
    ],
)
def test_models_that_do_not_suit_are_refused(model, column, error):
    with pytest.raises(TypeError, match=error):
        check_learner("outcome", model, column, weighted=True)


def test_models_that_suit_are_taken():
    check_learner("outcome", KNeighborsRegressor(), Column(np.ones(2), None), weighted=False)
    check_learner("outcome", LinearRegression(), Column(np.ones(2), LABELS), weighted=True)
    check_learner("propensity", DummyClassifier(), Column(np.ones(2), LABELS), weighted=True)


def test_a_known_propensity_is_one_number_or_one_for_each_row():
    arms, amounts = Column(np.array([0.0, 1.0]), LABELS), Column(np.array([3.0, 8.0]), None)
    np.testing.assert_array_equal(check_known(0.3, arms), [0.3, 0.3])
    np.testing.assert_array_equal(check_known([0.001, 0.999], arms), [0.001, 0.999])
    np.testing.assert_array_equal(check_known(5, amounts), [5.0, 5.0])
    for wrong, error in ((1.0, "> 0 and < 1"), ([0.5], "one for each of 2 rows"), (np.nan, "finite number")):
        with pytest.raises(ValueError, match=error):
            check_known(wrong, arms)
    with pytest.raises(TypeError, match="`propensity` must be numbers"):
        check_known("half", arms)


def test_propensities_are_kept_from_the_ends():
    chance = np.r_[0.001, np.full(98, 0.5), 0.999]
    np.testing.assert_array_equal(clip_propensity(chance, np.ones(100)), np.r_[0.02, np.full(98, 0.5), 0.98])
    many = np.r_[np.full(10, 0.001), np.full(90, 0.5)]
    with pytest.warns(UserWarning, match=r"10 of 100 rows have a propensity within 0.02.*Look at overlap"):
        clip_propensity(many, np.ones(100))
    with pytest.raises(ValueError, match=r"the treatment of 100 of 100 rows almost perfectly.*Leave out columns"):
        clip_propensity(np.full(100, 0.001), np.ones(100))
    # shares are by weight: a tenth of the rows that hardly count is no word, one that counts nearly alone the end
    light = np.r_[np.full(10, 0.1), np.ones(90)]
    np.testing.assert_array_equal(clip_propensity(many, light), np.clip(many, 0.02, 0.98))
    with pytest.raises(ValueError, match="of 10 of 100 rows almost perfectly"):
        clip_propensity(many, np.r_[np.full(10, 1e4), np.ones(90)])


def test_amounts_that_columns_tell_are_refused(rng):
    amount = rng.normal(size=50)
    check_amounts_left(amount, np.zeros(50), np.ones(50))
    with pytest.warns(UserWarning, match="estimates of effects depend on few rows"):
        check_amounts_left(amount, 0.9 * amount, np.ones(50))
    with pytest.raises(ValueError, match=r"no similar rows got different treatments\. Leave out columns"):
        check_amounts_left(amount, 0.9999 * amount, np.ones(50))
    half = np.where(np.arange(50) < 25, amount, 0.0)
    check_amounts_left(amount, half, np.ones(50))
    with pytest.raises(ValueError, match="there is no overlap"):
        check_amounts_left(amount, half, np.r_[np.full(25, 1.0), np.full(25, 1e-9)])
