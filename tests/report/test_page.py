import base64
import hashlib
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier
from heedful.plot import _style
from heedful.report import render
from heedful.report._collect import collect
from heedful.report._page import plotly_script, to_json
from report.cases import HOSTILE, HOSTILE_NAMES, make_explanation


def embedded(page):
    """Return the text between the tags of the data."""
    return re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1)


def without_plotly(page):
    return page.replace(plotly_script(), "")


@pytest.fixture(scope="module")
def hostile():
    labels = [f"{HOSTILE} {q}" for q in range(30)]
    explanation = make_explanation(names=HOSTILE_NAMES, labels=labels, task="multiclass", shapes=True)
    return explanation, render(explanation, title="</title><script>alert(1)</script>")


@pytest.mark.one_value
@pytest.mark.parametrize("shapes", [True, False])
@pytest.mark.parametrize("task", ["regression", "binary", "multiclass", "survival"])
def test_the_data_survive_the_page(task, shapes):
    explanation = make_explanation(task=task, shapes=shapes)
    assert json.loads(embedded(render(explanation))) == collect(explanation, None, None)


def test_json_holds_nothing_that_html_or_script_could_read():
    value = ["<!-- </script> & \u2028\u2029 \ud800 \"quoted\" 'single' \\ \N{ROCKET}"]
    written = to_json(value)
    assert not re.search("[<>&\u2028\u2029]", written)
    assert written.isascii()
    assert json.loads(written) == value


def test_hostile_names_appear_in_the_data_only(hostile):
    explanation, page = hostile
    data = json.loads(embedded(page))
    assert data["features"] == HOSTILE_NAMES
    assert data["labels"] == list(explanation.index)
    rest = without_plotly(page).replace(embedded(page), "")
    assert "onerror" not in rest
    assert "alert" not in rest.replace("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;", "")


def test_the_page_has_its_own_three_scripts_and_no_other(hostile):
    page = without_plotly(hostile[1])
    assert len(re.findall("<script", page, re.IGNORECASE)) == 3
    assert len(re.findall("</script", page, re.IGNORECASE)) == 3
    assert "<img" not in page


def test_the_policy_allows_those_scripts_and_no_network(hostile):
    page = hostile[1]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(digests) == 2
    assert all(f"'sha256-{digest}'" in policy for digest in digests)
    assert policy.startswith("default-src 'none';")
    assert re.findall(r"[a-z]+://|\*", policy) == []


def test_the_page_refers_to_nothing_outside_itself(hostile):
    """Outside plotly.js and the data there is no address, and every ``src``, ``href`` or ``url`` stays inside."""
    page = without_plotly(hostile[1]).replace(embedded(hostile[1]), "")
    assert re.findall(r"\b(?:https?|wss?|ftp):|//[a-z]", page.replace("// ", "")) == []
    assert re.findall(r"@import|url\(|fetch\(|XMLHttpRequest|sendBeacon|WebSocket", page) == []
    assert all(target.startswith(("#", "data:,")) for target in re.findall(r'(?:src|href)="([^"]*)"', page))


def test_own_script_writes_text_only_as_text():
    own = without_plotly(render(make_explanation()))
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", own) == []


def test_the_same_explanation_gives_the_same_page():
    assert render(make_explanation()) == render(make_explanation())


@pytest.mark.parametrize("n_query", [1, 2, 5])
@pytest.mark.parametrize("task", ["regression", "multiclass"])
def test_few_queries_make_a_page(n_query, task):
    assert len(json.loads(embedded(render(make_explanation(n_query=n_query, task=task))))["labels"]) == n_query


@pytest.mark.more
@pytest.mark.parametrize("task", ["regression", "multiclass"])
@pytest.mark.parametrize(("n_query", "most"), [(1000, 8e6), (2500, 10.5e6)])
def test_a_page_of_1000_queries_stays_below_8_megabytes(task, n_query, most):
    assert len(render(make_explanation(n_query=n_query, n_features=30, task=task))) < most


@pytest.mark.long
@pytest.mark.more
def test_five_thousand_queries_of_sixty_features_stay_below_15_megabytes():
    page = render(make_explanation(n_query=5000, n_features=60))
    assert len(without_plotly(page).encode()) < 15e6


def test_very_many_queries_and_classes_show_fewer_features(monkeypatch):
    monkeypatch.setattr("heedful.report._columns.MOST_CELLS", 30 * 3 * 4)
    assert collect(make_explanation(task="multiclass"), None, None)["drivers"]["k"] == 4
    assert collect(make_explanation(n_query=300, task="multiclass"), None, None)["drivers"]["k"] == 3


def fit_and_explain(task, rng):
    """Return a real explanation of twelve rows with a hostile column and a hostile category."""
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=[HOSTILE, "b"])
    X["kind"] = rng.choice(["u", "</script>"], 60)
    score = X[HOSTILE] * np.where(X["kind"] == "u", 1, -1) + 0.1 * rng.normal(size=60)
    if task == "survival":
        y = np.array(list(zip(score > 0, np.exp(score), strict=True)), dtype=[("event", bool), ("time", float)])
        return AttentionCox(random_state=0).fit(X, y).explain(X[:12], y[:12])
    if task == "regression":
        return AttentionLasso(random_state=0).fit(X, score).explain(X[:12], score[:12])
    y = np.digitize(score, [0.0] if task == "binary" else [-0.4, 0.4])
    return AttentionLassoClassifier(random_state=0).fit(X, y).explain(X[:12], y[:12])


@pytest.mark.more
@pytest.mark.parametrize("task", ["regression", "binary", "multiclass", "survival"])
def test_a_fitted_estimator_of_every_response_makes_a_page(task, rng):
    data = json.loads(embedded(render(fit_and_explain(task, rng))))
    assert data["words"]["probability"] == (task in ("binary", "multiclass"))
    assert {HOSTILE, "kind=</script>"} <= set(data["features"])
    assert len(data["cards"]) == 7


def test_missing_plotly_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(ImportError, match=r"pip install 'heedful\[report\]"):
        render(make_explanation(n_query=3))


def test_clusters_and_signs_have_the_hues_of_the_plots():
    page = without_plotly(render(make_explanation(n_query=3)))
    assert f"const HUES = {json.dumps(list(_style.CLUSTERS))};" in page
    assert f"const SERIES = {json.dumps(list(_style.SERIES))};" in page
    assert f'const UP = "{_style.POSITIVE}", DOWN = "{_style.NEGATIVE}"' in page
    assert all(f'"{hue}"]' in page for hue in _style.PARTS.values())
