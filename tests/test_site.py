"""The site: every public name has its page and is named in the guide, links are moved along, broken ones are found."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
try:
    make_api, make_site, check_site, draw_pages = map(
        importlib.import_module, ("make_api", "make_site", "check_site", "draw_pages")
    )
finally:
    sys.path.pop(0)

PAGES = make_api.pages()
GUIDE = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md") if path.name != "api.md")
NAMES = [name for room in make_api.rooms() for name, _ in make_api.public_names(room)]


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_listed_on_the_page_of_its_room(name):
    room = name.rpartition(".")[0]
    assert f":py:obj:`{name} <" in PAGES[f"{room}.rst"]


@pytest.mark.parametrize("name", make_api.public_objects())
def test_every_public_class_and_function_has_a_page_with_its_docstring(name):
    short = name.rpartition(".")[2]
    assert re.search(rf"^\.\. auto(class|function):: {short}$", PAGES[f"{name}.rst"], re.MULTILINE)


@pytest.mark.parametrize("name", make_api.public_objects())
def test_every_public_class_and_function_is_named_in_the_guide(name):
    assert re.search(rf"\b{name.rpartition('.')[2]}\b", GUIDE)


def test_pages_of_a_class_have_all_its_methods():
    page = PAGES["heedful.AttentionLasso.rst"]
    assert all(f":: {name}\n" in page for name in ("fit", "predict", "explain", "mixing_", "as_in_the_paper"))


def test_the_page_of_a_class_starts_with_a_table_of_its_methods_and_the_examples_that_use_it():
    page = PAGES["heedful.AttentionLasso.rst"]
    assert "* - :py:obj:`fit <heedful.AttentionLasso.fit>`" in page
    assert ":doc:`/gallery/one_prediction`" in page
    assert "gallery/drift`" in PAGES["heedful.DriftCorrector.rst"]


def test_a_regressor_has_no_method_of_classifiers_on_its_page():
    regressors = [name for name in make_api.public_objects() if name.endswith("Regressor")]
    assert regressors
    assert [name for name in regressors if "predict_proba" in PAGES[f"{name}.rst"]] == []


@pytest.mark.parametrize("name", make_site.GALLERY_ORDER)
def test_a_figure_is_drawn_within_one_cell(name):
    # it is shown as it is at the end of its cell
    text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    earlier = set()
    for cell in re.split(r"^# %%.*$", text, flags=re.MULTILINE):
        nodes = list(ast.walk(ast.parse(cell)))
        drawn = {
            node.value.id for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        }
        made = [node for node in nodes if isinstance(node, ast.Assign) and "subplot" in ast.dump(node.value)]
        new = {part.id for node in made for part in ast.walk(node.targets[0]) if isinstance(part, ast.Name)}
        assert not drawn & (earlier - new)
        earlier |= new


def test_every_page_is_in_a_toctree():
    listed = set()
    for path in (ROOT / "docs").glob("*.md"):
        for inside in re.findall(r"```\{toctree\}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
            listed |= set(inside.split())
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert sorted(pages - listed) == []


def test_the_api_page_lists_every_room():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [room for room in make_api.rooms() if f"\napi/{room}\n" not in page] == []


@pytest.mark.parametrize("name", make_site.GALLERY_ORDER)
def test_examples_of_the_gallery_have_a_title_cells_a_picture_and_say_their_table(name):
    text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    title, line, *_ = ast.get_docstring(ast.parse(text)).split("\n")
    assert line == "=" * len(title)
    assert "\nTable: " in text
    assert text.count("\n# %%\n") >= 2
    assert "plt.subplot" in text


@pytest.mark.parametrize(
    ("page", "link", "moved"),
    [
        ("docs/glossary.md", "../benchmarks/guard/results.md", "studies/guard/results.md"),
        ("docs/glossary.md", "../examples/drift.py", "gallery/drift.rst"),
        ("docs/glossary.md", "../examples/report.py", "examples/report.py"),
        ("docs/glossary.md", "deployment.md#wide-tables", "deployment.md#wide-tables"),
        ("docs/glossary.md", "https://example.org/a.md", "https://example.org/a.md"),
        ("benchmarks/shapes/README.md", "../../docs/how_it_works.md#shapes", "../../how_it_works.md#shapes"),
        ("CHANGELOG.md", "docs/method.md#the-paper-exactly", "method.md#the-paper-exactly"),
    ],
)
def test_links_are_moved_along(page, link, moved):
    assert make_site.move_links(f"a [b]({link}) c", ROOT / page) == f"a [b]({moved}) c"


def test_links_in_code_stay_as_they_are():
    text = "`[b](../examples/drift.py)`\n\n```text\n[b](../examples/drift.py)\n```\n"
    assert make_site.move_links(text, ROOT / "docs" / "glossary.md") == text


def test_every_link_of_a_page_leads_to_a_file():
    lost = []
    for path in make_site.sources():
        if path.suffix == ".md":
            outside = "".join(make_site.FENCE.split(path.read_text(encoding="utf-8"))[::2])
            made = ("gallery/index.rst", "gallery/images", "pictures/")
            links = [found[2] for found in make_site.LINK.finditer(outside) if not found[2].startswith(made)]
            lost += [(path.name, link) for link in links if not (path.parent / link).exists()]
    assert lost == []


def site(tmp_path, **pages):
    for name, body in pages.items():
        (tmp_path / f"{name}.html").write_text(f"<html><body>{body}</body></html>", encoding="utf-8")
    return tmp_path


def test_a_site_whose_links_lead_somewhere_is_fine(tmp_path):
    there = '<h1>There</h1><p id="here">It is a first sentence. And a second one.</p>'
    made = site(tmp_path, a='<a href="b.html?v=1#here">b</a> <a href="https://example.org">out</a>', b=there)
    assert check_site.report(made) == 0
    assert check_site.read_head(tmp_path / "b.html") == ("There", "It is a first sentence.")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<a href="c.html">c</a>', "leads nowhere: c.html"),
        ('<a href="b.html#gone">b</a>', "no such place: b.html#gone"),
        ('<a href="#gone">b</a>', "no such place: #gone"),
        ('<img src="picture.png">', "leads nowhere: picture.png"),
        ('<img srcset="picture.png 2x">', "leads nowhere: picture.png"),
        ('<script src="https://cdn.example.org/a.js"></script>', "asks another host: https://cdn.example.org/a.js"),
        ('<link rel="stylesheet" href="//fonts.example.org/a">', "asks another host: //fonts.example.org/a"),
    ],
)
def test_what_is_wrong_with_a_page_is_found(tmp_path, capsys, body, said):
    assert check_site.report(site(tmp_path, a=body, b="<p>b</p>")) == 1
    assert f"a.html: {said}" in capsys.readouterr().out


def test_a_style_that_asks_another_host_is_found(tmp_path):
    (tmp_path / "a.css").write_text("p { background: url('https://example.org/a.png') }", encoding="utf-8")
    assert check_site.report(tmp_path) == 1


def test_outputs_of_examples_are_forgotten_when_the_package_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(make_site, "SOURCE", tmp_path)
    prints = iter(["one", "one", "two"])
    monkeypatch.setattr(make_site, "code_fingerprint", lambda: next(prints))
    kept = tmp_path / "gallery" / "a.py.md5"
    make_site.drop_stale_outputs()
    kept.write_text("made", encoding="utf-8")
    make_site.drop_stale_outputs()
    assert kept.exists()
    make_site.drop_stale_outputs()
    assert not kept.exists()


PAGE = """# Page

```python
>>> import matplotlib.pyplot as plt
>>> axes = plt.subplots()[1]
>>> line = axes.plot([1, 2])

```

![A line](pictures/page_line.png)

```text
![not a picture](pictures/page_text.png)
```
"""


def test_pictures_of_a_page_are_drawn_by_its_examples(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    (drawn,) = draw_pages.draw(page, tmp_path / "pictures")
    assert drawn.name == "page_line.png"
    assert drawn.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (">>> axes = plt.subplots()[1]\n>>> line = axes.plot([1, 2])", ">>> line = 1", "leaves a figure open"),
        ("page_line", "other_line", "must be named page_NAME"),
    ],
)
def test_a_picture_that_no_example_draws_is_an_error(tmp_path, old, new, words):
    page = tmp_path / "page.md"
    page.write_text(PAGE.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        draw_pages.draw(page, tmp_path / "pictures")


def test_names_of_pictures_are_those_of_their_page():
    assert all(draw_pages.pictures_of(page) is not None for page in (ROOT / "docs").glob("*.md"))


def test_the_newest_figure_of_a_page_is_the_one_that_is_saved(tmp_path):
    page, sizes = tmp_path / "page.md", []
    for first in ("", ">>> other = plt.subplots(figsize=(2, 2))\n"):
        page.write_text(PAGE.replace(">>> axes", f"{first}>>> axes"), encoding="utf-8")
        (drawn,) = draw_pages.draw(page, tmp_path / "pictures")
        sizes.append(drawn.read_bytes())
    assert sizes[0] == sizes[1]
