"""How much each column matters over all queries."""

import numpy as np
import pytest

from heedful import AttentionRegressor
from heedful.explain._attribution import Attribution
from report.cases import make_explanation


def outputs_of(e):
    return [None, *(e.outputs or [])]


def test_importance_is_the_mean_size_of_contributions_largest_first(every):
    _, _, e = every
    for output in outputs_of(e):
        found = e.importance(output)
        size = np.abs(e.contributions(output).to_numpy()).mean(axis=0)
        np.testing.assert_allclose(found["contribution"].reindex(e.values.columns), size)
        assert (np.diff(found["contribution"]) <= 0).all()
        assert found.index.name == "feature"


@pytest.mark.one_value
def test_its_parts_add_up_to_it(every):
    _, _, e = every
    for output in outputs_of(e):
        found = e.importance(output)
        np.testing.assert_allclose(found["attention"] + found["model"], found["contribution"], atol=1e-9)


def test_a_part_that_works_against_the_whole_is_negative():
    e = make_explanation(4, 2)
    total = np.array([[1.0, 2.0], [-1.0, 2.0], [3.0, -2.0], [1.0, 2.0]])[:, None]
    model = total * [1.5, 0.25]
    vars(e)["attribution"] = lambda: Attribution(np.zeros(1), total, model, model)
    found = e.importance()
    assert found.loc["x0"].tolist() == pytest.approx([1.5, -0.75, 2.25])
    assert found.loc["x1"].tolist() == pytest.approx([2.0, 1.5, 0.5])
    assert list(found.index) == ["x1", "x0"]


def test_without_slopes_there_are_no_parts(rng):
    X = rng.normal(size=(60, 2))
    model = AttentionRegressor(random_state=0).fit(X, X[:, 0])
    assert list(model.explain(X[:5]).importance().columns) == ["contribution"]
