"""The whole model, links, keys, narrow and dark pages in the browser."""

from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from heedful import report
from report.cases import HOSTILE, HOSTILE_NAMES, make_explanation

LUMINANCE = """const colour = getComputedStyle(document.querySelector(arguments[0])).getPropertyValue(arguments[1]);
const parts = colour.match(/[0-9.]+/g).map(Number);
return parts[3] === 0 ? -1 : (0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]) / 255"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return report.write(make_explanation(), tmp_path_factory.mktemp("pages") / "plain.html")


def at_top(page, name):
    return page.run("return document.getElementById(arguments[0]).getBoundingClientRect().top", name)


def names_beside(page, chart):
    return page.run(f"return [...document.querySelectorAll('#{chart} .ytick text')].map(t => t.textContent)")


def test_the_whole_model_comes_before_the_queries(page, plain):
    page.open(plain)
    assert at_top(page, "whole") < at_top(page, "queries")
    explanation = make_explanation()
    assert names_beside(page, "importance") == list(explanation.importance().index)
    assert "over all 30 queries: " + explanation.importance().index[0] in page.text("whole-note")
    assert page.run("return document.getElementById('effect').data.length") == 6
    assert page.complaints() == []


def test_a_column_can_be_seen_against_its_values_and_a_point_chosen(page, plain):
    page.open(plain)
    Select(page.find("picture")).select_by_visible_text("x3")
    x, y = page.run("const [points] = document.getElementById('effect').data; return [points.x, points.y]")
    explanation = make_explanation()
    assert x == pytest.approx(explanation.values["x3"].tolist(), rel=1e-3)
    assert y == pytest.approx(explanation.contributions()["x3"].tolist(), rel=5e-3)
    page.run("document.getElementById('effect').emit('plotly_click', {points: [{customdata: 7}]})")
    assert page.query == "row 7"
    page.run("document.getElementById('importance').emit('plotly_click', {points: [{y: 0}]})")
    first = explanation.importance().index[0]
    assert Select(page.find("picture")).first_selected_option.text == first
    assert page.complaints() == []


def test_the_class_is_that_of_the_whole_model_too(page, tmp_path):
    explanation = make_explanation(task="multiclass")
    page.open(report.write(explanation, tmp_path / "classes.html"))
    for name in explanation.outputs[:2]:
        Select(page.find("output")).select_by_visible_text(name)
        assert names_beside(page, "importance") == list(explanation.importance(name).index)
        assert f"class {name}" in page.text("whole-note")


def test_a_link_opens_its_query_and_follows_the_choice(page, plain):
    page.open(plain, "#query=row%2012")
    assert page.query == "row 12"
    assert abs(at_top(page, "queries")) < 5
    page.find("next").click()
    assert page.query == "row 13"
    assert page.run("return location.hash") == "#query=row%2013"
    assert page.find("permalink").get_attribute("href").endswith("#query=row%2013")
    page.run("location.hash = '#query=row%205'")
    page.run("return new Promise((done) => setTimeout(() => done(0), 100))")
    assert page.query == "row 5"


@pytest.mark.parametrize("fragment", ["#query=nobody", "#query=%E0%A4%A", "#row=99", "#row=x", "#search", "#"])
def test_a_link_to_nothing_opens_the_first_query(page, plain, fragment):
    page.open(plain, fragment)
    assert page.query == "row 0"
    assert page.complaints() == []


def test_queries_of_one_label_have_links_by_row(page, tmp_path):
    path = report.write(make_explanation(labels=["same"] * 30), tmp_path / "same.html")
    page.open(path)
    page.find("next").click()
    assert page.run("return location.hash") == "#row=2"
    before = page.text("contributions")
    page.open(path, "#row=2")
    assert page.text("contributions") == before


def test_arrow_keys_move_between_queries_wherever_the_focus_is(page, plain):
    page.open(plain)
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.query == "row 2"
    page.press(Keys.ARROW_LEFT)
    assert page.query == "row 1"
    page.find("search").click()
    page.press(Keys.ARROW_RIGHT)
    assert page.query == "row 1"


def test_the_query_stands_beside_its_rows(page, plain):
    page.open(plain, "#query=row%203")
    own = make_explanation().attended().loc["row 3"].iloc[0]
    head, first = (line.split("\t") for line in page.text("beside").split("\n")[:2])
    assert head[:2] == ["column", "query"]
    assert head[-3:] == ["weighted", "all rows", "similarity"]
    assert first[0] == own["feature"]
    assert float(first[1]) == pytest.approx(own["value"], rel=1e-3)


def test_rows_that_are_not_known_leave_no_table(page, tmp_path):
    explanation = make_explanation()
    vars(explanation)["train_values"] = None
    page.open(report.write(explanation, tmp_path / "unknown.html"))
    assert not page.find("beside-box").is_displayed()
    assert page.complaints() == []


@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_420_pixels_are_enough(page, tmp_path, task):
    names = [f"a long name of a measured quantity, number {j}" for j in range(30)]
    page.emulate(width=420)
    page.open(report.write(make_explanation(names=names, task=task, shapes=True), tmp_path / "narrow.html"))
    assert page.run("return document.documentElement.scrollWidth") <= 420
    for chart in ("importance", "effect", "scatter", "bars", "map"):
        assert page.run(f"return document.querySelector('#{chart} .main-svg').clientWidth") <= 400, chart
        assert page.run(f"return document.getElementById('{chart}')._fullLayout._size.w") > 150, chart
    assert page.complaints() == []


def test_a_dark_scheme_is_dark_and_changes_at_once(page, plain):
    page.emulate(scheme="dark")
    page.open(plain)

    def colours():
        places = [("body", "background-color"), ("body", "color"), ("#effect .main-svg", "background-color")]
        return [page.run(LUMINANCE, *place) for place in [*places, ("#effect .xtick text", "fill")]]

    paper, ink, chart, tick = colours()
    assert paper < 0.2 > chart
    assert ink > 0.7 < tick
    page.emulate(scheme="light")
    page.run("return new Promise((done) => setTimeout(() => done(0), 300))")
    paper, ink, chart, tick = colours()
    assert paper > 0.9 < chart
    assert ink < 0.3 > tick
    assert page.complaints() == []


def test_words_are_explained_where_they_stand(page, plain):
    page.open(plain)
    page.driver.find_element("css selector", "#words summary").click()
    for word in ("mixing", "effective sample size", "baseline", "contribution", "prototype", "head", "loss"):
        assert word in page.text("words")
    assert page.driver.find_element("css selector", "#beside th:last-child").get_attribute("title")


def test_hostile_names_stay_text_in_the_whole_model(page, tmp_path):
    labels = [f"{HOSTILE} {q}" for q in range(30)]
    explanation = make_explanation(names=HOSTILE_NAMES, labels=labels, task="multiclass")
    for table in ("values", "train_values"):
        vars(explanation)[table] = getattr(explanation, table).assign(**{HOSTILE: HOSTILE})
    page.open(report.write(explanation, tmp_path / "hostile.html"), "#query=" + quote(labels[3]))
    assert page.query == labels[3]
    for j in range(len(HOSTILE_NAMES)):
        Select(page.find("picture")).select_by_value(str(j))
    assert page.complaints() == []
    assert page.run("return document.querySelectorAll('img, iframe, b, [onerror]').length") == 0
    assert HOSTILE in page.text("beside")
    shown = names_beside(page, "importance")
    assert all(any(tick.startswith(name[:12]) for tick in shown) for name in HOSTILE_NAMES)


def test_long_names_that_differ_in_the_middle_stay_apart(page, tmp_path):
    names = [f"the quantity that was measured first, number {j} [milligrams per litre]" for j in range(6)]
    page.open(report.write(make_explanation(names=names), tmp_path / "long.html"))
    for chart in ("importance", "effect", "bars"):
        shown = names_beside(page, chart)
        assert len(set(shown)) == len(shown) >= 4, chart


def test_a_model_of_nothing_opens(page, tmp_path):
    explanation = make_explanation()
    found = explanation.attribution()
    vars(explanation)["attribution"] = lambda: found._replace(total=0 * found.total, model=0 * found.model)
    page.open(report.write(explanation, tmp_path / "nothing.html"))
    assert "No column contributes" in page.text("whole-note")
    assert page.complaints() == []


def test_intervals_and_survival_curves_are_shown_for_the_query(page, tmp_path):
    ends = np.column_stack([np.arange(30.0), np.arange(30.0) + 0.5])
    page.open(report.write(make_explanation(), tmp_path / "interval.html", interval=ends), "#query=row%2012")
    assert "12 to 12.5" in page.text("outcome")
    assert not page.find("survival").is_displayed()
    curves = pd.DataFrame(np.linspace(1, 0, 90).reshape(30, 3), columns=[1.0, 2.0, 3.0])
    path = report.write(make_explanation(task="survival"), tmp_path / "survival.html", survival=curves)
    page.open(path, "#query=row%2012")
    shown = page.run("const [line] = document.getElementById('survival').data; return [line.x, line.y]")
    assert shown[0] == [0, 1, 2, 3]
    assert shown[1] == pytest.approx([1, *curves.iloc[12]], abs=1e-3)
    assert page.complaints() == []
