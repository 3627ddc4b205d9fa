"""What a learner of any kind must offer: ``sample_weight`` that changes its fit; and the importance of its columns."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from heedful._frames import center_and_unit, is_frame, take
from heedful._solver.boosters import total_gain

# Rows that are enough to see whether weights matter to a learner.
PROBE = 50


def fit_weighted(estimator: Any, table: Any, response: np.ndarray, weight: np.ndarray) -> Any:
    """Fit a learner under sample weights; a Pipeline hands them to its last step."""
    return estimator.fit(table, response, **{check_takes_weights(estimator): weight})


def check_takes_weights(estimator: Any) -> str:
    """Return the argument of ``fit`` that takes sample weights, or raise if there is none."""
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return f"{name}__{check_takes_weights(last)}"
    if not has_fit_parameter(estimator, "sample_weight"):
        raise TypeError(
            f"`estimator` must take `sample_weight` in `fit`, got {estimator!r}, which does not. "
            "Use a learner with weighted fits, such as a tree, a booster or a linear model."
        )
    return "sample_weight"


def check_uses_weights(estimator: Any, table: Any, response: np.ndarray) -> None:
    """Raise ValueError if a learner of a few of the rows predicts the same whatever their weights are."""
    few = np.unique(np.linspace(0, response.size - 1, PROBE).astype(np.int64))
    rows, y = take(table, few), response[few]
    seeds = {name: 0 for name in estimator.get_params() if name.split("__")[-1] == "random_state"}
    probe = clone(estimator).set_params(**seeds)
    # a tree with a leaf for every row moves only if rows lose all their weight
    predicted = [_predict(probe, rows, y, np.where(y > y.mean(), 1.0, light)) for light in (1.0, 1e-3, 0.0)]
    known = [values for values in predicted if values is not None]
    if np.ptp(y) == 0 or len(known) < len(predicted) or any(not np.array_equal(values, known[0]) for values in known):
        return
    raise ValueError(
        f"`estimator` must use `sample_weight`, got {estimator!r}, whose predictions do not depend on the weights. "
        "Use a learner with weighted fits."
    )


def _predict(probe: Any, rows: Any, y: np.ndarray, weight: np.ndarray) -> np.ndarray | None:
    """Return what a learner says of the rows it was fitted to; None if it cannot be fitted to so few."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = fit_weighted(clone(probe), rows, y, weight)
            return np.asarray(getattr(fitted, "predict_proba", fitted.predict)(rows))
        except Exception:  # noqa: BLE001 - the fit to all rows will say what is wrong
            return None


def importance_of(model: Any, table: Any) -> np.ndarray:
    """Return the share of each column of ``table`` in a fitted learner; zeros if it has none or uses none.

    Shares are of total gain in LightGBM and XGBoost, of ``feature_importances_``, or of coefficients: their size,
    summed over outputs, times the standard deviation of what they multiply. The last step of a Pipeline must see
    columns of the same names as the table has, in any order.
    """
    importance = _importance(model, table)
    if importance is None or not importance.sum() > 0:
        return np.zeros(table.shape[1])
    return importance / importance.sum()


def _importance(model: Any, table: Any) -> np.ndarray | None:
    if isinstance(model, Pipeline):
        order = _columns_seen(model[:-1], table)
        importance = None if order is None else _importance(model[-1], model[:-1].transform(table))
        return None if importance is None else importance[order]
    gain = total_gain(model)
    if gain is not None:
        return gain
    if hasattr(model, "feature_importances_"):
        return np.asarray(model.feature_importances_, dtype=np.float64)
    if hasattr(model, "coef_"):
        size = np.abs(np.atleast_2d(model.coef_)).sum(axis=0)
        return size * center_and_unit(np.asarray(table, dtype=np.float64))[1]
    return None


def _columns_seen(steps: Pipeline, table: Any) -> np.ndarray | None:
    """Return where the columns of the table are among those that leave the steps; None if they are others."""
    names = [str(name) for name in table.columns] if is_frame(table) else [f"x{j}" for j in range(table.shape[1])]
    try:
        seen = [str(name).rpartition("__")[2] for name in steps.get_feature_names_out()]
    except (AttributeError, ValueError):
        return None
    return np.array([seen.index(name) for name in names]) if sorted(seen) == sorted(names) else None
