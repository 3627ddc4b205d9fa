import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError

from heedful._kernels.shapes import ScoreRows
from heedful.similarity import ForestProximity
from heedful.similarity._forest import normal_scores, strongest_scores
from heedful.similarity._own_forest import count_tried
from heedful.similarity._protocol import TARGETS
from reference.forest import bucket_counts, draw_counts, prediction_weights, shared_leaves


def table(rng, case="random"):
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    if case == "tied":
        X, y = np.round(X), np.round(y)
    if case == "constant":
        y[:] = 1.0
    return X, y + (X[:, 0] > 0 if case != "constant" else 0)


def dense(rows: ScoreRows, values, n_train=30):
    return sparse.csr_array((values, rows.indices, rows.indptr), shape=(rows.indptr.size - 1, n_train)).toarray()


def leaf_weights(rows, n_train=30):
    return dense(rows, rows.leaf, n_train)


CASES = pytest.mark.parametrize("case", ["random", "tied", "constant"])
GIVEN = pytest.mark.parametrize("given", [False, True], ids=["own trees", "scikit-learn"])


def grown(n_trees, given, **settings):
    """Return a forest to fit: of our own trees, or one of scikit-learn that is handed in."""
    if given:
        return ForestProximity(forest=RandomForestRegressor(n_trees, random_state=0, **settings))
    return ForestProximity(n_trees, random_state=0, **settings)


def drawn_rows(proximity, n_train=30):
    """Return how often each tree drew each row."""
    if proximity.forest is None:
        return bucket_counts(proximity._grown.index, n_train)
    return draw_counts(proximity.forest_, n_train)


def predictions(proximity, queries, X, y):
    """Return what the forest predicts: the mean over trees of the mean response of the draws in a leaf."""
    leaves, own, drawn = proximity.forest_.apply(queries), proximity.forest_.apply(X), drawn_rows(proximity, len(X))
    means = [
        [np.average(y[own[:, t] == leaf], axis=0, weights=drawn[t, own[:, t] == leaf]) for t, leaf in enumerate(row)]
        for row in leaves
    ]
    return np.mean(means, axis=1)


@pytest.mark.one_value
@CASES
@GIVEN
def test_scores_equal_the_double_loop_over_leaves(rng, case, given):
    X, y = table(rng, case)
    proximity, queries = grown(7, given).fit(X, y), rng.normal(size=(4, 3))
    forest = proximity.forest_
    expected = shared_leaves(forest.apply(queries).T, forest.apply(X).T)
    np.testing.assert_allclose(proximity.scores(queries).toarray(), expected, atol=1e-15)


@pytest.mark.one_value
@CASES
@GIVEN
def test_out_of_bag_scores_equal_loops_over_trees_that_did_not_draw_the_row(rng, case, given):
    X, y = table(rng, case)
    proximity = grown(7, given).fit(X, y)
    leaves, drawn = proximity.forest_.apply(X).T, drawn_rows(proximity)
    expected = shared_leaves(leaves, leaves, np.arange(30), drawn)
    rows = proximity.train_rows(np.arange(30))
    np.testing.assert_allclose(dense(rows, rows.score), expected, atol=1e-15)
    np.testing.assert_allclose(
        proximity.oob_scores().toarray(), np.where(expected > -np.inf, expected, 0.0), atol=1e-15
    )


def test_some_training_rows_are_scored_as_all_of_them_are(rng):
    proximity = ForestProximity(7, random_state=0).fit(*table(rng))
    some, every = proximity.train_rows(np.array([8, 2])), proximity.train_rows(np.arange(30))
    np.testing.assert_array_equal(dense(some, some.score), dense(every, every.score)[[8, 2]])


def test_a_training_row_is_never_scored_against_itself(rng):
    rows = ForestProximity(7, random_state=0).fit(*table(rng)).train_rows(np.arange(30))
    assert (dense(rows, rows.score).diagonal() == -np.inf).all()
    assert (leaf_weights(rows).diagonal() == 0.0).all()


@pytest.mark.one_value
@CASES
@GIVEN
def test_leaf_weights_times_the_response_are_the_forests_prediction(rng, case, given):
    X, y = table(rng, case)
    proximity, queries = grown(9, given).fit(X, y), rng.normal(size=(6, 3)).astype(np.float32)
    weights = leaf_weights(proximity.score_rows(queries))
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(weights @ y, predictions(proximity, queries, X, y))
    if given:
        np.testing.assert_allclose(weights @ y, proximity.forest_.predict(queries))


def test_out_of_bag_leaf_weights_give_the_forests_out_of_bag_prediction(rng):
    X, y = table(rng)
    template = RandomForestRegressor(40, min_samples_leaf=2, oob_score=True, random_state=0)
    proximity = ForestProximity(forest=template).fit(X, y)
    weights = leaf_weights(proximity.train_rows(np.arange(30)))
    np.testing.assert_allclose(weights @ y, proximity.forest_.oob_prediction_)


def test_leaf_weights_equal_the_twin(rng):
    X, y = table(rng)
    proximity, queries = ForestProximity(7, max_samples=0.6, random_state=0).fit(X, y), rng.normal(size=(4, 3))
    forest, drawn = proximity.forest_, drawn_rows(proximity)
    assert (drawn.sum(axis=1) == 18).all()
    expected = prediction_weights(forest.apply(queries).T, forest.apply(X).T, drawn)
    np.testing.assert_allclose(leaf_weights(proximity.score_rows(queries)), expected, atol=1e-15)


def test_leaf_weights_times_sample_weights_are_the_forests_own(rng):
    (X, y), weight = table(rng), rng.integers(0, 4, size=30).astype(float)
    proximity = ForestProximity(9, random_state=0).fit(X, y, sample_weight=weight)
    weights = leaf_weights(proximity.score_rows(X)) * weight / weight.mean()
    np.testing.assert_allclose(weights @ y, predictions(proximity, X, X, y))
    assert (drawn_rows(proximity)[:, weight == 0] == 0).all()


def test_leaf_weights_of_a_weighted_forest_of_any_scikit_learn_give_its_prediction(rng):
    (X, y), weight = table(rng), rng.uniform(0.5, 3.0, size=30)
    proximity = grown(9, True, min_samples_leaf=3).fit(X, y, sample_weight=weight)
    weights = leaf_weights(proximity.score_rows(X.astype(np.float32))) * weight / weight.mean()
    np.testing.assert_allclose(weights @ y, proximity.forest_.predict(X))


def test_leaf_weights_give_the_prediction_of_trees_that_weigh_rows_drawn_alike(rng):
    (X, y), weight = table(rng), rng.uniform(0.5, 3.0, size=30)
    forest = RandomForestRegressor(9, min_samples_leaf=3, random_state=0).fit(X, y)
    # as scikit-learn before 1.9 fits a forest
    for tree, drawn in zip(forest.estimators_, draw_counts(forest, 30), strict=True):
        tree.fit(X, y, sample_weight=drawn * weight)
    weights = leaf_weights(ForestProximity(forest=forest).fit(X, y, weight).score_rows(X)) * weight / weight.mean()
    np.testing.assert_allclose(weights @ y, forest.predict(X))


def test_without_bootstrap_leaf_weights_are_the_forests_own(rng):
    X, y = table(rng)
    proximity = ForestProximity(forest=ExtraTreesRegressor(9, min_samples_leaf=3, random_state=0)).fit(X, y)
    queries = rng.normal(size=(6, 3)).astype(np.float32)
    np.testing.assert_allclose(leaf_weights(proximity.score_rows(queries)) @ y, proximity.forest_.predict(queries))


def test_without_bootstrap_leaf_weights_follow_the_sample_weights_too(rng):
    (X, y), weight = table(rng), rng.uniform(0.5, 3.0, size=30)
    template = ExtraTreesRegressor(9, min_samples_leaf=3, random_state=0)
    proximity = ForestProximity(forest=template).fit(X, y, sample_weight=weight)
    weights = leaf_weights(proximity.score_rows(X.astype(np.float32))) * weight / weight.mean()
    np.testing.assert_allclose(weights @ y, proximity.forest_.predict(X))


def test_without_bootstrap_there_are_no_out_of_bag_scores(rng):
    proximity = ForestProximity(forest=ExtraTreesRegressor(5, random_state=0)).fit(*table(rng))
    for ask in (proximity.oob_scores, lambda: proximity.train_rows(np.arange(3))):
        with pytest.raises(ValueError, match="needs a forest with bootstrap=True"):
            ask()


def test_a_fitted_forest_is_taken_as_it_is(rng):
    X, y = table(rng)
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    trees = list(forest.estimators_)
    proximity = ForestProximity(forest=forest).fit(X, y)
    assert proximity.keeps_rows
    assert proximity.forest_ is forest
    assert all(one is other for one, other in zip(forest.estimators_, trees, strict=True))


def test_an_unfitted_forest_is_a_template(rng):
    template = RandomForestRegressor(5, max_depth=2, random_state=0)
    proximity = ForestProximity(forest=template).fit(*table(rng))
    assert not proximity.keeps_rows
    assert not hasattr(template, "estimators_")
    assert proximity.forest_.get_params() == template.get_params()


def test_a_fitted_forest_and_its_template_give_the_same_scores(rng):
    X, y = table(rng)
    template = RandomForestRegressor(5, random_state=0)
    one, other = (ForestProximity(forest=f).fit(X, y) for f in (template, clone(template).fit(X, y)))
    np.testing.assert_array_equal(one.oob_scores().toarray(), other.oob_scores().toarray())


@pytest.mark.parametrize("n_rows", [20, 40])
def test_a_forest_that_was_fitted_on_other_rows_is_refused(rng, n_rows):
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    forest = RandomForestRegressor(30, random_state=0).fit(X[:30], y[:30])
    with pytest.raises(ValueError, match="`forest` was fitted on"):
        ForestProximity(forest=forest).fit(X[:n_rows], y[:n_rows])


def test_trees_are_as_many_and_as_large_as_asked_for(rng):
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    for settings, split, leaf in (({}, 6, 1), ({"min_samples_leaf": 8}, 16, 8), ({"min_samples_split": 0.2}, 20, 1)):
        proximity = ForestProximity(5, max_samples=0.5, random_state=3, **settings).fit(X, y)
        drawn, leaves = drawn_rows(proximity, 200), proximity.forest_.apply(X)
        assert drawn.shape[0] == proximity.forest_.n_trees == 5
        assert (drawn.sum(axis=1) == 100).all()
        for t in range(5):
            sizes = np.bincount(leaves[:, t], weights=drawn[t])
            assert sizes[sizes > 0].min() >= leaf
            # a node that is not split has few draws, or rows that no column can tell apart
            assert sizes.max() < 2 * split


@pytest.mark.parametrize(("features", "tried"), [("sqrt", 3), ("log2", 3), (2, 2), (0.5, 5), (None, 10), (50, 10)])
def test_candidate_features_are_counted_as_in_scikit_learn(features, tried):
    assert count_tried(features, 10) == tried


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("max_features", "half"), ("max_features", 0), ("max_features", 1.5), ("max_samples", 0)),
        *(("min_samples_leaf", 0), ("min_samples_split", 1), ("min_samples_split", 1.5), ("n_estimators", 0)),
    ],
)
def test_sizes_of_trees_that_are_none_are_refused(rng, name, value):
    with pytest.raises(ValueError, match=f"`{name}` must be"):
        ForestProximity(**{name: value}).fit(*table(rng))


@pytest.mark.one_value
@pytest.mark.parametrize("labels", [["a", "b", "c"], [True, False, True]])
def test_text_and_boolean_responses_are_grown_by_class(rng, labels):
    X, _ = table(rng)
    y = np.resize(labels, 30)
    proximity = ForestProximity(5, random_state=0).fit(X, y)
    columns = (y[:, None] == np.unique(y)).astype(float)
    other = ForestProximity(5, random_state=0).fit(X, columns)
    # for two classes a column for each gives the same gains as one for both
    np.testing.assert_array_equal(proximity.forest_.apply(X), other.forest_.apply(X))
    leaves = proximity.forest_.apply(X).T
    np.testing.assert_allclose(proximity.scores(X[:3]).toarray(), shared_leaves(leaves[:, :3], leaves))


def test_the_task_decides_what_whole_numbers_are(rng):
    X, y = table(rng)
    number = (10 * (y > 0) + (y > 1)).astype(int)
    scores = {
        task: ForestProximity(9, task=task, random_state=0).fit(X, number).scores(X).toarray()
        for task in ("auto", "regression", "classification")
    }
    labels = ForestProximity(9, random_state=0).fit(X, number.astype(str)).scores(X).toarray()
    np.testing.assert_array_equal(scores["auto"], scores["regression"])
    np.testing.assert_array_equal(scores["classification"], labels)
    assert (scores["regression"] != labels).any()


def test_missing_values_are_taken_by_the_trees(rng):
    X, y = table(rng)
    X[rng.uniform(size=X.shape) < 0.3] = np.nan
    proximity = ForestProximity(7, random_state=0).fit(X, y)
    leaves = proximity.forest_.apply(X).T
    np.testing.assert_allclose(proximity.scores(X).toarray(), shared_leaves(leaves, leaves), atol=1e-15)
    assert np.isfinite(proximity.oob_scores().toarray()).all()


def test_a_seed_repeats_the_scores(rng):
    X, y = table(rng)
    one, two = (ForestProximity(5, random_state=1).fit(X, y).scores(X[:3]).toarray() for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_equal_sample_weights_are_no_weights(rng):
    X, y = table(rng)
    plain, weighted = (ForestProximity(5, random_state=1).fit(X, y, w) for w in (None, np.full(30, 2.5)))
    np.testing.assert_array_equal(plain.scores(X).toarray(), weighted.scores(X).toarray())
    np.testing.assert_allclose(plain.score_rows(X).leaf, weighted.score_rows(X).leaf)


def test_rows_with_the_wrong_number_of_columns_are_refused(rng):
    proximity = ForestProximity(5, random_state=0).fit(*table(rng))
    with pytest.raises(ValueError, match="feature"):
        proximity.scores(rng.normal(size=(2, 1)))


def test_asking_before_fitting_is_an_error():
    for ask in (lambda: ForestProximity().scores([[1.0]]), ForestProximity().oob_scores):
        with pytest.raises(NotFittedError):
            ask()


def test_a_bad_task_is_refused(rng):
    with pytest.raises(ValueError, match="`task` must be one of"):
        ForestProximity(3, task="ranking").fit(*table(rng))


def test_a_bad_target_is_refused(rng):
    with pytest.raises(ValueError, match="`target` must be one of 'response', 'residual', 'scores', got 'error'"):
        ForestProximity(3, target="error").fit(*table(rng))


def test_on_its_own_a_forest_is_fitted_to_what_it_is_given(rng):
    X, y = table(rng)
    one, *others = (ForestProximity(5, target=target, random_state=0).fit(X, y) for target in TARGETS)
    for other in others:
        np.testing.assert_array_equal(one.scores(X).toarray(), other.scores(X).toarray())


def draw_scores(rng, n_rows, sizes):
    """Return columns of these root mean squares."""
    columns = rng.normal(size=(n_rows, len(sizes)))
    return columns * sizes / np.sqrt((columns**2).mean(axis=0))


def test_of_many_scores_the_eight_of_largest_mean_square_are_kept_in_their_order(rng):
    sizes = rng.permutation(np.linspace(0.5, 1.5, 30))
    found = draw_scores(rng, 50, sizes)
    np.testing.assert_array_equal(strongest_scores(found, np.ones(50)), found[:, sizes > np.sort(sizes)[-9]])


def test_few_scores_are_all_kept(rng):
    found = draw_scores(rng, 20, [1.0, 0.0, 2.0])
    np.testing.assert_array_equal(strongest_scores(found, np.ones(20)), found)


def test_a_row_of_weight_three_counts_three_times_when_scores_are_chosen(rng):
    found, weight = rng.normal(size=(40, 30)), rng.integers(1, 4, 40)
    often = np.repeat(np.arange(40), weight)
    chosen = strongest_scores(found, weight.astype(float))
    np.testing.assert_array_equal(chosen[often], strongest_scores(found[often], np.ones(often.size)))
    assert not np.array_equal(chosen, strongest_scores(found, np.ones(40)))


@pytest.mark.one_value
@pytest.mark.parametrize("own", [True, False])
def test_a_forest_of_scores_is_grown_on_the_chosen_ones(rng, own):
    X, found = rng.normal(size=(60, 3)), draw_scores(rng, 60, np.linspace(1.0, 2.0, 20))
    forest = None if own else RandomForestRegressor(5, random_state=0)
    how = {"n_estimators": 5, "forest": forest, "random_state": 0}
    scores = ForestProximity(target="scores", **how).fit(X, found).scores(X).toarray()
    np.testing.assert_array_equal(scores, ForestProximity(**how).fit(X, found[:, 12:]).scores(X).toarray())
    assert not np.array_equal(scores, ForestProximity(**how).fit(X, found).scores(X).toarray())


def test_several_columns_of_numbers_are_fitted_together(rng):
    X, y = table(rng)
    columns = np.column_stack([y, rng.normal(size=30)])
    proximity = ForestProximity(7, random_state=0).fit(X, columns)
    leaves = proximity.forest_.apply(X).T
    np.testing.assert_allclose(proximity.scores(X).toarray(), shared_leaves(leaves, leaves), atol=1e-15)
    np.testing.assert_allclose(leaf_weights(proximity.score_rows(X)) @ columns, predictions(proximity, X, X, columns))


@pytest.mark.parametrize("fitted", [False, True])
def test_an_ensemble_that_is_no_forest_is_refused(rng, fitted):
    X, y = table(rng)
    booster = GradientBoostingRegressor(n_estimators=2)
    with pytest.raises(TypeError, match="`forest` must be"):
        ForestProximity(forest=booster.fit(X, y) if fitted else booster).fit(X, y)


def test_a_forest_on_ranks_knows_nothing_of_the_sizes_of_responses(rng):
    X, y = table(rng)
    one, two = (ForestProximity(7, ranks=True, random_state=0).fit(X, value) for value in (y, np.exp(3 * y)))
    np.testing.assert_array_equal(one.scores(X).toarray(), two.scores(X).toarray())
    plain = ForestProximity(7, random_state=0).fit(X, np.exp(3 * y))
    assert (plain.scores(X).toarray() != two.scores(X).toarray()).any()


def test_ranks_of_labels_are_the_labels(rng):
    X, y = table(rng)
    labels = np.where(y > 0, "a", "b")
    one, two = (ForestProximity(7, ranks=ranks, random_state=0).fit(X, labels) for ranks in (False, True))
    np.testing.assert_array_equal(one.scores(X).toarray(), two.scores(X).toarray())


def test_normal_scores_keep_order_ties_and_weights(rng):
    y = np.array([3.0, -1.0, 3.0, 50.0])
    score = normal_scores(y, np.ones(4))
    assert score[1] < score[0] == score[2] < score[3]
    np.testing.assert_allclose(score[3], -score[1])
    twice = normal_scores(np.repeat(y, [1, 2, 1, 3]), np.ones(7))
    np.testing.assert_allclose(normal_scores(y, np.array([1.0, 2.0, 1.0, 3.0])), twice[[0, 1, 3, 4]])
    both = normal_scores(np.column_stack([y, -y]), np.ones(4))
    np.testing.assert_array_equal(both[:, 0], score)
    np.testing.assert_allclose(both[:, 1], -score)
    assert np.isfinite(normal_scores(y, np.array([0.0, 0.0, 1.0, 0.0]))).all()
