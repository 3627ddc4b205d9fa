import os

import pytest

from heedful import report
from report.cases import make_explanation


def test_the_file_is_the_rendered_page(tmp_path):
    explanation = make_explanation(n_query=5)
    path = report.write(explanation, tmp_path / "page.html", title="A title", n_clusters=2)
    assert path.read_text(encoding="utf-8") == report.render(explanation, title="A title", n_clusters=2)
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_failure_while_writing_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", _fail)
    with pytest.raises(OSError, match="no space"):
        report.write(make_explanation(n_query=5), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_an_estimator_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"Pass `model.explain\(X\)`"):
        report.render(object())


def _fail(*paths):
    raise OSError("no space left")
