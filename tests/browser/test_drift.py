"""The page about a drift as a person meets it, on a wide screen and on a phone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from heedful import report
from report.cases import HOSTILE, HOSTILE_NAMES, make_drift_report

CHARTS = ["timeline", "errors", "bars", "corrections", "support", "curve"]
DATES = pd.date_range("2024-01-01", periods=60, freq="12h")


@pytest.fixture(params=[1280, 390])
def width(request, page):
    """Give the browser the width of a work's screen or of a phone."""
    metrics = {"width": request.param, "height": 844, "deviceScaleFactor": 1, "mobile": request.param < 600}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    yield request.param
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def drawn(page):
    """Return the charts that show something: points, bars or lines inside their frame."""
    return page.run(
        """return arguments[0].filter((name) => {
        const node = document.getElementById(name);
        const marks = node.querySelectorAll('.plot .point path, .plot path.point, .plot path.js-line');
        return node.clientHeight > 100 && [...marks].some((mark) => mark.getBoundingClientRect().width > 0); })""",
        CHARTS,
    )


@pytest.mark.parametrize("made", [{"time": DATES}, {"classes": True}], ids=["dates", "classes"])
def test_every_chart_is_drawn_without_complaint_and_fits(page, width, tmp_path, made):
    page.open(report.write(make_drift_report(**made), tmp_path / "drift.html"))
    assert drawn(page) == CHARTS
    assert page.text("verdict").startswith("The model can be improved on the recent rows")
    assert page.run("return document.documentElement.scrollWidth") <= width
    assert page.complaints() == []
    assert page.leaks() == []


def test_charts_over_time_share_their_axis(page, tmp_path):
    page.open(report.write(make_drift_report(time=DATES), tmp_path / "drift.html"))
    ranges = page.run("return ['timeline', 'errors'].map((n) => document.getElementById(n)._fullLayout.xaxis.range)")
    assert ranges[0] == ranges[1]
    assert ranges[0][0].startswith("2023-12-31")


def test_a_report_in_which_nothing_was_tried_or_corrected_opens(page, tmp_path):
    made = make_drift_report(n_rows=2, tuned={"mixing": 0.0})
    made = replace(made, heads=made.heads.assign(error=np.nan), features=made.features.iloc[:0])
    page.open(report.write(made, tmp_path / "drift.html"))
    assert drawn(page) == ["timeline", "errors", "corrections", "support"]
    assert page.text("features-note").startswith("No query is corrected")
    assert page.text("tuning-note").startswith("Nothing was tuned")
    assert page.complaints() == []


def test_ten_thousand_rows_are_thinned_and_soon_there(page, tmp_path):
    page.open(report.write(make_drift_report(n_rows=10_000), tmp_path / "drift.html"))
    assert page.seconds < 8
    assert "2000 of 10000 rows, evenly spread" in page.text("timeline-note")
    assert page.run("return document.querySelectorAll('#timeline .trace')[0].querySelectorAll('.point').length") == 2000


def test_hostile_names_stay_text(page, tmp_path):
    made = make_drift_report(names=HOSTILE_NAMES, labels=[f"{HOSTILE} {i}" for i in range(60)])
    made = replace(made, rows=made.rows.assign(demand=HOSTILE))
    page.open(report.write(made, tmp_path / "drift.html", title=HOSTILE))
    page.run("Plotly.Fx.hover('timeline', [{curveNumber: 0, pointNumber: 3}])")
    assert page.run("return document.querySelector('#timeline .hovertext').textContent").startswith(HOSTILE)
    ticks = page.run("return [...document.querySelectorAll('#bars .ytick text')].map((t) => t.textContent)")
    assert all(any(tick.startswith(name[:12]) for tick in ticks) for name in HOSTILE_NAMES)
    assert all(name in page.text("usual") for name in HOSTILE_NAMES[:3])
    assert page.run("return document.querySelectorAll('img, iframe, b, [onerror]').length") == 0
    assert page.text("title") == HOSTILE
    assert page.complaints() == []


def test_columns_before_and_after_are_shown_with_a_reference(page, tmp_path):
    tests = {"rows moved": 0.3, "relation moved": 6.0, "recent rows improvable": 0.0, "reference improvable": 4.0}
    page.open(report.write(make_drift_report(tests=tests), tmp_path / "drift.html"))
    assert "relation moved" in page.text("tests")
    assert "effect after" in page.text("both")
    assert page.complaints() == []
    page.open(report.write(make_drift_report(), tmp_path / "drift.html"))
    assert page.run("return document.getElementById('periods').hidden")
