"""Doubly robust scores: a guess of each row's effect by response, treatment and what was learned of both."""

from typing import Any, NamedTuple

import numpy as np

from heedful._checks import check_weights


class EffectRows(NamedTuple):
    """What is known of each row, with what was learned of it by models that did not see it.

    ``outcome`` is the expected response, ``propensity`` the expected treatment, both whatever the treatment was, and
    ``variance`` the variance of the treatment around the latter. ``groups`` are numbers of groups, one for each row if
    none were given.
    """

    y: np.ndarray
    treatment: np.ndarray
    outcome: np.ndarray
    propensity: np.ndarray
    effect: np.ndarray
    variance: np.ndarray
    weight: np.ndarray
    groups: np.ndarray

    @property
    def y_left(self) -> np.ndarray:
        """Residual of the outcome model."""
        return self.y - self.outcome

    @property
    def treatment_left(self) -> np.ndarray:
        """Residual of the treatment."""
        return self.treatment - self.propensity

    def among(self, inside: np.ndarray) -> "EffectRows":
        """Return these rows only, without those of no weight; groups are numbered anew."""
        kept = np.flatnonzero(inside & (self.weight > 0))
        rows = EffectRows(*(part[kept] for part in self))
        return rows._replace(groups=np.unique(rows.groups, return_inverse=True)[1].ravel())

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(np.unique(self.groups).size)


def is_binary(treatment: np.ndarray) -> bool:
    """Return whether a treatment is 0 or 1 everywhere."""
    return bool(np.isin(treatment, (0.0, 1.0)).all())


def read_rows(
    y: Any,
    treatment: Any,
    outcome: Any,
    propensity: Any,
    effect: Any,
    *,
    variance: Any = None,
    weight: Any = None,
    groups: Any = None,
) -> EffectRows:
    """Return arrays of rows, checked; each propensity and each effect may be one number for all.

    The variance of a binary treatment follows from its propensity; that of any other is, unless given, the same for all
    rows: the weighted mean of its squared distance from the propensity.
    """
    y, treatment = np.asarray(y, dtype=np.float64), np.asarray(treatment, dtype=np.float64)
    weight = check_weights(weight, y.size)
    names: dict[str, Any] = {"treatment": treatment, "outcome": outcome, "propensity": propensity, "effect": effect}
    parts = {name: _column(name, part, y.size) for name, part in names.items()}
    left = parts["treatment"] - parts["propensity"]
    if is_binary(treatment):
        e = parts["propensity"]
        if not ((e > 0) & (e < 1)).all():
            raise ValueError(
                f"`propensity` must be > 0 and < 1, got {e.min():g} to {e.max():g}. Clip it, or drop rows that could "
                "get one treatment only."
            )
        spread = e * (1.0 - e)
    else:
        spread = _column("variance", np.average(left**2, weights=weight) if variance is None else variance, y.size)
        if not (spread > 0).all():
            raise ValueError(
                f"`variance` of the treatment must be > 0, got {spread.min():g}. Leave out columns that decide the "
                "treatment."
            )
    # rows are groups of their own, numbered by what is known of them: halves are drawn by these numbers
    known = np.column_stack([weight, *parts.values(), y])
    codes = np.argsort(np.lexsort(known.T)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    return EffectRows(y=y, variance=spread, weight=weight, groups=codes.ravel(), **parts)


def doubly_robust_scores(rows: EffectRows) -> np.ndarray:
    """Return one score per row, whose mean is the average effect.

    The effect of the model, and what the row's own response says against it: its residual, by the inverse of the
    chance of its treatment. With the true propensity the mean is right whatever models of outcome and effect say; else
    its bias is of the size of the errors of both, multiplied.
    """
    residual = rows.y_left - rows.treatment_left * rows.effect
    return rows.effect + rows.treatment_left / rows.variance * residual


def _column(name: str, values: Any, n_rows: int) -> np.ndarray:
    """Return finite numbers, one per row."""
    column = np.asarray(values, dtype=np.float64)
    column = np.full(n_rows, column) if column.ndim == 0 else column
    if column.shape != (n_rows,) or not np.isfinite(column).all():
        raise ValueError(f"`{name}` must hold one finite number per row: {n_rows}, got shape {column.shape}.")
    return column
