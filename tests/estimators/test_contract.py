"""scikit-learn's own checks, over every public estimator."""

import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.estimators.adapters import HalvesEffect, NumberCox, RowMeans

from heedful import (
    AttentionClassifier,
    AttentionGLM,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    DriftCorrector,
    LeafAttentionClassifier,
    LeafAttentionRegressor,
    LocalLasso,
    LocalLearner,
    TreeAttentionRegressor,
)
from heedful.baseline import LassoBaseline, LogisticBaseline
from heedful.similarity import ForestProximity, GaussianSimilarity, default_forests

FEW_TREES, BOOSTER = ForestProximity(8), HistGradientBoostingRegressor(max_iter=5)


def expected(estimator):
    """Return the checks that cannot apply to an estimator, each with the reason."""
    if not isinstance(estimator, DriftCorrector):
        return {}
    if estimator.mixing == "auto":
        reason = "recent rows are left out one by one: of a row that was given twice, one copy stays"
        return {"check_sample_weight_equivalence_on_dense_data": reason}
    return {"check_regressors_train": "half of a correction of row means is no good regressor"}


# One configuration of each class, quick to fit: all checks of them are in the first tier.
QUICK = [
    AttentionLasso(heads="single", similarity=FEW_TREES, mixing="adaptive"),
    NumberCox(heads="single", similarity=FEW_TREES, alpha=0.05),
    DriftCorrector(RowMeans(), similarity=FEW_TREES, random_state=0),
    LassoBaseline(),
    LogisticBaseline(),
]
# These take longer: the first tier has checks of few fits.
SLOW = [
    AttentionLassoClassifier(heads="single", similarity=FEW_TREES),
    AttentionRegressor(DummyRegressor(), similarity=FEW_TREES, local=LocalLearner(tuning_rows=20), cv=3),
    AttentionClassifier(DummyClassifier(), similarity=FEW_TREES, local=LocalLearner(tuning_rows=20), cv=3),
    LeafAttentionRegressor(similarity=FEW_TREES, cv=3),
    LeafAttentionClassifier(similarity=FEW_TREES, cv=3),
    TreeAttentionRegressor(similarity=FEW_TREES, cv=3),
    AttentionGLM(heads="single", similarity=FEW_TREES, alpha=0.05),
    HalvesEffect(heads="single", outcome=BOOSTER, propensity=0.5, similarity=FEW_TREES, cv=2),
]
FEW_FITS = {
    *(
        "check_dont_overwrite_parameters",
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimators_nan_inf",
    ),
    *("check_estimators_unfitted", "check_fit1d", "check_fit2d_1sample", "check_fit_check_is_fitted"),
    *("check_get_params_invariance", "check_n_features_in", "check_no_attributes_set_in_init"),
    *(
        "check_parameters_default_constructible",
        "check_requires_y_none",
        "check_sample_weights_shape",
        "check_set_params",
    ),
}
# What is beside them: many heads, fits to convergence, folds, LightGBM, a correction by half.
OTHERS = [
    AttentionLasso(similarity=default_forests(16)),
    AttentionLasso(heads="single", similarity=FEW_TREES, cv=3),
    AttentionLassoClassifier(similarity=default_forests(16)),
    AttentionLassoClassifier(heads="single", similarity=FEW_TREES, mixing="adaptive", local=LocalLasso(exact=True)),
    AttentionRegressor(similarity=FEW_TREES, local=LocalLearner(tuning_rows=20), cv=3),
    AttentionClassifier(similarity=FEW_TREES, local=LocalLearner(tuning_rows=20), cv=3),
    NumberCox(similarity=default_forests(16), alpha=0.05),
    AttentionGLM(similarity=default_forests(16), alpha=0.05),
    DriftCorrector(RowMeans(), similarity=GaussianSimilarity(), temperature=1.0, mixing=0.5, random_state=0),
]


def parametrize(estimators, few_fits=None):
    """Return the mark of a test of all checks; `make test-more` takes those not among ``few_fits``, if given."""
    cases, numbers = [], {}
    for case in parametrize_with_checks(estimators, expected_failed_checks=expected).args[1]:
        # a check that is expected to fail brings its mark
        (estimator, check), marks = getattr(case, "values", case), getattr(case, "marks", ())
        name = check.func.__name__
        more = () if few_fits is None or name in few_fits else (pytest.mark.more,)
        # the text of an estimator, which scikit-learn takes, is long, and takes a while
        number = numbers.setdefault(id(estimator), len(numbers))
        cases.append(
            pytest.param(estimator, check, marks=(*marks, *more), id=f"{type(estimator).__name__}{number}-{name}")
        )
    return pytest.mark.parametrize(("estimator", "check"), cases)


@parametrize(QUICK)
def test_estimators_keep_scikit_learns_contract(estimator, check):
    check(estimator)


@parametrize(SLOW, FEW_FITS)
def test_slower_estimators_keep_it_too(estimator, check):
    check(estimator)


@pytest.mark.more
@pytest.mark.setting
@parametrize(OTHERS)
def test_other_settings_keep_it_too(estimator, check):
    check(estimator)
