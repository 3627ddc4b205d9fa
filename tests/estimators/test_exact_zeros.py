"""What a model does not use has the coefficient 0 and adds 0; rounding leaves nothing to be read."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionCox, AttentionLasso, AttentionLassoClassifier


@pytest.fixture
def rows(rng):
    """Rows with a category of two levels, of which one says all; models have no use for some columns."""
    n = 150
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "member": rng.choice(["no", "yes"], n),
            "region": rng.choice(["north", "south", "west"], n),
            "c": rng.normal(size=n),
        }
    )
    return X, 2 * X["a"] * (X["member"] == "yes") + (X["region"] == "south") + 0.3 * rng.normal(size=n)


def noise(values, unit=1.0):
    """Return how many values are neither 0 nor more than rounding beside the largest of their row."""
    size = np.abs(np.asarray(values)) * unit
    return int(((size > 0) & (size < 1e-12 * size.max(axis=-1, keepdims=True))).sum())


def fit(X, y, kind):
    if kind == "survival":
        time = np.exp(-y.to_numpy())
        return AttentionCox(random_state=0).fit(X, np.rec.fromarrays([time > 0.2, time], names="event,time"))
    if kind == "classes":
        return AttentionLassoClassifier(heads="single", random_state=0).fit(X, np.digitize(y, [0, 1]))
    return AttentionLasso(heads=kind, random_state=0).fit(X, y)


@pytest.mark.each_value
@pytest.mark.parametrize("kind", ["multi", "single", "classes", "survival"])
def test_no_coefficient_is_rounding(rows, kind):
    X, y = rows
    found = fit(X, y, kind).local_models(X)
    unit, shape = found.lasso_design.std().to_numpy(), (len(X), -1, found.lasso_design.shape[1])
    assert noise(found.lasso_coef.to_numpy().reshape(shape), unit) == 0
    assert noise(found.local_coef.to_numpy().reshape(shape), unit) == 0
    assert noise(found.baseline_coef.to_numpy().reshape(shape[1:]), unit) == 0
    # not because coefficients are all there: of two levels one is enough
    assert (found.local_coef == 0).to_numpy().any()
    added = (found.lasso_coef.to_numpy().reshape(shape) * found.lasso_design.to_numpy()[:, None]).sum(axis=2)
    added += found.shape.to_numpy().reshape(shape).sum(axis=2) + np.asarray(found.lasso_intercept).reshape(len(X), -1)
    np.testing.assert_allclose(added, np.asarray(found.link).reshape(len(X), -1), atol=1e-8)


@pytest.mark.one_value
@pytest.mark.parametrize("level", [0.0, 1e6])
@pytest.mark.parametrize("method", ["fast", "shapley"])
def test_of_one_line_for_all_rows_only_the_columns_it_uses_add_something(rows, method, level):
    X, _ = rows
    e = AttentionLasso(mixing=0.0, random_state=0).fit(X, 3 * X["a"] + level).explain(X[:5], method=method)
    unused = [name for name in X if not e.lasso_coef.loc[:, e.sources == name].any(axis=None)]
    assert unused
    assert "a" not in unused
    for part in ("all", "attention", "model"):
        assert (e.contributions(part=part)[unused] == 0).all(axis=None)
    assert (e.contributions(part="attention") == 0).all(axis=None)
    assert (e.contributions(part="model", levels=True).loc[:, e.sources.isin(unused).to_numpy()] == 0).all(axis=None)
    np.testing.assert_allclose(e.base_value + e.contributions().sum(axis=1), e.link, atol=1e-8)


def test_no_contribution_is_rounding(rows):
    X, y = rows
    e = fit(X, y, "multi").explain(X[:20])
    parts = [e.contributions(part=part).to_numpy() for part in ("all", "attention", "model")]
    np.testing.assert_allclose(parts[0], parts[1] + parts[2], atol=1e-8)
    largest = np.abs(parts[0]).max(axis=1, keepdims=True)
    for part in (*parts, e.contributions(part="model", levels=True).to_numpy()):
        assert not ((part != 0) & (np.abs(part) < 1e-13 * largest)).any()
