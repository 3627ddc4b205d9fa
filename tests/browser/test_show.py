"""The page inside a notebook: a frame that runs its scripts and reaches nothing outside."""

import pytest

from heedful import report
from heedful.report._show import frame_page
from report.cases import HOSTILE_NAMES, make_drift_report, make_explanation


@pytest.mark.parametrize("make", [lambda: make_explanation(6, names=HOSTILE_NAMES), make_drift_report])
def test_the_page_works_in_a_frame(page, tmp_path, make):
    path = tmp_path / "notebook.html"
    frame = frame_page(report.render(make(), title="In a notebook"), 600)
    path.write_text(f'<!doctype html><html data-ready="yes"><meta charset="utf-8"><body>{frame}', encoding="utf-8")
    page.open(path)
    page.driver.switch_to.frame(0)
    assert page.run("return document.documentElement.dataset.ready") == "yes"
    assert page.run("return document.querySelectorAll('.js-plotly-plot').length") > 0
    assert page.run("try { return parent.document.title } catch (error) { return error.name }") == "SecurityError"
    assert page.run("return window.innerHeight") == 600
    page.driver.switch_to.default_content()
    assert page.complaints() == []
