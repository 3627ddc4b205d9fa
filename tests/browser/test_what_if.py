"""The small model of a query, and what would come out at other values, in the browser."""

import re
from dataclasses import replace

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from heedful import report
from report.cases import HOSTILE, HOSTILE_NAMES, make_explanation

TASKS = ["regression", "binary", "multiclass", "survival", "effect"]
DATA = "return JSON.parse(document.getElementById('data').textContent)"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return report.write(make_explanation(), tmp_path_factory.mktemp("pages") / "plain.html")


def number(text):
    return float(re.search(r"[−-]?\d+\.?\d*(e[−-]?\d+)?", text).group().replace("−", "-"))


def said_value(page):
    """Return the number that the sentence says comes out."""
    return number(page.text("if-said").split(": ", 1)[1])


def move_to(page, value):
    page.run(
        "const v = document.getElementById('if-value'); v.value = arguments[0]; v.dispatchEvent(new Event('input'))",
        value,
    )


def test_terms_of_the_query_add_up_to_its_sum(page, plain):
    page.open(plain, "#query=row%207")
    lines = [line.split("\t") for line in page.run("return document.getElementById('terms').innerText").split("\n")]
    terms = page.run(
        "return [...document.querySelectorAll('#terms tbody tr')].map(r => r.lastElementChild.firstChild.textContent)"
    )
    *parts, total = (number(term) for term in terms)
    assert sum(parts) == pytest.approx(total, abs=0.02)
    explanation = make_explanation()
    assert total == pytest.approx(explanation.link["row 7"], rel=1e-3)
    assert lines[0] == ["column", "value", "slope", "term"]
    used = explanation.coef.loc["row 7"]
    names = page.run("return [...document.querySelectorAll('#terms tbody th')].map(t => t.textContent)")
    assert set(names[1:-1]) == set(used.index[used != 0])
    assert f"{explanation.fidelity['row 7']:.0%}".replace("%", " %") in page.text("fidelity")


def test_whiskers_are_the_ends_of_intervals(page, plain):
    page.open(plain)
    data = page.run(DATA)["small"]
    first = data["first"][1]
    (trace,) = page.run("return moves.data")
    effects = data["effects"]
    assert trace["x"] == effects["effect"][0][:first]
    np.testing.assert_allclose(np.add(trace["x"], trace["error_x"]["array"]), effects["high"][0][:first])
    np.testing.assert_allclose(np.subtract(trace["x"], trace["error_x"]["arrayminus"]), effects["low"][0][:first])
    assert "90 % intervals" in page.text("moves-note")


def test_without_intervals_there_are_no_whiskers(page, tmp_path):
    explanation = make_explanation()
    table = explanation.effects().assign(low=np.nan, high=np.nan)
    page.open(report.write(replace(explanation, compute_effects=lambda coverage: table), tmp_path / "bare.html"))
    assert set(page.run("return moves.data[0].error_x.array")) == {0}
    assert "interval" not in page.text("moves-note")
    assert page.complaints() == []


@pytest.mark.parametrize("task", TASKS)
def test_other_values_give_what_the_data_have(page, tmp_path, task):
    known = task != "effect"
    page.open(report.write(make_explanation(task=task, known=known), tmp_path / "if.html"), "#query=row%205")
    data = page.run(DATA)
    output = data["likely"][5] if task == "multiclass" else 0
    assert said_value(page) == pytest.approx(data["prediction"][output][5], abs=1e-3)
    for at in range(*data["small"]["first"][5:7]):
        j = data["small"]["column"][at]
        Select(page.find("if-column")).select_by_value(str(j))
        grid, own = data["what_if"]["grids"][str(j)], data["what_if"]["place"][at]
        for i, place in enumerate(grid["place"]):
            # the query's own value stands among the others
            move_to(page, i + (own < place))
            expected = data["what_if"]["curve"][output][at][i]
            if not (task in ("binary", "multiclass") and not 0.001 < expected < 0.999):
                assert said_value(page) == pytest.approx(expected, rel=1e-3, abs=1e-3)
            assert f"were {grid['text'][i]} instead of {data['small']['value'][at]}" in page.text("if-said")
        mean, curve = page.run("return document.getElementById('if-chart').data.slice(0, 2)")
        assert mean["y"] == pytest.approx(data["what_if"]["mean"][str(j)][output])
        assert sorted([*grid["place"], own]) == curve["x"]
    assert page.complaints() == []


def test_the_slider_takes_keys_and_queries_stay(page, plain):
    page.open(plain)
    seen = [page.text("if-said")]
    page.run("document.getElementById('if-value').focus()")
    before = int(page.find("if-value").get_attribute("value"))
    step = Keys.ARROW_LEFT if before else Keys.ARROW_RIGHT
    page.press(step)
    seen.append(page.text("if-said"))
    assert page.query == "row 0"
    page.press(Keys.HOME, Keys.END)
    seen.append(page.text("if-said"))
    assert len(set(seen)) == 3
    data = page.run(DATA)
    j = str(data["small"]["column"][0])
    assert data["what_if"]["grids"][j]["text"][-1] in seen[-1]
    assert page.find("if-value").get_attribute("aria-valuetext").startswith(data["what_if"]["grids"][j]["text"][-1])
    assert page.complaints() == []


def test_a_click_on_a_point_chooses_its_value(page, plain):
    page.open(plain)
    page.run("document.getElementById('if-chart').emit('plotly_click', {points: [{customdata: 0}]})")
    data = page.run(DATA)
    first = data["what_if"]["grids"][str(data["small"]["column"][0])]["text"][0]
    assert f"were {first} instead of" in page.text("if-said")
    assert page.find("if-value").get_attribute("value") == "0"


def test_the_column_stays_from_query_to_query_where_both_have_it(page, plain):
    page.open(plain)
    data = page.run(DATA)
    small = [data["small"]["column"][slice(*data["small"]["first"][q : q + 2])] for q in range(30)]
    both = next(j for j in small[0][1:] if j in small[1])
    Select(page.find("if-column")).select_by_value(str(both))
    page.press(Keys.TAB)
    page.find("next").click()
    assert page.find("if-column").get_attribute("value") == str(both)
    for q in range(1, 30):
        assert int(page.find("if-column").get_attribute("value")) in small[q]
        assert said_value(page) == pytest.approx(data["prediction"][0][q], rel=1e-3)
        page.find("next").click()
    assert page.complaints() == []


def test_levels_missing_numbers_and_hostile_names(page, tmp_path):
    explanation = make_explanation(names=HOSTILE_NAMES)
    levels = [HOSTILE, "</script>b", "c"]
    cells = explanation.values.astype(object)
    cells[HOSTILE] = [levels[q % 3] if q % 4 else "rare" for q in range(30)]
    cells.iloc[:, 1] = None
    reference = explanation.reference.astype({HOSTILE: object})
    reference[HOSTILE] = HOSTILE

    def ask(*asked):
        table = explanation.ask(*asked)
        chosen = table["feature"] == HOSTILE
        rank = table.groupby(["query", "feature"]).cumcount()
        table.loc[chosen, "value"] = rank[chosen].map(dict(enumerate(levels)))
        return table[~chosen | (rank < 3)].reset_index(drop=True)

    changed = replace(explanation, values=cells, reference=reference, ask=ask)
    page.open(report.write(changed, tmp_path / "levels.html"))
    data = page.run(DATA)
    for q in range(8):
        for at in range(*data["small"]["first"][q : q + 2]):
            Select(page.find("if-column")).select_by_value(str(data["small"]["column"][at]))
            assert f"= {data['small']['value'][at]}: prediction" in page.text("if-said")
            assert said_value(page) == pytest.approx(data["prediction"][0][q], rel=1e-3)
        page.find("next").click()
    assert page.run("return document.querySelectorAll('img, iframe, b, [onerror]').length") == 0
    assert page.complaints() == []


@pytest.mark.parametrize("part", ["ask", "terms"])
def test_what_is_not_known_is_not_shown(page, tmp_path, part):
    explanation = replace(make_explanation(), ask=None, **({"terms": None} if part == "terms" else {}))
    page.open(report.write(explanation, tmp_path / "unknown.html"))
    assert page.find("small-tile").is_displayed() == (part == "ask")
    assert not page.find("if-tile").is_displayed()
    page.find("next").click()
    assert page.complaints() == []


@pytest.mark.parametrize("task", ["regression", "multiclass", "survival"])
def test_small_models_fit_a_phone(page, tmp_path, task):
    names = [f"a long name of a measured quantity, number {j}" for j in range(30)]
    page.emulate(width=420)
    page.open(report.write(make_explanation(names=names, task=task), tmp_path / "narrow.html"))
    assert page.run("return document.documentElement.scrollWidth") <= 420
    for name in ("terms", "contributions"):
        cut = page.run(
            f"const box = document.getElementById('{name}').parentElement; return box.scrollWidth - box.clientWidth"
        )
        assert cut <= 0, name
    for chart in ("moves", "if-chart"):
        assert page.run(f"return document.getElementById('{chart}')._fullLayout._size.w") > 150, chart
    assert page.complaints() == []
