import os
import stat

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


def test_a_missing_folder_is_an_error_that_names_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        report.write(make_explanation(n_query=5), tmp_path / "nowhere" / "page.html")


def test_others_may_read_the_file_as_any_other_new_file(tmp_path):
    (tmp_path / "other").write_text("")
    path = report.write(make_explanation(n_query=5), str(tmp_path / "page.html"))
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


def test_an_estimator_is_refused_with_the_remedy():
    with pytest.raises(TypeError, match=r"Pass `model.explain\(X\)`"):
        report.render(object())


def _fail(*paths):
    raise OSError("no space left")
