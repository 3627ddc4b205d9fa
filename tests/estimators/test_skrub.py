"""Attention lassos work behind skrub's TableVectorizer, in a pipeline of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from heedful import AttentionLasso, AttentionLassoClassifier
from heedful.similarity import ForestProximity

pytestmark = pytest.mark.more

skrub = pytest.importorskip("skrub")


@pytest.fixture
def table(rng):
    X = pd.DataFrame(
        {
            "note": [
                f"{word} {number}" for word, number in zip(rng.choice(["old", "new"], 90), range(90), strict=True)
            ],
            "kind": rng.choice(["a", "b"], 90),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, 90), unit="D"),
            "size": np.where(rng.random(90) < 0.1, np.nan, rng.normal(size=90)),
        }
    )
    return X, X["size"].fillna(0) + (X["kind"] == "a") + 0.1 * rng.normal(size=90)


def pipeline_of(estimator):
    return make_pipeline(
        skrub.TableVectorizer(cardinality_threshold=20), estimator(similarity=ForestProximity(8), random_state=0)
    )


def test_a_pipeline_is_the_lasso_on_the_vectorized_table(table):
    X, y = table
    pipeline = pipeline_of(AttentionLasso).fit(X, y)
    columns = pipeline[:-1].transform(X)
    alone = clone(pipeline[-1]).fit(columns, y)
    np.testing.assert_array_equal(pipeline.predict(X), alone.predict(columns))
    assert set(pipeline[-1].explain(columns[:3]).values.columns) == {*pipeline[:-1].get_feature_names_out()}


def test_it_is_cross_validated_and_gives_probabilities(table):
    X, y = table
    assert cross_val_score(pipeline_of(AttentionLasso), X, y, cv=2).min() > 0.5
    chance = pipeline_of(AttentionLassoClassifier).fit(X, np.where(y > y.median(), "high", "low")).predict_proba(X)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
