"""A page of effects says effect, and shows answers about the treatment before all else."""

import json
from dataclasses import replace

import numpy as np
import pytest

from heedful import report
from heedful.report._answers import collect_answers
from heedful.report._collect import collect
from report.cases import HOSTILE, make_answers, make_drift_report, make_explanation
from report.test_page import embedded


@pytest.fixture(scope="module")
def explanation():
    return make_explanation(n_query=6, task="effect", known=False)


def test_a_page_of_effects_has_no_word_of_predictions_and_responses(explanation):
    data = collect(explanation, None, None)
    assert data["title"] == "Explanation of effects"
    assert data["words"]["noun"] == data["words"]["prediction"] == data["words"]["link"] == "effect"
    assert data["verdict"].startswith("Effects cannot be measured")
    shown = {card["name"]: card for card in data["cards"]}
    assert shown["queries"]["note"] == "effects estimated from 120 training rows"
    assert shown["response"]["note"] == "estimated from outcomes and treatments"
    assert data["observed"] is data["loss"] is None
    assert data["answers"] == []
    said = json.dumps([data["title"], data["verdict"], data["cards"]])
    assert "predict" not in said


def test_other_pages_say_prediction():
    data = collect(make_explanation(n_query=6), None, None)
    assert data["words"]["noun"] == "prediction"
    assert data["title"] == "Explanation of predictions"
    assert "predicted from" in data["cards"][0]["note"]


def test_answers_are_those_that_were_given(explanation):
    answers = make_answers((HOSTILE, "drug"))
    interval = np.tile([-1.0, 2.0], (6, 1))
    data = json.loads(embedded(report.render(explanation, interval=interval, answers=answers)))
    average, differences, overlap = data["answers"]
    assert dict(average["facts"])["effect"] == f"{answers[0].effect:.3g}"
    assert average["lines"] == []
    assert differences["lines"] == [answers[1].verdict]
    assert "verdict" not in dict(differences["facts"])
    curve, table = differences["curve"], answers[1].curve
    assert curve["share"][:2] == [0, 0.02]
    np.testing.assert_allclose(curve["gain"], [0.0, *table["gain"]], rtol=1e-3)
    for end in ("low", "high"):
        np.testing.assert_allclose(curve[end], [0.0, *table[end]], rtol=1e-3, atol=1e-3)
    assert overlap["lines"] == [answers[2].verdict]
    assert HOSTILE in dict(overlap["facts"])
    assert data["interval"] == [[-1] * 6, [2] * 6]


def test_every_warning_about_overlap_is_shown():
    (overlap,) = collect_answers(make_answers(propensity=0.99)[2:])
    assert len(overlap["lines"]) > 1
    assert all("Average over" in line or "average over" in line or "`" in line for line in overlap["lines"])
    assert "warning" not in dict(overlap["facts"])


def test_what_is_no_answer_is_refused(explanation):
    with pytest.raises(TypeError, match=r"`answers` must hold results of `average_effect\(\)`.*got float"):
        report.render(explanation, answers=[0.5])
    with pytest.raises(ValueError, match="for a drift report, and `answers` empty"):
        report.render(make_drift_report(), answers=make_answers())
    with pytest.raises(ValueError, match=r"effect_interval\(X\)"):
        report.render(explanation, interval=[[0.0, 1.0]])


def test_a_curve_says_whether_smaller_is_better():
    differences = make_answers()[1]
    for smaller in (True, False):
        (answer,) = collect_answers([replace(differences, smaller_is_better=smaller)])
        assert answer["curve"]["smaller"] is smaller
