"""The page of effects as a person meets it."""

import numpy as np
import pytest

from heedful import report
from report.cases import HOSTILE, make_answers, make_explanation


@pytest.fixture
def opened(page, tmp_path):
    explanation = make_explanation(task="effect", known=False)
    effect = explanation.prediction.to_numpy()
    path = report.write(
        explanation,
        tmp_path / "effects.html",
        interval=np.column_stack([effect - 1, effect + 1]),
        answers=make_answers((HOSTILE, "drug")),
    )
    return page.open(path)


def test_the_page_says_effect_and_nothing_of_what_is_never_seen(opened):
    opened.run("document.getElementById('words').open = true")
    said = opened.run("return document.body.innerText").lower()
    assert "predict" not in said
    assert "observed" not in said
    assert "an effect" in opened.text("whole-note")
    assert opened.text("scatter-head") == "All queries: effect"
    assert opened.text("summary").startswith("Effect ")
    assert "interval" in opened.text("outcome")
    assert not opened.find("axis-field").is_displayed()
    assert opened.run("return curve.layout.yaxis.title.text") == "R-loss on held-out rows"
    assert opened.complaints() == []
    assert opened.leaks() == []


def test_answers_come_first_and_hostile_names_stay_text(opened):
    said = opened.text("answers")
    assert [said.index(word) for word in ("Average effect", "Heterogeneity", "Overlap")] == sorted(
        said.index(word) for word in ("Average effect", "Heterogeneity", "Overlap")
    )
    assert HOSTILE[:30] in said
    assert opened.run("return document.querySelectorAll('img, [onerror]').length") == 0
    above = "return document.getElementById(arguments[0]).getBoundingClientRect().top"
    assert opened.run(above, "answers") < opened.run(above, "whole")


def test_the_gain_is_drawn_as_the_table_has_it(opened, page, tmp_path):
    table = make_answers()[1].curve
    lines = {line["name"]: line["y"] for line in opened.run("return gain.data") if line.get("name")}
    np.testing.assert_allclose(lines["by effect"], [0.0, *table["gain"]], rtol=1e-3)
    np.testing.assert_allclose(lines["at random"], [0.0, *table["random"]], rtol=1e-3)
    assert opened.run("return gain.layout.xaxis.title.text") == "share treated, largest effects first"
    answers = make_answers(smaller_is_better=True)
    page.open(report.write(make_explanation(task="effect", known=False), tmp_path / "less.html", answers=answers))
    assert page.run("return gain.layout.xaxis.title.text") == "share treated, smallest effects first"
    assert page.run("return gain.layout.yaxis.title.text") == "fall of the mean outcome"


@pytest.mark.parametrize("width", [420, 1000])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_answers_fit_phones_and_dark_rooms(opened, width, scheme):
    opened.emulate(width if width < 1000 else None, scheme)
    assert opened.run("return document.documentElement.scrollWidth <= window.innerWidth")
    columns = opened.run("return getComputedStyle(answers).gridTemplateColumns.split(' ').length")
    assert columns == (1 if width == 420 else 3)
    assert opened.complaints() == []


def test_without_answers_there_is_no_such_tile(page, tmp_path):
    page.open(report.write(make_explanation(), tmp_path / "plain.html"))
    assert not page.find("answers-tile").is_displayed()
    page.run("document.getElementById('words').open = true")
    assert "R-loss" not in page.text("words")
    assert "loss" in page.text("words")
    assert page.complaints() == []
