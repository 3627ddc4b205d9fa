"""scikit-learn's own checks, without a single expected failure."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from heedful import (
    AttentionClassifier,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    LeafAttentionClassifier,
    LeafAttentionRegressor,
    LocalLasso,
    TreeAttentionRegressor,
)
from heedful.baseline import LassoBaseline, LogisticBaseline
from heedful.similarity import ForestProximity, default_forests

FEW_TREES = ForestProximity(8)


@parametrize_with_checks(
    [
        AttentionLasso(similarity=default_forests(16)),
        AttentionLasso(heads="single", similarity=FEW_TREES, mixing="adaptive"),
        AttentionLasso(heads="single", similarity=FEW_TREES, cv=3),
        AttentionLassoClassifier(similarity=default_forests(16)),
        AttentionLassoClassifier(heads="single", similarity=FEW_TREES, mixing="adaptive", local=LocalLasso(exact=True)),
        AttentionRegressor(similarity=FEW_TREES, tuning_rows=20),
        AttentionClassifier(similarity=FEW_TREES, tuning_rows=20),
        LeafAttentionRegressor(similarity=FEW_TREES),
        LeafAttentionClassifier(similarity=FEW_TREES),
        TreeAttentionRegressor(similarity=FEW_TREES),
        LassoBaseline(),
        LogisticBaseline(),
    ]
)
def test_estimators_keep_scikit_learns_contract(estimator, check):
    check(estimator)
