"""One prediction at a glance: the same facts as the tables, as text and as a picture."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, AttentionRegressor
from report.cases import HOSTILE, HOSTILE_NAMES, make_explanation
from test_show import read_html

TASKS = ["regression", "binary", "multiclass", "survival"]


def of_output(part, output):
    return part if output is None else part[output]


@pytest.mark.one_value
def test_a_query_holds_what_the_tables_say_of_it(every):
    _, X, e = every
    label = e.index[4]
    one = e.query(label)
    assert (one.output in e.outputs) if e.outputs else one.output is None
    assert one.link == of_output(e.link, one.output)[label]
    assert one.prediction == of_output(e.prediction, one.output)[label]
    assert one.start + one.terms["term"].sum() == pytest.approx(one.link, rel=1e-8, abs=1e-8)
    assert one.fidelity == e.fidelity[label]
    slopes = of_output(e.coef, one.output).loc[label]
    assert one.terms.set_index("feature")["slope"].to_dict() == slopes[slopes != 0].to_dict()
    assert (np.diff(one.terms["term"].abs()) <= 0).all()
    top = e.top_features(8).loc[label]
    np.testing.assert_allclose(one.contributions["contribution"], top["contribution"][top["contribution"] != 0])
    np.testing.assert_array_equal(one.rows["weight"], e.top_rows(5).loc[label, "weight"])
    assert list(one.rows["row"]) == list(e.top_rows(5).loc[label, "row"])
    assert len(X) == len(e.index)


def test_a_class_can_be_asked_for(classes):
    _, _, e = classes
    label = e.index[0]
    one = e.query(label, output="mid")
    assert one.link == e.link.loc[label, "mid"]
    assert "of mid" in repr(one)
    with pytest.raises(ValueError, match="`output` must be one of the classes"):
        e.query(label, output="huge")


@pytest.mark.one_value
def test_small_models_are_told_term_by_term(every):
    _, _, e = every
    table = e.small_models()
    assert table.index.names == ["query", "rank"]
    sums = table.groupby(level="query", sort=False)["term"].sum().reindex(e.index, fill_value=0.0)
    likely = np.asarray(e.link).reshape(len(e.index), -1).argmax(axis=1)
    start, link = (np.asarray(part).reshape(len(e.index), -1) for part in (e.start, e.link))
    every_query = np.arange(len(e.index))
    np.testing.assert_allclose(start[every_query, likely] + sums, link[every_query, likely], atol=1e-8)
    for (label, _), row in table.iterrows():
        assert row["value"] == e.values.loc[label, row["feature"]]
        assert row["reference"] == e.reference.loc[label, row["feature"]]


def test_text_is_an_equation_that_a_person_can_read(regression):
    _, _, e = regression
    one = e.query("r63")
    first, *lines = repr(one).splitlines()
    assert first.startswith(f"Query r63: prediction {one.prediction:.3g} = {one.start:.3g} ")
    for term in one.terms.itertuples():
        sign = "+" if term.term >= 0 else "-"
        assert f"{sign} {abs(term.term):.3g} ({term.feature} = " in first
    names = [line.split()[0] for line in lines]
    assert names == [*one.terms["feature"], "fidelity", "contributions", "compared"]


@pytest.mark.parametrize("task", TASKS)
def test_names_and_cells_stay_text(task):
    e = make_explanation(3, task=task, names=HOSTILE_NAMES, labels=[f"{HOSTILE}\n{q}" for q in range(3)])
    one = e.query(e.index[1])
    page = one._repr_html_()
    texts = read_html(page).texts
    assert HOSTILE not in page
    assert any("<img" in text for text in texts)
    assert len(repr(one).splitlines()) < 20


def test_the_picture_leads_from_the_mean_to_the_prediction(regression):
    _, _, e = regression
    one = e.query("r70")
    page = one._repr_html_()
    bars = re.findall(r'<rect class="(more|less)" x="([\d.]+)" y="\d+" width="([\d.]+)"', page)
    assert [kind for kind, *_ in bars[: len(one.contributions)]] == [
        "more" if part >= 0 else "less" for part in one.contributions["contribution"]
    ]
    widths = np.array([float(width) for *_, width in bars])[: len(one.contributions)]
    sizes = one.contributions["contribution"].abs().to_numpy()
    large = widths > 5
    np.testing.assert_allclose((widths / sizes)[large], (widths / sizes)[large][0], rtol=0.05)
    ends = re.findall(r'<line x1="([\d.]+)"', page)
    (last,) = re.findall(r'<text x="([\d.]+)" y="\d+">' + re.escape(f"{one.link:.3g}") + "</text></svg>", page)
    assert float(last) == pytest.approx(float(ends[-1]) + 5, abs=0.2)


def test_colours_are_those_of_the_page_and_of_dark_ones(regression):
    page = regression[2].query("r70")._repr_html_()
    assert "currentColor" in page
    assert "prefers-color-scheme:dark" in page
    assert not re.search(r"(?:fill|color):(?:black|white|#000|#fff)", page)


def test_an_explanation_of_one_query_is_its_picture_and_of_many_has_importances(regression):
    model, X, e = regression
    one = model.explain(X[:1])
    assert one._repr_html_() == one.query(X.index[0])._repr_html_()
    page = e._repr_html_()
    texts = read_html(page).texts
    for name, size in e.importance()["contribution"].items():
        assert name in texts
        assert f"{size:.3g}" in texts
    assert all(said in texts for _, said in e._sketch().facts)


def test_without_contributions_or_small_models_the_rest_is_shown(regression, rng):
    _, _, e = regression
    silent = replace(e, attribution=None)
    assert silent.query("r70").contributions is None
    assert "contributions" not in repr(silent.query("r70"))
    assert silent._repr_html_() == silent._sketch().html()
    X = rng.normal(size=(60, 2))
    one = AttentionRegressor(mixing=0.5, temperature=0.1, random_state=0).fit(X, X[:, 0]).explain(X[:3]).query(1)
    assert one.terms is None
    assert repr(one).startswith(f"Query 1: prediction {one.prediction:.3g}\n")
    assert "Small model" not in one._repr_html_()


def test_an_unknown_query_or_one_of_several_is_refused(regression):
    _, _, e = regression
    with pytest.raises(ValueError, match=r"`query` must be a label .*'r60'.*got 'nobody'"):
        e.query("nobody")
    twice = replace(e, coef=e.coef.set_axis(["twin"] * len(e.coef)))
    with pytest.raises(ValueError, match="reset_index"):
        twice.query("twin")


@pytest.mark.one_value
@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_a_series_is_one_row(regression, order):
    model, X, e = regression
    row = X.iloc[3][order]
    one = model.explain(row)
    assert list(one.index) == [X.index[3]]
    pd.testing.assert_frame_equal(one.coef, e.coef.iloc[[3]], rtol=1e-9)
    pd.testing.assert_frame_equal(model.local_models(row).coef, one.coef)
    pd.testing.assert_frame_equal(model.local_effects(row), model.local_effects(X.iloc[[3]]))
    known = model.explain(row, e.y.iloc[3, 0])
    np.testing.assert_allclose(known.loss, e.loss.iloc[[3]])


def test_a_series_that_is_no_row_is_refused(regression, rng):
    model, X, _ = regression
    for ask in (model.explain, model.local_models, model.local_effects):
        with pytest.raises(ValueError, match=r"each of the 5 columns of `fit` \(a, b, c, \.\.\.\).*none for 'b'"):
            ask(X.iloc[0].drop("b"))
        with pytest.raises(ValueError, match="one for 'size' too"):
            ask(pd.concat([X.iloc[0], pd.Series({"size": 1.0})]))
        with pytest.raises(ValueError, match=r"X\.iloc\[0\]"):
            ask(X["a"])
    numbers = rng.normal(size=(40, 3))
    plain = AttentionLasso(random_state=0).fit(numbers, numbers[:, 0])
    np.testing.assert_allclose(plain.explain(pd.Series(numbers[2])).prediction, plain.predict(numbers[2:3]))
