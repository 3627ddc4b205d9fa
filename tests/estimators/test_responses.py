"""What labels are to every classifier: the most probable one is predicted, unknown ones are named."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss

from heedful import AttentionClassifier, LeafAttentionClassifier
from heedful.similarity import ForestProximity

HOW = {"similarity": ForestProximity(20), "temperature": 1.0, "mixing": 0.5, "random_state": 0}
MODELS = [
    AttentionClassifier(LogisticRegression(), **HOW),
    LeafAttentionClassifier(RandomForestClassifier(8, min_samples_leaf=15, random_state=0), **HOW),
]
EVERY = pytest.mark.parametrize("model", MODELS)
CLASSES = pytest.mark.parametrize("names", [("low", "high"), (7, 3, 5), (False, True)])


def table(rng, names):
    X = rng.normal(size=(80, 3))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    labels = np.array(names)[np.digitize(y, np.quantile(y, np.arange(1, len(names)) / len(names)))]
    return X[:60], labels[:60], X[60:], labels[60:]


@pytest.mark.one_value
@EVERY
@CLASSES
def test_the_most_probable_class_is_predicted(rng, model, names):
    X, y, X_new, y_new = table(rng, names)
    model = clone(model).fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.sort(names))
    chance = model.predict_proba(X_new)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X_new), model.classes_[chance.argmax(axis=1)])
    assert model.score(X_new, y_new) == accuracy_score(y_new, model.predict(X_new))


@pytest.mark.one_value
@EVERY
@CLASSES
def test_decisions_and_logarithms_follow_the_probabilities(rng, model, names):
    X, y, X_new, _ = table(rng, names)
    model = clone(model).fit(X, y)
    chance, decision = model.predict_proba(X_new), model.decision_function(X_new)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X_new)), chance)
    if len(names) == 2:
        np.testing.assert_allclose(decision, np.log(chance[:, 1] / chance[:, 0]), atol=1e-9)
    else:
        np.testing.assert_allclose(decision.sum(axis=1), 0.0, atol=1e-9)
        np.testing.assert_allclose(np.exp(decision) / np.exp(decision).sum(axis=1, keepdims=True), chance)


@pytest.mark.one_value
@EVERY
@CLASSES
def test_losses_are_log_losses_of_both_predictions(rng, model, names):
    X, y, X_new, y_new = table(rng, names)
    model = clone(model).fit(X, y)
    e = model.explain(X_new, y_new)
    assert e.loss.mean() == pytest.approx(log_loss(y_new, model.predict_proba(X_new), labels=model.classes_))
    base = model.baseline_.predict_proba(X_new)
    assert e.baseline_loss.mean() == pytest.approx(log_loss(y_new, base, labels=model.classes_))


@EVERY
def test_labels_that_were_never_seen_are_named(rng, model):
    X, y, X_new, y_new = table(rng, ("low", "high"))
    model = clone(model).fit(X, y)
    with pytest.raises(ValueError, match=r"labels that the model knows, \['high', 'low'\], got huge\."):
        model.score(X_new, np.where(y_new == "low", "huge", "high"))


@EVERY
def test_one_class_is_refused(rng, model):
    X, _, _, _ = table(rng, ("low", "high"))
    with pytest.raises(ValueError, match="at least 2 classes"):
        clone(model).fit(X, np.full(60, "low"))


@EVERY
def test_a_class_with_a_single_row_is_warned_of_and_keeps_its_place(rng, model, caplog):
    X, y, X_new, _ = table(rng, ("low", "high"))
    y = np.where(np.arange(60) == 3, "rare", y)
    chance = clone(model).fit(X, y).predict_proba(X_new)
    assert "single row of class" in caplog.text
    assert chance.shape == (20, 3)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0)
