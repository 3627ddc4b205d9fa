"""Coefficients that are shown are those of a model with a name, and of the prediction: optimality conditions hold.

The default's is the expansion of the loss to second order at the global model, averaged under attention, plus the
penalty; that of ``exact=True`` is the loss itself.
"""

import numpy as np
import pytest
from tests.estimators.settings import with_local

from heedful import AttentionCox, AttentionGLM, AttentionLasso, AttentionLassoClassifier
from heedful._flow import fitted
from heedful.similarity import ForestProximity, default_forests
from reference import amounts, losses
from reference.cases import family_table

# Curvatures are at least this.
FLAT = 0.0099
KINDS = ("binomial", "multinomial", "cox", "poisson")
ALPHA, SHAPE = 0.02, (90, 5)


def table(rng, kind):
    """Return rows, the response as users have it and as references take it, and queries."""
    if kind != "poisson":
        X, y, what, _ = family_table(rng, kind, *SHAPE)
        return X, y, what, X[:6] + 0.1 * rng.normal(size=(6, SHAPE[1]))
    X = rng.normal(size=SHAPE)
    y = rng.poisson(np.exp(0.5 * X[:, 0] - 0.4 * X[:, 1])).astype(float)
    return X, y, (y, np.zeros(len(y))), X[:6] + 0.1 * rng.normal(size=(6, SHAPE[1]))


def estimator(kind, **settings):
    made = {"cox": AttentionCox, "poisson": AttentionGLM}.get(kind, AttentionLassoClassifier)
    return made(**{"random_state": 0} | with_local(settings))


def one_head(kind, **settings):
    """Return an estimator whose prediction is one local model."""
    how = {"heads": "single", "similarity": ForestProximity(60), "temperature": 0.2, "alpha_ratio": 0.5}
    return estimator(kind, **how | {"mixing": 1.0, "alpha": ALPHA, "max_extrapolation": None} | settings)


def by_output(shown, n_outputs, p):
    """Return the local models' intercepts (n_query, n_outputs) and coefficients (n_query, n_outputs, n_features)."""
    intercept, coef = shown.local_intercept.to_numpy(), shown.local_coef.to_numpy()
    return intercept.reshape(len(intercept), -1), coef.reshape(len(coef), n_outputs, p)


def bound(chance):
    """Return curvatures of classes times what makes a diagonal of them a bound of their matrix."""
    chance = np.clip(chance, 1e-6, 1 - 1e-6)
    bend = chance * (1 - chance)
    for row in range(len(bend) if chance.shape[1] > 1 else 0):
        p, v = chance[row], bend[row]
        whole = (np.diag(p) - np.outer(p, p)) / np.sqrt(np.outer(v, v))
        bend[row] = np.maximum(v, FLAT) * np.linalg.eigvalsh(whole)[-1]
    return bend if chance.shape[1] > 1 else np.maximum(bend, FLAT)


def expansion(kind, link, what):
    """Return minus the slope of each row's loss at the global model, and its curvature as the default takes it."""
    if kind == "poisson":
        mean = np.exp(link)
        return what[0][:, None] - mean, np.maximum(mean, FLAT * mean.mean())
    if kind == "cox":
        # the hazard is that of all rows, and stays
        expected = np.exp(link) * losses.hazard(link[:, 0], what, np.ones(len(link)))[:, None]
        return what[0][:, None] - expected, np.maximum(expected, FLAT)
    chance = losses.probabilities(kind, link)
    return losses.happened(kind, what, link.shape[1]) - chance, bound(chance)


def miss(down, X, weight, penalty, coef):
    """Return by how much the worst optimality condition of any output is missed."""
    pairs = zip(down.T, coef, strict=True)
    return max(amounts.breach(weight * slopes, X, weight, penalty, own) for slopes, own in pairs)


@pytest.fixture
def as_fitted(monkeypatch):
    """Show coefficients of classes as they were penalised, without a sum of zero."""
    monkeypatch.setattr(fitted, "centre_outputs", lambda values, axis: values)


@pytest.mark.one_value
@pytest.mark.usefixtures("as_fitted")
@pytest.mark.parametrize("kind", KINDS)
def test_the_model_shown_minimises_the_losses_expansion_at_the_global_model(rng, kind):
    X, y, what, X_new = table(rng, kind)
    model = one_head(kind).fit(X, y)
    start, shown = model.baseline_.link(X), model.local_models(X_new)
    residual, curve = expansion(kind, start, what)
    penalty = 0.5 * ALPHA * X.std(axis=0)
    models = zip(model.attention(X_new).toarray(), *by_output(shown, curve.shape[1], SHAPE[1]), strict=True)
    for weight, intercept, coef in models:
        working, mass = start + residual / curve - X @ coef.T, weight[:, None] * curve
        level = (mass * working).sum(axis=0) / mass.sum(axis=0)
        # probabilities know the levels of three classes up to a common shift
        shift = np.mean(intercept - level) if kind == "multinomial" else 0.0
        np.testing.assert_allclose(intercept, level + shift, atol=1e-6)
        away = level + X @ coef.T - start
        assert miss(residual - curve * away, X, weight, penalty, coef) < 1e-6
        assert np.abs(away).max() > 0.1


@pytest.mark.one_value
@pytest.mark.usefixtures("as_fitted")
@pytest.mark.parametrize("kind", KINDS)
def test_the_exact_model_shown_minimises_the_loss_itself(rng, kind):
    X, y, what, X_new = table(rng, kind)
    model = one_head(kind, exact=True).fit(X, y)
    n_outputs = model.baseline_.link(X).shape[1]
    penalty = 0.5 * ALPHA * X.std(axis=0)
    models = zip(
        model.attention(X_new).toarray(), *by_output(model.local_models(X_new), n_outputs, SHAPE[1]), strict=True
    )
    for weight, intercept, coef in models:
        if kind == "poisson":
            down = -amounts.slope(1, intercept + X @ coef[0], what, weight)
            assert amounts.breach(down, X, weight, penalty, coef[0]) < 1e-6
        else:
            assert losses.breach(kind, X, what, weight, 1.0, penalty, intercept, coef) < 1e-6


@pytest.mark.one_value
@pytest.mark.parametrize("exact", [False, True], ids=["one step", "exact"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_shown_adds_up_to_the_linear_predictor(rng, kind, exact):
    X, y, _, X_new = table(rng, kind)
    model = estimator(kind, similarity=default_forests(40), mixing=0.7, exact=exact).fit(X, y)
    shown, p = model.local_models(X_new), SHAPE[1]
    parts = shown.lasso_coef.to_numpy().reshape(6, -1, p) * shown.lasso_design.to_numpy()[:, None]
    link = shown.lasso_intercept.to_numpy().reshape(6, -1) + (parts + shown.shape.to_numpy().reshape(parts.shape)).sum(
        axis=2
    )
    if kind in ("binomial", "multinomial"):
        expected = model.decision_function(X_new).reshape(6, -1)
    else:
        expected = (np.log(model.predict(X_new)) if kind == "poisson" else model.predict(X_new))[:, None]
    np.testing.assert_allclose(link, expected, atol=1e-8)
    np.testing.assert_allclose(shown.link.to_numpy().reshape(6, -1), expected, atol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "weighted lassos, one Newton step from the global model"),
        ({"exact": True}, "weighted lassos, converged"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_models_shown_say_which_they_are(rng, kind, settings, name):
    X, y, _, X_new = table(rng, kind)
    model = one_head(kind, **settings).fit(X, y)
    assert model.local_models(X_new).local_name == name
    explanation = model.explain(X_new)
    assert explanation.local_name == name
    assert name in repr(explanation)
    assert name in repr(model.local_models(X_new))


def test_one_step_of_a_square_is_its_minimum_and_needs_no_other_name(rng):
    X = rng.normal(size=(40, 3))
    for exact in (False, True):
        how = with_local({"exact": exact, "temperature": 0.3, "mixing": 0.5, "alpha": 0.1})
        model = AttentionLasso(heads="single", similarity=ForestProximity(20), random_state=0, **how).fit(X, X[:, 0])
        assert model.explain(X[:3]).local_name == "weighted lassos"
