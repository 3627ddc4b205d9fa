"""Large tables: trees of a sample, and leaves that keep a sample of their rows."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from heedful import AttentionLasso, AttentionLassoClassifier, LocalLasso, _blocks
from heedful._flow.kinds import Run
from heedful._flow.out_of_fold import predict_out_of_fold
from heedful.similarity import ForestProximity, _own_forest, default_forests


@pytest.fixture
def table(rng):
    X = rng.normal(size=(200, 3))
    return X, np.where(X[:, 0] > 0, 2, -2) * X[:, 1] + 0.1 * rng.normal(size=200)


GIVEN = pytest.mark.parametrize("given", [False, True], ids=["own trees", "scikit-learn"])


def fit(table, given=False, **settings):
    how = {name: settings.pop(name) for name in ("min_samples_leaf",) if name in settings}
    template = RandomForestRegressor(20, random_state=0, **how) if given else None
    return ForestProximity(20, forest=template, random_state=0, **how, **settings).fit(*table)


@pytest.mark.one_value
@GIVEN
def test_leaves_with_room_for_all_rows_score_as_those_that_keep_all(table, rng, given):
    new = rng.normal(size=(30, 3))
    some, every = fit(table, given, leaf_rows=200), fit(table, given, leaf_rows=None)
    np.testing.assert_array_equal(some.scores(new).toarray(), every.scores(new).toarray())
    np.testing.assert_array_equal(some.oob_scores().toarray(), every.oob_scores().toarray())


@pytest.mark.one_value
@GIVEN
def test_a_sample_finds_fewer_meetings_and_invents_none(table, rng, given):
    new = rng.normal(size=(30, 3))
    every = fit(table, given, leaf_rows=None, min_samples_leaf=10).scores(new).toarray()
    for room in (1, 3):
        some = fit(table, given, leaf_rows=room, min_samples_leaf=10).scores(new)
        assert (some.toarray() <= every).all()
        np.testing.assert_allclose(some.sum(axis=1), room)  # leaves hold ten rows or more, so all room is used


@pytest.mark.one_value
@GIVEN
@pytest.mark.parametrize("times", [1.0, 1.5])
def test_a_leaf_stores_so_many_times_the_rows_that_were_drawn_in_it(table, given, times):
    some, every = (fit(table, given, leaf_rows=rows, min_samples_leaf=5)._grown.index for rows in (times, None))
    drawn = np.add.reduceat((every.counts > 0).astype(int), every.starts[:-1])
    stored = np.minimum(np.ceil(times * drawn), np.diff(every.starts))
    np.testing.assert_array_equal(np.diff(some.starts), stored)


@pytest.mark.one_value
@GIVEN
def test_leaf_weights_of_a_sample_are_even_within_a_leaf(table, given):
    forest = fit(table, given, leaf_rows=3, min_samples_leaf=10)
    rows = forest.score_rows(table[0][:10].astype(np.float32))
    np.testing.assert_allclose(rows.leaf, rows.score / 3)


@pytest.mark.one_value
@GIVEN
def test_rows_that_a_tree_drew_are_not_scored_by_it(table, given):
    forest = fit(table, given, leaf_rows=4, min_samples_leaf=5)
    found = forest.oob_scores().toarray()
    starts, members, _, _, inside = forest._grown.index
    drew = np.unpackbits(inside, axis=1, count=20).T.astype(bool)
    if given:
        samples = forest.forest_.estimators_samples_
        np.testing.assert_array_equal(drew, [np.bincount(rows, minlength=200) > 0 for rows in samples])
    leaves = forest._grown.leaves(forest._grown.train(np.arange(200)))
    for i in range(0, 200, 17):
        outside = np.flatnonzero(~drew[:, i])
        met = np.zeros(200)
        for t in outside:
            met[members[starts[leaves[t, i]] : starts[leaves[t, i] + 1]]] += 1 / outside.size
        met[i] = 0.0
        np.testing.assert_allclose(found[i], met, atol=1e-12)


@pytest.mark.one_value
@GIVEN
def test_the_same_rows_are_kept_in_most_trees(table, given):
    """One order of the rows for all leaves: fewer rows are kept in all than by a choice of its own in each leaf."""
    forest = fit(table, given, leaf_rows=2, min_samples_leaf=20)
    kept = np.bincount(forest._grown.index.members, minlength=200) > 0
    by_chance = 1 - (1 - 2 / 30) ** 20  # leaves of 20 to 40 rows or so
    assert kept.mean() < 0.75 * by_chance


def test_up_to_the_limit_auto_is_none(table, rng):
    new = rng.normal(size=(30, 3))
    one, two = fit(table), fit(table, max_samples=None, leaf_rows=None)
    np.testing.assert_array_equal(one.scores(new).toarray(), two.scores(new).toarray())


@pytest.mark.parametrize(("n_estimators", "times"), [(20, 1), ("auto", 3)])
def test_beyond_the_limit_auto_draws_fewer_and_keeps_some(table, monkeypatch, n_estimators, times):
    monkeypatch.setattr(_own_forest, "TREES", {"response": 20})
    whole = fit(table, max_samples=50, leaf_rows=None)
    monkeypatch.setattr(_own_forest, "FEWEST", 1.0)
    monkeypatch.setattr(_own_forest, "MOST_DRAWN", 50)
    one, two = (
        fit(table).set_params(n_estimators=n_estimators).fit(*table),
        fit(table, max_samples=50, leaf_rows=float(times)),
    )
    np.testing.assert_array_equal(one.scores(table[0]).toarray(), two.scores(table[0]).toarray())
    every = whole._grown.index
    drawn = np.add.reduceat((every.counts > 0).astype(int), every.starts[:-1])
    np.testing.assert_array_equal(np.diff(one._grown.index.starts), np.minimum(times * drawn, np.diff(every.starts)))
    assert (every.counts.reshape(20, 200).sum(axis=1) == 50).all()


def test_threads_and_blocks_do_not_matter(table, monkeypatch):
    whole = fit(table, leaf_rows=3)
    monkeypatch.setattr(_blocks, "BUDGET", 8_000)  # five trees at a time
    for n_jobs in (1, 2):
        for a, b in zip(whole._grown.index, fit(table, leaf_rows=3, n_jobs=n_jobs)._grown.index, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("name", "value"), [("leaf_rows", 0), ("leaf_rows", "some"), ("max_samples", "all")])
def test_sizes_that_are_none_are_refused(table, name, value):
    with pytest.raises(ValueError, match=f"`{name}` must be"):
        fit(table, **{name: value})


@pytest.mark.more
@pytest.mark.parametrize("kind", [AttentionLasso, AttentionLassoClassifier])
def test_heads_are_tried_on_as_many_rows_as_asked_for(table, kind):
    X, y = table
    y = y if kind is AttentionLasso else y > 0
    forests = default_forests(8)
    model = kind(similarity=forests, local=LocalLasso(tuning_rows=50), random_state=0).fit(X, y)
    assert model._model.problem.tried.size == 50
    assert np.isfinite(model.heads_["error"]).all()
    sizes = [LocalLasso(tuning_rows=rows) for rows in (None, 200, 10_000)]
    all_rows = [kind(similarity=forests, local=local, random_state=0).fit(X, y) for local in sizes]
    for other in all_rows[1:]:
        np.testing.assert_array_equal(other.predict(X), all_rows[0].predict(X))


@pytest.mark.one_value
@pytest.mark.parametrize("cv", ["oob", 5])
def test_rows_that_are_not_tried_have_no_say(table, cv):
    X, y = table
    how = {"local": LocalLasso(tuning_rows=40, shapes=False), "cv": cv, "random_state": 0}
    model = AttentionLasso(similarity=ForestProximity(10), **how).fit(X, y)
    oof = predict_out_of_fold(model._model, cv == "oob", Run())
    np.testing.assert_array_equal(oof.number, model._model.problem.tried)
    assert np.isfinite(oof.heads).all()
    assert np.isfinite(oof.baseline).all()
    np.testing.assert_array_equal(model._model.held_out.number, model._model.problem.tried)


def test_too_few_rows_to_try_are_refused(table):
    with pytest.raises(ValueError, match="`tuning_rows` must be >= 10"):
        AttentionLasso(local=LocalLasso(tuning_rows=5)).fit(*table)
