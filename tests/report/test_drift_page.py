import base64
import hashlib
import json
import os
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from heedful import DriftCorrector, report
from heedful.report._drift import collect_drift
from heedful.report._page import plotly_script
from report.cases import HOSTILE, HOSTILE_NAMES, make_drift_report, make_explanation

STILL = {"rows moved": 0.3, "relation moved": -1.0, "recent rows improvable": 0.0, "reference improvable": 4.0}
CASES = {
    "dates": {"time": pd.date_range("2024-01-01", periods=60, freq="12h")},
    "numbers": {"time": np.linspace(0.0, 3.0, 60)},
    "no time": {},
    "classes": {"classes": True},
    "two rows": {"n_rows": 2},
    "no drift": {"shift": 0.0, "tuned": {"mixing": 0.0, "guard": 0.0}},
    "few rows": {"tests": {}},
    "reference": {"tests": STILL},
}


def embedded(page):
    """Return the text between the tags of the data."""
    return re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1)


def is_plain(value):
    """Return whether JSON keeps a value as it is."""
    if isinstance(value, dict):
        return all(type(name) is str and is_plain(part) for name, part in value.items())
    if isinstance(value, list):
        return all(is_plain(part) for part in value)
    return value is None or type(value) in (str, int, float, bool)


@pytest.mark.one_value
@pytest.mark.parametrize("case", CASES)
def test_the_data_are_plain_and_survive_the_page(case):
    made = make_drift_report(**CASES[case])
    data = collect_drift(made, None)
    assert is_plain(data)
    assert json.loads(embedded(report.render(made))) == data
    assert data["title"] == "Has the model drifted?"


def test_tests_and_columns_of_a_reference_are_shown_and_only_then():
    data = collect_drift(make_drift_report(tests=STILL), None)
    assert data["tests"]["name"] == list(STILL)
    assert data["columns"]["name"] == ["a", "b"]
    assert (data["columns"]["effect_before"], data["columns"]["effect_after"]) == ([1, 1], [2.5, 2.5])
    plain = collect_drift(make_drift_report(), None)
    assert (plain["tests"]["name"], plain["columns"]["n"]) == (["recent rows improvable"], 0)


def test_cards_hold_the_measures_and_their_meaning():
    made = make_drift_report()
    cards = {card["name"]: card for card in collect_drift(made, None)["cards"]}
    assert list(cards) == [
        "recent rows",
        "error before",
        "error after",
        "correction size",
        "effective rows",
        "queries corrected",
    ]
    assert cards["recent rows"]["value"] == "60"
    assert cards["error before"]["note"] == "root mean squared error of the model on the recent rows"
    assert cards["error after"]["note"] == made.summary["meaning"]["error after"]


def test_rows_are_shown_in_the_order_of_time():
    made = make_drift_report(time=np.arange(60.0))
    turned = replace(made, rows=made.rows.iloc[::-1])
    shown, again = collect_drift(made, None), collect_drift(turned, None)
    assert shown["rows"]["at"] == list(range(60))
    assert shown["rows"] == again["rows"]
    assert shown["blocks"] == again["blocks"]


def test_dates_are_written_as_dates_and_late_numbers_keep_their_digits():
    dates = collect_drift(make_drift_report(**CASES["dates"]), None)
    assert dates["rows"]["at"][1] == "2024-01-01T12:00:00.000"
    assert dates["words"]["dates"]
    late = collect_drift(make_drift_report(time=1.7e9 + np.arange(60.0)), None)
    assert late["rows"]["at"][1] == 1700000001
    assert not late["words"]["dates"]


def test_dates_of_a_zone_are_shown_on_its_clocks():
    time = pd.date_range("2024-01-01", periods=60, freq="D", tz="Europe/Paris")
    assert collect_drift(make_drift_report(time=time), None)["rows"]["at"][0] == "2024-01-01T00:00:00.000"


def test_rows_without_time_are_numbered_even_if_the_response_is_called_time():
    made = make_drift_report()
    data = collect_drift(replace(made, rows=made.rows.rename(columns={"demand": "time"})), None)
    assert data["words"]["when"] == "row number"
    assert data["rows"]["at"] == list(range(1, 61))


def test_many_rows_are_thinned_evenly_and_blocks_are_of_all():
    data = collect_drift(make_drift_report(n_rows=10_000), None)
    at = data["rows"]["at"]
    assert (len(at), at[0], at[-1], data["rows"]["n"]) == (2000, 1, 10_000, 10_000)
    assert set(np.diff(at)) <= {5, 6}
    assert (data["blocks"]["first"][0], data["blocks"]["last"][-1]) == (1, 10_000)
    assert len(json.dumps(data)) < 500_000


@pytest.mark.parametrize("classes", [False, True])
def test_blocks_average_to_the_errors_of_the_summary(classes):
    made = make_drift_report(n_rows=200, classes=classes)
    found = collect_drift(made, None)["blocks"]
    assert np.diff([found["first"], found["last"]], axis=0).tolist() == [[9] * 20]
    power = 1 if classes else 2
    for name in ("before", "after"):
        mean = np.mean(np.power(found[name], power)) ** (1 / power)
        assert mean == pytest.approx(made.summary["value"][f"error {name}"], rel=1e-3)


def test_rows_without_weight_do_not_count_in_blocks():
    made = make_drift_report(n_rows=100)
    made.rows.iloc[:5, made.rows.columns.get_loc("weight")] = 0.0
    made.rows.iloc[5, made.rows.columns.get_loc("weight")] = 1e9
    found = collect_drift(made, None)["blocks"]
    assert found["before"][0] is None
    assert found["before"][1] == pytest.approx(made.rows["loss"].iloc[5] ** 0.5, rel=1e-3)


def test_the_fifteen_most_telling_features_are_shown():
    made = make_drift_report(names=[f"x{j}" for j in range(20)])
    found = collect_drift(made, None)["features"]
    assert (len(found["name"]), found["n"]) == (15, 20)
    assert found["name"][0] == "x0"
    assert found["separation"] == sorted(found["separation"], reverse=True)


@pytest.mark.parametrize(
    ("correction", "words"), [(9.0, "All queries are corrected significantly"), (0.0, "No query is corrected")]
)
def test_queries_that_are_alike_have_no_telling_feature(correction, words):
    made = make_drift_report()
    queries = made.queries.assign(correction=correction)
    data = collect_drift(replace(made, queries=queries, features=made.features.iloc[:0]), None)
    assert data["features"]["note"].startswith(words)
    assert data["features"]["name"] == []
    assert sum(data["queries"]["correction"]["corrected"]) == (60 if correction else 0)


def test_histograms_count_every_query_once():
    made = make_drift_report(n_rows=500)
    data = collect_drift(made, None)["queries"]
    for name in ("correction", "n_eff"):
        found = data[name]
        assert len(found["edges"]) == 31
        assert sum(found["corrected"]) == data["n_corrected"]
        assert sum(found["corrected"]) + sum(found["others"]) == data["n"] == 500


def test_values_that_differ_by_rounding_make_a_histogram():
    made = make_drift_report()
    wobbly = made.queries.assign(n_eff=7.0 * (1 + np.finfo(float).eps * np.arange(60)))
    found = collect_drift(replace(made, queries=wobbly), None)["queries"]["n_eff"]
    assert max(found["corrected"]) + max(found["others"]) == 60


def test_errors_of_temperatures_are_on_the_scale_of_the_error():
    numbers, classes = (collect_drift(make_drift_report(classes=c), None)["tuning"] for c in (False, True))
    assert numbers["curve"]["lines"][0]["error"] == [1, 0.5, 2]
    assert classes["curve"]["lines"][0]["error"] == [1, 0.25, 4]
    assert numbers["names"] == ["similarity", "temperature", "share", "error", "weighting"]


def test_a_report_without_tried_temperatures_says_so():
    made = make_drift_report()
    data = collect_drift(replace(made, heads=made.heads.assign(error=np.nan)), None)
    assert data["tuning"]["curve"]["lines"][0]["error"] == [None] * 3
    assert data["tuned"] == "Nothing was tuned: temperature and mixing (0.9) were given."


def test_hostile_names_appear_in_the_data_only():
    made = make_drift_report(names=HOSTILE_NAMES, labels=[f"{HOSTILE} {i}" for i in range(60)], classes=True)
    made = replace(made, rows=made.rows.assign(demand=HOSTILE))
    page = report.render(made, title="</title><script>alert(1)</script>")
    data = json.loads(embedded(page))
    assert set(data["features"]["name"]) == set(HOSTILE_NAMES)
    assert data["rows"]["label"][0] == f"{HOSTILE} 0"
    rest = page.replace(plotly_script(), "").replace(embedded(page), "")
    assert "onerror" not in rest
    assert "alert" not in rest.replace("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;", "")
    assert len(re.findall("</?script", rest, re.IGNORECASE)) == 6


def test_the_policy_allows_the_scripts_of_the_page_and_no_network():
    page = report.render(make_drift_report())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digests[0]}' 'sha256-{digests[1]}';")
    own = page.replace(scripts[0], "").replace(embedded(page), "")
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|https?:|url\(", own) == []


def test_both_pages_share_style_and_basic_scripts():
    drift, plain = report.render(make_drift_report()), report.render(make_explanation(n_query=3))
    for part in ("page.css", "basics.js", "charts.js", "tuning.js"):
        text = report._page._part(part)
        assert text in drift
        assert text in plain
    assert 'id="timeline"' not in plain
    assert 'id="search"' not in drift


def test_the_file_is_the_rendered_page(tmp_path):
    path = report.write(make_drift_report(), tmp_path / "drift.html", title="In May")
    assert path.read_text(encoding="utf-8") == report.render(make_drift_report(), title="In May")
    assert os.listdir(tmp_path) == ["drift.html"]


def test_a_corrector_is_refused_with_both_remedies():
    with pytest.raises(
        TypeError, match=r"got DriftCorrector. Pass `model.explain\(X\)` or `corrector.drift_report\(\)`"
    ):
        report.render(DriftCorrector(None))


def test_clusters_of_a_drift_report_are_refused():
    with pytest.raises(ValueError, match=r"`n_clusters` must be None for a drift report, got 3\. Leave it out"):
        report.render(make_drift_report(), n_clusters=3)


@pytest.mark.one_value
@pytest.mark.parametrize("learner", [GradientBoostingRegressor, GradientBoostingClassifier])
def test_a_fitted_corrector_makes_a_page(learner, rng):
    X = rng.normal(size=(240, 3))
    y = X[:, 0] if learner is GradientBoostingRegressor else np.digitize(X[:, 0], [-0.4, 0.4])
    model = learner(n_estimators=10, random_state=0).fit(X[:120], y[:120])
    drifted = np.where(X[120:, 1] > 0, y[120:] + 5 if learner is GradientBoostingRegressor else 0, y[120:])
    dates = pd.date_range("2024-01-01", periods=120, freq="D")
    found = DriftCorrector(model, random_state=0).fit(X[120:], drifted, time=dates).drift_report(X[:30])
    data = json.loads(embedded(report.render(found)))
    assert data["verdict"].startswith("The model can be improved on the recent rows (p < 0.001)")
    assert (data["rows"]["n"], data["queries"]["n"]) == (120, 30)
    assert data["words"]["classes"] == (learner is GradientBoostingClassifier)
