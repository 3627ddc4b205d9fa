"""Bad arguments get one error that names them and the remedy, before any work."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from heedful import (
    AttentionClassifier,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    DriftCorrector,
    LeafAttentionClassifier,
    LeafAttentionRegressor,
    LocalLasso,
    TreeAttentionRegressor,
)
from heedful.similarity import ForestProximity, PastSimilarity, Similarity, default_forests

# the first is half of a pair of code units, which cannot be written
HALVES = pd.Index(["\ud800", "b", "c"], dtype=object)


class Untouched(Similarity):
    """A similarity that must not be reached."""

    def fit(self, *_):
        raise AssertionError("work began before the arguments were checked")

    def score_rows(self, _):
        raise AssertionError


@pytest.fixture
def table(rng):
    return rng.normal(size=(20, 3)), rng.normal(size=20)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"heads": "several"}, "`heads`.*'multi'.*got 'several'"),
        ({"similarity": "forrest"}, "`similarity`.*'forest'.*got 'forrest'"),
        ({"similarity": []}, "`similarity`"),
        ({"similarity": ForestProximity(target="error")}, "`target`.*'response', 'residual', 'scores'.*got 'error'"),
        ({"similarity": [Untouched(), *default_forests(), ForestProximity(target="y")]}, "`target`.*got 'y'"),
        ({"similarity": PastSimilarity(ForestProximity(target="y"), time=0)}, "`target`.*got 'y'"),
        ({"temperature": 0}, "`temperature`.*> 0.*got 0.*Try"),
        ({"temperature": -1.0}, "`temperature`.*> 0.*got -1.0"),
        ({"temperature": [0.1, 0.0]}, "`temperature`.*got 0.0"),
        ({"temperature": "hot"}, "`temperature`.*got 'hot'"),
        ({"temperature": np.nan}, "`temperature`.*got nan"),
        ({"temperature": []}, "`temperature`"),
        ({"alpha": -0.1}, "`alpha`.*>= 0.*got -0.1"),
        ({"local": LocalLasso(alpha_ratio=0.0)}, "`alpha_ratio`.*> 0"),
        ({"mixing": 1.5}, "`mixing`.*<= 1.*got 1.5.*'auto'"),
        ({"mixing": -0.5}, "`mixing`.*>= 0.*got -0.5"),
        ({"mixing": "some"}, "`mixing`.*'auto', 'adaptive'.*got 'some'"),
        ({"cv": 1}, "`cv`.*at least 2"),
        ({"cv": "loo"}, "`cv`.*'oob'.*got 'loo'"),
        ({"local": LocalLasso(max_extrapolation=-1)}, "`max_extrapolation`.*>= 0"),
        ({"local": LocalLasso(n_screened=0)}, "`n_screened`.*>= 1, got 0.*None uses all"),
        ({"local": LocalLasso(n_screened=2.5)}, "`n_screened`.*whole number, got 2.5.*'auto'"),
    ],
)
def test_a_wrong_value_is_named_with_the_remedy(table, settings, words):
    with pytest.raises(ValueError, match=words):
        AttentionLasso(**{"similarity": Untouched()} | settings).fit(*table)


@pytest.mark.parametrize(
    "model",
    [
        AttentionRegressor(),
        AttentionClassifier(),
        LeafAttentionRegressor(),
        LeafAttentionClassifier(),
        TreeAttentionRegressor(),
        DriftCorrector(None),
    ],
)
@pytest.mark.parametrize("target", ["residual", "scores"])
def test_without_a_linear_baseline_there_are_no_residuals_to_grow_forests_on(table, model, target):
    forest = ForestProximity(target=target)
    for similarity in (forest, [Untouched(), PastSimilarity(forest, time=0)]):
        with pytest.raises(ValueError, match=f"`similarity` must have target='response' here, got '{target}'"):
            clone(model).set_params(similarity=similarity).fit(*table)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"similarity": 3}, "`similarity`.*got 3"),
        ({"alpha": None}, "`alpha`.*number.*got None"),
        ({"mixing": None}, "`mixing`.*number.*got None"),
        ({"cv": 2.5}, "`cv`.*got 2.5"),
    ],
)
def test_a_wrong_kind_is_a_type_error(table, settings, words):
    with pytest.raises(TypeError, match=words):
        AttentionLasso(**{"similarity": Untouched()} | settings).fit(*table)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda X, y: (pd.DataFrame(X, columns=HALVES), y), "names of columns.*UTF-8"),
        (lambda X, y: (X, np.where(np.arange(20) == 3, np.nan, y)), "`y`.*NaN.*1 such.*Drop"),
        (lambda X, y: (X, np.where(np.arange(20) == 3, np.inf, y)), "`y`.*inf"),
        (lambda X, y: (np.where(X > 1.5, np.inf, X), y), "`X`.*inf.*column 'x[0-2]'"),
        (lambda X, y: (X, y[:10]), "inconsistent numbers of samples"),
        (lambda X, _: (X, None), "requires y"),
        (lambda X, y: (X[:, 0], y), "2D array"),
        (lambda X, y: (X, np.column_stack([y, y])), "1d array"),
        (lambda X, y: (X[:1], y[:1]), "minimum of 2"),
        (lambda X, y: (X, np.array(["a", "b"] * 10)), "`y` must be numeric.*AttentionLassoClassifier"),
        (lambda X, y: (np.where(X > 0, 1.7e308, -1.7e308), y), r"`X`.*numbers beyond .*'x0' does \(1.7e\+308\)"),
        (lambda X, y: (pd.DataFrame({"a": pd.Series(["\ud800", "b"] * 10, dtype=object)}), y), "Column 'a'.*UTF-8"),
    ],
)
def test_a_bad_table_is_refused_with_the_reason(table, change, words):
    with pytest.raises(ValueError, match=words):
        AttentionLasso(similarity=Untouched()).fit(*change(*table))


@pytest.mark.parametrize("model", [AttentionLassoClassifier(), AttentionClassifier(), LeafAttentionClassifier()])
def test_a_number_for_a_classifier_names_the_regressor_before_any_work(rng, model):
    with pytest.raises(ValueError, match=r"got 400 in 400 rows.*AttentionLasso"):
        model.set_params(similarity=Untouched()).fit(rng.normal(size=(400, 2)), np.arange(400))


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.zeros(20), "`sample_weight`.*all zero"),
        (np.ones(19), "`sample_weight`.*20.*19"),
        (-np.ones(20), "`sample_weight`.*>= 0"),
        (np.full(20, np.nan), "`sample_weight`.*finite"),
        (np.ones((20, 2)), "`sample_weight`.*one value per row.*: 20, got shape .20, 2."),
    ],
)
def test_bad_sample_weights_are_refused(table, weight, words):
    with pytest.raises(ValueError, match=words):
        AttentionLasso(similarity=Untouched()).fit(*table, sample_weight=weight)


def test_groups_without_folds_are_refused_with_the_remedy(table):
    with pytest.raises(ValueError, match=r"`groups`.*`cv=10`"):
        AttentionLasso(similarity=Untouched()).fit(*table, groups=np.arange(20))


@pytest.mark.parametrize("features", [["age"], {"similarity": ["age"]}, {"model": ["age"]}])
def test_an_unknown_column_is_named(table, features):
    with pytest.raises(ValueError, match="`features` names 'age'"):
        AttentionLasso(similarity=Untouched(), features=features).fit(*table)


def test_features_are_of_models_or_of_similarities(table):
    with pytest.raises(ValueError, match=r"`features` must have the keys 'model' and 'similarity', got \['models'\]"):
        AttentionLasso(similarity=Untouched(), features={"models": [0]}).fit(*table)


def test_settings_of_local_models_come_as_a_local_lasso(table):
    with pytest.raises(
        TypeError, match=r"`local` must be a LocalLasso, such as LocalLasso\(alpha_ratio=1.0\), got 1.0"
    ):
        AttentionLasso(similarity=Untouched(), local=1.0).fit(*table)
