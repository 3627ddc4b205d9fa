"""Known parts of the log-odds of two classes: offsets in fit, predictions, scores and explanations."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.metrics import log_loss

from heedful import AttentionLassoClassifier
from heedful._responses import Classification
from heedful.similarity import ForestProximity

FEW = {"similarity": ForestProximity(12), "random_state": 0}


@pytest.fixture
def rows(rng):
    X, offset = rng.normal(size=(200, 3)), 1.5 * rng.normal(size=200)
    return X, offset, (rng.uniform(size=200) < expit(2 * X[:, 0] * np.sign(X[:, 1]) + offset)).astype(int)


def test_an_offset_is_added_to_the_log_odds(rows):
    X, offset, y = rows
    model = AttentionLassoClassifier(**FEW).fit(X[:150], y[:150], offset=offset[:150])
    plain, moved = (model.predict_proba(X[150:], offset=given)[:, 1] for given in (None, offset[150:]))
    np.testing.assert_allclose(moved, expit(logit(plain) + offset[150:]), rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X[150:], offset=offset[150:]), (moved > 0.5).astype(int))
    assert model.score(X[150:], y[150:], offset=offset[150:]) == np.mean((moved > 0.5) == y[150:])
    weight = np.arange(50.0)
    hit = np.average((moved > 0.5) == y[150:], weights=weight)
    assert model.score(X[150:], y[150:], weight, offset=offset[150:]) == pytest.approx(hit)
    far = model.predict_proba(X[:2], offset=[1e4, -1e4])
    np.testing.assert_allclose(far, [[0.0, 1.0], [1.0, 0.0]], atol=1e-300)


@pytest.mark.more
def test_what_is_known_need_not_be_learned(rows):
    X, offset, y = rows
    found = {}
    for name, given in (("known", offset), ("unknown", None)):
        model = AttentionLassoClassifier(**FEW).fit(X[:150], y[:150], offset=None if given is None else given[:150])
        left = None if given is None else given[150:]
        found[name] = log_loss(y[150:], model.predict_proba(X[150:], offset=left))
    assert found["known"] < found["unknown"] - 0.05


def test_one_offset_for_all_rows_moves_the_intercept_alone(rows):
    X, _, y = rows
    # one head alone: what is blended are probabilities without the offset
    how = FEW | {"heads": "single", "mixing": 1.0, "temperature": 0.3, "alpha": 0.02}
    plain = AttentionLassoClassifier(**how).fit(X, y)
    moved = AttentionLassoClassifier(**how).fit(X, y, offset=np.full(200, 0.7))
    np.testing.assert_allclose(moved.baseline_.coef_, plain.baseline_.coef_, atol=1e-5)
    assert plain.baseline_.intercept_[0] - moved.baseline_.intercept_[0] == pytest.approx(0.7, abs=1e-5)
    again = moved.predict_proba(X, offset=np.full(200, 0.7))
    np.testing.assert_allclose(again, plain.predict_proba(X), atol=1e-5)


def test_an_offset_of_the_whole_truth_leaves_nothing(rows):
    X, offset, _ = rows
    y = (np.random.default_rng(1).uniform(size=200) < expit(offset)).astype(int)
    model = AttentionLassoClassifier(**FEW).fit(X, y, offset=offset)
    assert np.abs(model.baseline_.coef_).max() < 0.4
    blind = AttentionLassoClassifier(**FEW).fit(np.column_stack([X, offset]), y)
    assert np.abs(blind.baseline_.coef_).max() > 0.5


def test_explanations_have_the_offset_in_the_prediction_and_not_in_the_link(rows):
    X, offset, y = rows
    model = AttentionLassoClassifier(**FEW).fit(X[:150], y[:150], offset=offset[:150])
    explained = model.explain(X[150:160], y[150:160], offset=offset[150:160])
    np.testing.assert_allclose(explained.prediction, expit(explained.link + offset[150:160]), rtol=1e-9)
    np.testing.assert_allclose(explained.base_value + explained.contributions().sum(axis=1), explained.link, atol=1e-8)
    chance = np.where(y[150:160] == 1, explained.prediction, 1 - explained.prediction)
    np.testing.assert_allclose(explained.loss, -np.log(chance), rtol=1e-9)


def test_three_classes_have_no_offset(rows):
    X, offset, _ = rows
    with pytest.raises(ValueError, match=r"`offset` needs two classes, got 3. Leave it out."):
        AttentionLassoClassifier(**FEW).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]), offset=offset)
    model = AttentionLassoClassifier(**FEW).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    with pytest.raises(ValueError, match=r"`offset` needs two classes, got 3"):
        model.predict_proba(X, offset=offset)


@pytest.mark.parametrize("offset", [np.zeros(3), np.full(200, np.nan)])
def test_offsets_are_one_finite_number_per_row(rows, offset):
    X, _, y = rows
    with pytest.raises(ValueError, match="`offset` must"):
        AttentionLassoClassifier(**FEW).fit(X, y, offset=offset)


def test_the_family_of_a_response_knows_its_offsets(rows):
    _, offset, y = rows
    response, link = Classification.learn(y), np.linspace(-2, 2, 200)[:, None]
    family = response.with_rows(np.column_stack([response.encode(y), offset]))
    np.testing.assert_allclose(family.residual(link, None)[:, 0], y - expit(link[:, 0] + offset), rtol=1e-12)
