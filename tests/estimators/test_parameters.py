"""Parameters of estimators: the same name, default and place wherever the idea is the same."""

import inspect

import pytest
from sklearn.base import clone

import heedful
from heedful import similarity

ESTIMATORS = {
    name: getattr(heedful, name) for name in heedful.__all__ if name.startswith(("Attention", "Leaf", "Tree"))
}
ESTIMATORS["DriftCorrector"] = heedful.DriftCorrector
SIMILARITIES = {name: kind for name in similarity.__all__ if inspect.isclass(kind := getattr(similarity, name))}
# Those that estimators share come first, then those of the kind of local models, then a class's own.
ORDER = (
    "estimator",
    *("similarity", "temperature", "mixing", "features", "window", "cv"),
    *("verbose", "n_jobs", "random_state"),
    *("heads", "alpha", "local", "leaf_value"),
    *("class_weight", "family", "outcome", "propensity"),
)
# An effect is learned from what models of other folds expect; a model that was handed in is needed, and has leaves.
OTHERWISE = {
    ("AttentionEffect", "cv"): 5,
    ("DriftCorrector", "similarity"): None,
    ("DriftCorrector", "estimator"): inspect.Parameter.empty,
}


def parameters(kind):
    return inspect.signature(kind).parameters.values()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters_come_in_the_same_order(name):
    names = [parameter.name for parameter in parameters(ESTIMATORS[name])]
    assert names == [known for known in ORDER if known in names]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_parameter_has_the_same_default_everywhere(name):
    usual = {}
    for kind in (heedful.AttentionLasso, *ESTIMATORS.values()):
        usual |= {p.name: p.default for p in parameters(kind) if p.name not in usual}
    for parameter in parameters(ESTIMATORS[name]):
        assert parameter.default == OTHERWISE.get((name, parameter.name), usual[parameter.name]), parameter.name


@pytest.mark.parametrize("name", ESTIMATORS)
def test_only_the_estimator_that_is_wrapped_may_be_given_by_position(name):
    by_position = [p.name for p in parameters(ESTIMATORS[name]) if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert by_position in ([], ["estimator"])
    assert ("estimator" in inspect.signature(ESTIMATORS[name]).parameters) == bool(by_position)


@pytest.mark.parametrize("name", SIMILARITIES)
def test_of_a_similarity_the_first_and_what_is_needed_may_be_given_by_position(name):
    for number, parameter in enumerate(parameters(SIMILARITIES[name])):
        assert parameter.kind is parameter.KEYWORD_ONLY or number == 0 or parameter.default is parameter.empty
        assert parameter.kind is parameter.KEYWORD_ONLY or not isinstance(parameter.default, bool)


@pytest.mark.parametrize("name", [*ESTIMATORS, *SIMILARITIES])
def test_seeds_and_folds_have_one_name(name):
    known = inspect.signature((ESTIMATORS | SIMILARITIES)[name]).parameters
    assert not {"n_folds", "folds", "seed", "model"} & set(known)
    assert "random_state" not in known or known["random_state"].default is None


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters_are_fields_that_scikit_learn_can_read_and_copy(name):
    kind = ESTIMATORS[name]
    model = kind(None) if name == "DriftCorrector" else kind()
    assert set(model.get_params(deep=False)) == set(inspect.signature(kind).parameters)
    assert repr(clone(model.set_params(verbose=1))) == repr(model)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_classifiers_alone_have_classes_and_their_probabilities(name):
    known = {"predict_proba", "predict_log_proba", "decision_function", "classes_"} & set(dir(ESTIMATORS[name]))
    # what is corrected may be a classifier
    assert len(known) == (4 if name.endswith(("Classifier", "Corrector")) else 0)
