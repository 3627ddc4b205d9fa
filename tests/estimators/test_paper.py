"""The paper's recipe, held against its Algorithm 2 by brute force."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier, LocalLasso
from heedful.datasets import make_subgroups
from heedful.similarity import ForestProximity
from reference.paper import MIXINGS, Paper, proximity, weighted_lasso
from reference.paper_losses import Labels, Times
from reference.ranger import RangerForest

FOREST = RandomForestRegressor(40, max_features="sqrt", min_samples_split=6, random_state=1)
CLASS_FOREST = RandomForestClassifier(20, max_features="sqrt", random_state=1)
# Table, temperature, seed of the folds.
CASES = {"diabetes": (0.3, 0), "subgroups": (1.0, 2), "ranger": (0.1, 3)}
# Of losses that are not squares there are fewer rows and three folds.
LOSSES = {"two classes": (0.3, 4), "three classes": (0.3, 4), "survival": (0.3, 4)}
ESTIMATORS = {"two classes": AttentionLassoClassifier, "three classes": AttentionLassoClassifier}
ESTIMATORS |= {"survival": AttentionCox}


def table(name):
    """Return training rows, their response and queries."""
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
        X, y = X[200:330], y[200:330]
    elif name == "ranger":
        X, y = on_a_grid()
    else:
        sim = make_subgroups(130, 18, random_state=0)
        X, y = sim.X, sim.y
    # folds of ten and of nine rows
    return X[:95], y[:95], X[100:]


def on_a_grid():
    """Return rows whose values all are those of training rows, so that bins are exact."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.append(rng.permutation(95), rng.integers(0, 95, 35)) / 8 for _ in range(5)])
    return X, np.where(X[:, 0] > 6, 1.0, -1.0) * X[:, 1] + X[:, 2] + rng.normal(size=130)


def loss_table(name):
    """Return training rows, classes by number or events and times (some of them tied), and queries."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3)) * [1.0, 3.0, 0.5] + [1.0, 0.0, 2.0]
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    signal = 2 * np.sign(z[:, 0]) * z[:, 1] + z[:, 2]
    if name == "survival":
        time, end = rng.exponential(np.exp(-signal)), rng.exponential(4.0, 90)
        y = np.column_stack([time <= end, 0.05 + np.round(np.minimum(time, end), 1)]).astype(float)
    else:
        links = np.column_stack([signal, z[:, 0], -signal])[:, : 2 if name == "two classes" else 3]
        y = np.argmax(links + rng.gumbel(size=links.shape), axis=1).astype(float)
    return X[:70], y[:70], X[70:]


def own_forest(recipe, n_trees):
    """Return the forest of a recipe, of fewer trees."""
    return clone(recipe.similarity).set_params(n_estimators=n_trees)


def fit_numbers(name):
    temperature, seed = CASES[name]
    X, y, X_new = table(name)
    own = own_forest(AttentionLasso.as_in_the_paper(), 10)
    how = {"similarity": own if name == "ranger" else FOREST, "temperature": temperature}
    model = AttentionLasso.as_in_the_paper(**how, random_state=seed).fit(X, y)
    twin = RangerForest(10, stop=5, seed=model.similarity_[0].random_state)
    return model, Paper(X, y, twin if name == "ranger" else FOREST, temperature, seed), (X, y), X_new


def fit_loss(name):
    temperature, seed = LOSSES[name]
    X, y, X_new = loss_table(name)
    forest = FOREST if name == "survival" else CLASS_FOREST
    how = {"similarity": forest, "temperature": temperature, "cv": 3, "random_state": seed}
    response = Times(X.mean(axis=0)) if name == "survival" else Labels(len(np.unique(y)))
    model = ESTIMATORS[name].as_in_the_paper(**how).fit(X, y)
    return model, Paper(X, y, forest, temperature, seed, response, 3), (X, y), X_new


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.more) if name in ("diabetes", "subgroups", "two classes") else name
        for name in [*CASES, *LOSSES]
    ],
)
def pair(request):
    return (fit_numbers if request.param in CASES else fit_loss)(request.param)


@pytest.mark.one_value
def test_each_fold_chooses_the_penalty_of_its_own_folds(pair):
    model, paper, *_ = pair
    assert model.alpha_ == pytest.approx(paper.whole.penalty, rel=1e-12)
    np.testing.assert_allclose(model.baseline_.fit_.fold_alphas, paper.penalties, rtol=1e-12)
    assert len(set(paper.penalties)) > 2


@pytest.mark.one_value
def test_the_mixing_is_that_of_the_smallest_mean_error_over_folds(pair):
    model, paper, *_ = pair
    assert model.mixing_ == paper.mixing > 0
    assert model.guard_ == 1.0
    assert model.heads_["error"].item() == pytest.approx(paper.errors[-1], rel=1e-9)


@pytest.mark.one_value
def test_predictions_are_those_of_the_algorithm(pair):
    model, paper, _, X_new = pair
    expected = paper.predict(X_new)
    assert np.abs(predict(model, X_new) - expected).max() <= 1e-8 * np.abs(expected).max()


def predict(model, X):
    """Return probabilities of classes, log hazards or numbers."""
    return model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X)


@pytest.mark.one_value
def test_local_coefficients_are_those_of_the_algorithm(pair):
    model, paper, _, X_new = pair
    slope = (1 - paper.mixing) * paper.whole.baseline[1] + paper.mixing * paper.whole.local(X_new)[1]
    found = model.local_models(X_new).lasso_coef.to_numpy().reshape(slope.shape)
    if slope.shape[1] > 1:
        # probabilities know the coefficients of three classes up to a common shift
        slope, found = (part - part.mean(axis=1, keepdims=True) for part in (slope, found))
    np.testing.assert_allclose(found, slope, atol=1e-8 * np.abs(slope).max())


@pytest.mark.one_value
def test_each_query_may_choose_its_mixing_as_the_remark_has_it(pair):
    model, paper, rows, X_new = pair
    own = clone(model).set_params(mixing="weighted").fit(*rows)
    mixing, expected = paper.predict_adaptively(X_new)
    assert own.guard_ == 1.0
    assert own.mixing_ == max(model.mixing_, 0.1)
    np.testing.assert_array_equal(own.explain(X_new).mixing, mixing)
    assert np.abs(predict(own, X_new) - expected).max() <= 1e-8 * np.abs(expected).max()


def test_queries_choose_their_own_mixing_where_one_for_all_would_be_none(rng):
    X = rng.uniform(-1.0, 1.0, size=(150, 2))
    # a quarter of the rows is loud and has no slopes of its own: for all rows together heads do not pay
    y = np.where(X[:, 0] > 0.5, rng.normal(size=150) * 20.0, 3.0 * np.abs(X[:, 1]))
    how = {"temperature": 0.1, "cv": 3, "random_state": 0}
    one = AttentionLasso.as_in_the_paper(**how).fit(X, y)
    own = AttentionLasso.as_in_the_paper(mixing="weighted", **how).fit(X, y)
    chosen = own.explain(X).mixing
    assert one.mixing_ == chosen.min() == 0 < chosen.max()


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("recipe", "stop", "bucket"), [(AttentionLasso, 5, 1), (AttentionLassoClassifier, 1, 1), (AttentionCox, 3, 3)]
)
def test_the_forest_of_a_recipe_splits_the_nodes_that_ranger_splits(recipe, stop, bucket):
    X, y = on_a_grid()
    y = np.digitize(y, [-4.0, 4.0]).astype(str) if recipe is AttentionLassoClassifier else y
    own = own_forest(recipe.as_in_the_paper(), 8).set_params(random_state=5).fit(X[:95], y[:95])
    twin = RangerForest(8, stop, bucket, seed=5).fit(X[:95], y[:95])
    assert recipe.as_in_the_paper().similarity.n_estimators == 500
    np.testing.assert_allclose(own.scores(X[95:]).toarray(), proximity(twin, X[95:], X[:95]), atol=1e-12)


def test_a_plain_forest_splits_the_nodes_that_ranger_splits_for_numbers():
    assert ForestProximity().min_samples_split == AttentionLasso.as_in_the_paper().similarity.min_samples_split


@pytest.mark.parametrize("recipe", [AttentionLasso, AttentionLassoClassifier, AttentionCox])
def test_the_recipe_is_plain_options_that_can_be_changed(recipe):
    paper = recipe.as_in_the_paper(cv=5)
    assert paper.mixing == MIXINGS
    assert paper.cv == 5
    assert clone(paper).get_params(deep=False).keys() == recipe().get_params(deep=False).keys()


def test_columns_are_standardised_under_the_weights_of_each_fit(rng):
    X, y = rng.normal(size=(80, 3)) * [1.0, 10.0, 0.1], rng.normal(size=80)
    local = LocalLasso(alpha_ratio=1.0, max_extrapolation=None, standardize="weighted", tol=1e-10)
    how = {"temperature": 0.1, "alpha": 0.05, "mixing": 1.0, "local": local, "similarity": FOREST}
    model = AttentionLasso(heads="single", **how).fit(X, y)
    fits = [weighted_lasso(X, y, weight, 0.05) for weight in model.attention(X[:5]).toarray()]
    np.testing.assert_allclose(model.local_models(X[:5]).lasso_coef, [slope for _, slope in fits], atol=1e-7)


def test_of_many_temperatures_the_one_with_the_smallest_error_is_taken(rng):
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] > 0, 3.0, -3.0) * X[:, 1]
    model = AttentionLasso.as_in_the_paper(temperature=[1.0, 0.05], cv=3, random_state=0).fit(X, y)
    heads = model.heads_
    assert heads["share"].idxmax() == heads["error"].idxmin()
    assert (heads["share"] > 0).sum() == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"cv": "oob"}, "`alpha='nested'` chooses a penalty in each fold, and cv='oob' has none. Set `cv=10`"),
        ({"heads": "multi"}, "`mixing` must be a number, 'auto' or 'adaptive' with heads='multi', got \\[0.0"),
        ({"heads": "multi", "mixing": "weighted"}, "with heads='multi', got 'weighted'. Use heads='single'"),
        ({"mixing": []}, "`mixing` must not be an empty list"),
        ({"mixing": [0.5, 2.0]}, "`mixing` must be >= 0 and <= 1, got 2.0"),
        ({"local": LocalLasso(standardize="local")}, "`standardize` must be one of 'global', 'weighted'"),
        ({"local": LocalLasso(tol=0.0)}, "`tol` must be > 0"),
        ({"local": LocalLasso(exact="always")}, "`exact` must be True, False or 'tuning', got 'always'"),
    ],
)
def test_wrong_options_are_named_with_the_remedy(rng, settings, words):
    with pytest.raises(ValueError, match=words):
        AttentionLasso.as_in_the_paper(**settings).fit(rng.normal(size=(30, 2)), rng.normal(size=30))


@pytest.mark.parametrize("exact", [False, True])
def test_one_step_of_another_loss_has_no_weights_to_standardise_under(rng, exact):
    X, y = rng.normal(size=(30, 2)), np.column_stack([np.ones(30), rng.uniform(1.0, 2.0, 30)])
    local = LocalLasso(standardize="weighted", exact=exact)
    with pytest.raises(ValueError, match="`standardize='weighted'` needs fits to convergence"):
        AttentionCox(local=local).fit(X, y)
