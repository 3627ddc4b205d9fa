"""Held-out predictions: those that the error on held-out rows is made of, row by row; no skill is claimed of noise."""

import pickle

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, mean_poisson_deviance, root_mean_squared_error
from tests.explain.test_calibration import fit
from tests.explain.test_one_model import ESTIMATORS, N_TRAIN
from tests.reference.survival import concordance

from benchmarks.guard.noise import respond
from heedful import load_model, save_model
from heedful.report._overview import cards, verdict
from heedful.similarity import ForestProximity


def errors_of(kind, held_out, prediction):
    y = held_out.y.iloc[:, 0]
    if kind == "two":
        return log_loss(y, np.column_stack([1 - prediction, prediction]))
    measures = {"numbers": root_mean_squared_error, "counts": mean_poisson_deviance, "three": log_loss}
    return measures[kind](y, prediction)


@pytest.mark.one_value
@pytest.mark.parametrize("kind", ["numbers", "two", "counts"])
def test_held_out_predictions_have_the_error_on_unseen_rows(kind):
    model, *_ = fit(kind)
    held_out = model.held_out()
    for name, prediction in (("attention", held_out.prediction), ("baseline", held_out.baseline_prediction)):
        assert errors_of(kind, held_out, prediction) == pytest.approx(model.held_out_error_[name])


@pytest.mark.more
def test_of_three_classes_they_have_it_up_to_the_shares_of_halves():
    model, *_ = fit("three")
    held_out = model.held_out()
    np.testing.assert_allclose(held_out.prediction.sum(axis=1), 1.0)
    assert errors_of("three", held_out, held_out.baseline_prediction) == pytest.approx(
        model.held_out_error_["baseline"]
    )
    assert errors_of("three", held_out, held_out.prediction) == pytest.approx(
        model.held_out_error_["attention"], rel=0.05
    )


def test_with_folds_too():
    model, *_ = fit("three", cv=3)
    held_out = model.held_out()
    assert errors_of("three", held_out, held_out.baseline_prediction) == pytest.approx(
        model.held_out_error_["baseline"]
    )


def test_survival_is_told_by_concordance_and_brier_scores_beside_kaplan_meier():
    model, X, y = fit("survival")
    held_out = model.held_out()
    event, time = y[:N_TRAIN].T
    found = held_out.measures().loc["concordance"]
    for name, risk in (("attention", held_out.prediction), ("baseline", held_out.baseline_prediction)):
        assert found[name] == pytest.approx(concordance(event, time, risk.to_numpy(), np.ones(N_TRAIN)))
    said = str(model.summary()).replace("\n ", "")
    assert "integrated Brier score on held-out rows" in said
    assert f"Concordance: {found['attention']:.3g}, one Cox lasso for all rows {found['baseline']:.3g}" in said
    assert f"Kaplan-Meier: integrated Brier score {model._model.problem.family.reported_alone().mean():.3g}" in said
    page = verdict(model.explain(X[N_TRAIN:], y[N_TRAIN:]))
    assert "Kaplan-Meier: integrated Brier score" in page
    assert f"concordance {found['attention']:.3g}" in page
    assert "likelihood" not in said + page


def test_two_classes_have_their_brier_score_beside_log_loss():
    model, *_ = fit("two")
    held_out = model.held_out()
    y = held_out.y.iloc[:, 0] == model.classes_[1]
    found = held_out.measures()["attention"]
    assert found["Brier score"] == pytest.approx(brier_score_loss(y, held_out.prediction))
    assert found["accuracy"] == pytest.approx(accuracy_score(y, held_out.prediction > 0.5))
    assert f"Brier score: {found['Brier score']:.3g}, one lasso" in str(model.summary())


def test_rows_given_twice_are_predicted_twice():
    _, X, y = fit("two")
    twice = ESTIMATORS["two"](similarity=ForestProximity(10), random_state=0)
    found = twice.fit(X.iloc[np.repeat(np.arange(N_TRAIN), 2)], np.repeat(y[:N_TRAIN], 2)).held_out()
    assert len(found.prediction) == 2 * N_TRAIN
    np.testing.assert_array_equal(found.prediction[::2], found.prediction[1::2])


@pytest.mark.more
@pytest.mark.parametrize("kind", ["two", "three", "survival"])
def test_files_and_pickles_keep_them(kind, tmp_path):
    model, *_ = fit(kind)
    save_model(model, tmp_path / "m.skops")
    expected = model.held_out()
    for again in (load_model(tmp_path / "m.skops").held_out(), pickle.loads(pickle.dumps(expected))):
        np.testing.assert_array_equal(again.prediction, expected.prediction)
        np.testing.assert_array_equal(again.calibration(3), expected.calibration(3))


def test_a_fit_that_tried_nothing_has_none():
    model, *_ = fit("two", mixing=0.0)
    with pytest.raises(ValueError, match="`held_out` needs predictions of left-out rows"):
        model.held_out()
    assert "Brier" not in str(model.summary())


NOISE = {"two": "two classes", "three": "three classes"}
HEDGED = ("no better than", "It is not clear that it predicts new rows better than")


@pytest.mark.more
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_of_pure_noise_no_sentence_claims_skill(kind):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(160, 4)), respond(NOISE.get(kind, kind), 160, rng)
    model = ESTIMATORS[kind](similarity=ForestProximity(20), random_state=0).fit(X[:100], y[:100])
    e = model.explain(X[100:], y[100:])
    said = [str(model.summary()), model.held_out().say(), repr(e), verdict(e), e.verdict]
    said += [card["note"] for card in cards(e)]
    for text in (" ".join(part.split()) for part in said):
        assert text.count("better than") == sum(text.count(words) for words in HEDGED)
        assert text.count("% lower") == text.count("% lower, which may be chance")


def test_training_rows_and_few_queries_show_no_skill():
    model, X, y = fit("numbers")
    assert model.explain(X[:N_TRAIN], y[:N_TRAIN]).verdict == "in-sample"
    few = model.explain(X[N_TRAIN : N_TRAIN + 3], y[N_TRAIN : N_TRAIN + 3])
    assert few.loss_error == np.inf
    assert few.verdict.endswith("which may be chance") or few.verdict == "almost no difference"
    assert model.explain(X[:3]).verdict == ""


def test_the_error_of_survival_is_that_of_held_out_curves():
    model, *_ = fit("survival")
    held_out = model.held_out()
    family = model._model.problem.family.new_rows(held_out.y.to_numpy())
    own, plain = (family.reported(part.to_numpy()) for part in (held_out.prediction, held_out.baseline_prediction))
    expected = {"attention": own.mean(), "baseline": plain.mean()}
    assert model.held_out_error_[:2].to_dict() == pytest.approx(expected)
    assert model.held_out_error_["standard_error"] == pytest.approx(np.std(plain - own) / np.sqrt(own.size))
