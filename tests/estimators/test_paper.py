"""The paper's recipe, held against its Algorithm 2 by brute force."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

from heedful import AttentionCox, AttentionLasso, LocalLasso
from heedful.datasets import make_subgroups
from reference.paper import MIXINGS, Paper, weighted_lasso
from reference.ranger import RangerForest

FOREST = RandomForestRegressor(40, max_features="sqrt", min_samples_split=6, random_state=1)
# Table, temperature, seed of the folds.
CASES = {"diabetes": (0.3, 0), "subgroups": (1.0, 2), "ranger": (0.1, 3)}


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


def own_forest(recipe, n_trees):
    """Return the forest of a recipe, of fewer trees."""
    return clone(recipe.similarity).set_params(n_estimators=n_trees)


@pytest.fixture(scope="module", params=CASES)
def pair(request):
    temperature, seed = CASES[request.param]
    X, y, X_new = table(request.param)
    own = own_forest(AttentionLasso.as_in_the_paper(), 10)
    how = {"similarity": own if request.param == "ranger" else FOREST, "temperature": temperature}
    model = AttentionLasso.as_in_the_paper(**how, random_state=seed).fit(X, y)
    twin = RangerForest(10, stop=5, seed=model.similarity_[0].random_state)
    return model, Paper(X, y, twin if request.param == "ranger" else FOREST, temperature, seed), X_new


def test_each_fold_chooses_the_penalty_of_its_own_ten_folds(pair):
    model, paper, _ = pair
    assert model.alpha_ == pytest.approx(paper.whole.penalty, rel=1e-12)
    np.testing.assert_allclose(model.baseline_.fit_.fold_alphas, paper.penalties, rtol=1e-12)
    assert len(set(paper.penalties)) > 3


def test_the_mixing_is_that_of_the_smallest_mean_error_over_folds(pair):
    model, paper, _ = pair
    assert model.mixing_ == paper.mixing > 0
    assert model.guard_ == 1.0
    assert model.heads_["error"].item() == pytest.approx(paper.errors[-1], rel=1e-9)


def test_predictions_are_those_of_the_algorithm(pair):
    model, paper, X_new = pair
    expected = paper.predict(X_new)
    assert np.abs(model.predict(X_new) - expected).max() <= 1e-8 * np.abs(expected).max()


def test_local_coefficients_are_those_of_the_algorithm(pair):
    model, paper, X_new = pair
    own = np.array([slope for _, slope in paper.whole.local(X_new)])
    slope = (1 - paper.mixing) * paper.whole.baseline[1] + paper.mixing * own
    np.testing.assert_allclose(model.local_models(X_new).coef, slope, atol=1e-8 * np.abs(slope).max())


def test_the_recipe_is_plain_options_that_can_be_changed():
    recipe = AttentionLasso.as_in_the_paper(cv=5)
    assert recipe.mixing == MIXINGS
    assert recipe.cv == 5
    assert clone(recipe).get_params(deep=False).keys() == AttentionLasso().get_params(deep=False).keys()


def test_columns_are_standardised_under_the_weights_of_each_fit(rng):
    X, y = rng.normal(size=(80, 3)) * [1.0, 10.0, 0.1], rng.normal(size=80)
    local = LocalLasso(alpha_ratio=1.0, max_extrapolation=None, standardize="weighted", tol=1e-10)
    how = {"temperature": 0.1, "alpha": 0.05, "mixing": 1.0, "local": local, "similarity": FOREST}
    model = AttentionLasso("single", **how).fit(X, y)
    fits = [weighted_lasso(X, y, weight, 0.05) for weight in model.attention(X[:5]).toarray()]
    np.testing.assert_allclose(model.local_models(X[:5]).coef, [slope for _, slope in fits], atol=1e-7)


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
        ({"heads": "multi"}, "`mixing` must be a number or a word with heads='multi'"),
        ({"mixing": []}, "`mixing` must not be an empty list"),
        ({"mixing": [0.5, 2.0]}, "`mixing` must be >= 0 and <= 1, got 2.0"),
        ({"local": LocalLasso(standardize="local")}, "`standardize` must be one of 'global', 'weighted'"),
        ({"local": LocalLasso(tol=0.0)}, "`tol` must be > 0"),
    ],
)
def test_wrong_options_are_named_with_the_remedy(rng, settings, words):
    with pytest.raises(ValueError, match=words):
        AttentionLasso.as_in_the_paper(**settings).fit(rng.normal(size=(30, 2)), rng.normal(size=30))


@pytest.mark.parametrize("settings", [{"alpha": "nested", "cv": 3}, {"local": LocalLasso(standardize="weighted")}])
def test_other_responses_refuse_what_only_squares_have(rng, settings):
    X, y = rng.normal(size=(30, 2)), np.column_stack([np.ones(30), rng.uniform(1.0, 2.0, 30)])
    with pytest.raises(ValueError, match="AttentionLasso alone has it"):
        AttentionCox(**settings).fit(X, y)
