"""``show``: in a frame of a notebook, or as a file in a browser."""

import html
import re
import sys
import webbrowser
from pathlib import Path
from types import ModuleType, SimpleNamespace
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

from heedful import report
from report.cases import HOSTILE_NAMES, make_drift_report, make_explanation


@pytest.fixture
def notebook(monkeypatch):
    """What a notebook was told to display."""
    shown = []
    shell, module = ModuleType("IPython"), ModuleType("IPython.display")
    shell.get_ipython = lambda: SimpleNamespace(kernel=object())
    module.HTML, module.display = str, shown.append
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return shown


@pytest.fixture
def browser(monkeypatch, tmp_path):
    """Addresses that a browser was sent to, with nothing of a notebook."""
    opened = []
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return opened


@pytest.mark.one_value
@pytest.mark.parametrize("make", [lambda: make_explanation(5, names=HOSTILE_NAMES), make_drift_report])
def test_a_notebook_has_the_page_in_a_frame(notebook, make):
    explanation = make()
    report.show(explanation, title="Wards", height=500)
    (frame,) = notebook
    outside, page = re.fullmatch(r'(<div><iframe [^>]*?) srcdoc="([^"]*)"></iframe></div>', frame).groups()
    assert html.unescape(page) == report.render(explanation, title="Wards")
    assert 'sandbox="allow-scripts"' in outside
    assert "height:500px" in outside


def test_elsewhere_a_browser_opens_a_file(browser):
    explanation = make_explanation(5)
    report.show(explanation, title="Wards")
    (address,) = browser
    path = Path(url2pathname(urlparse(address).path))
    assert path.read_text(encoding="utf-8") == report.render(explanation, title="Wards")


@pytest.mark.parametrize("shell", [None, SimpleNamespace()])
def test_a_shell_without_a_kernel_is_no_notebook(browser, monkeypatch, shell):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    report.show(make_explanation(5))
    assert len(browser) == 1


def test_without_either_it_is_said_where_the_page_is(browser, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    with pytest.raises(RuntimeError, match="found neither") as error:
        report.show(make_explanation(5))
    assert Path(re.search(r"in (\S+\.html)", str(error.value)).group(1)).exists()


@pytest.mark.parametrize("height", [0, -5, "tall"])
def test_the_height_is_checked(notebook, height):
    with pytest.raises((ValueError, TypeError), match="height"):
        report.show(make_explanation(5), height=height)
    assert not notebook
