"""Constraints of coefficients: factors of their penalty, limits, and groups of columns that go together."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from heedful._file_checks import require, require_indices
from heedful._kernels.shapes import Rule
from heedful._responses import Response
from heedful._solver.table import Scale

SIGNS = {"+": (0.0, np.inf), "-": (-np.inf, 0.0), None: (-np.inf, np.inf)}


class Constraints(NamedTuple):
    """Constraints of the coefficients of columns on their original scale; None for those that there are not.

    ``factor`` multiplies each penalty, ``limits`` are the least (<= 0) and the largest (>= 0) coefficients (2, n),
    ``groups`` the numbers of the groups, from 0 on, of which the norm is penalised.
    """

    factor: np.ndarray | None = None
    limits: np.ndarray | None = None
    groups: np.ndarray | None = None

    def factors(self, n_columns: int) -> np.ndarray:
        """Return what multiplies the penalty of each column, the root of the size of its group included."""
        factor = np.ones(n_columns) if self.factor is None else self.factor
        return factor if self.groups is None else factor * np.sqrt(np.bincount(self.groups)[self.groups])

    def check_columns(self, n_columns: int) -> None:
        """Raise if constraints that came from a file are those of other columns."""
        for values, shape in ((self.factor, (n_columns,)), (self.limits, (2, n_columns))):
            require(values is None or values.shape == shape, "constraints are those of other columns")
        if self.groups is not None:
            require_indices(self.groups, n_columns, n_columns)

    def part(self, columns: np.ndarray) -> "Constraints":
        """Return the constraints of some of the columns."""
        factor, limits = (None if values is None else values[..., columns] for values in self[:2])
        return Constraints(factor, limits, None if self.groups is None else number_groups(self.groups[columns]))

    def widened(self, n_more: int) -> "Constraints":
        """Return the same with columns at the end, whose coefficients are >= 0 if others have limits.

        They hold sums of curves that are limited themselves.
        """
        factor, limits, groups = self
        if factor is not None:
            factor = np.append(factor, np.ones(n_more))
        if limits is not None:
            limits = np.hstack([limits, np.repeat([[0.0], [np.inf]], n_more, axis=1)])
        if groups is not None:
            groups = append_groups(groups, n_more)
        return Constraints(factor, limits, groups)

    def within(self, coef: np.ndarray) -> np.ndarray:
        """Return coefficients on the original scale without the last bit by which a change of units left the limits."""
        return coef if self.limits is None else np.clip(coef, *self.limits)

    def entry(self, slope: np.ndarray) -> np.ndarray:
        """Return the penalty (n_columns, n_outputs) from which on each column stays out, from slopes of the loss.

        ``slope`` is minus that by each coefficient on the table's scale, with the columns without penalty fitted.
        """
        factor = self.factors(len(slope))[:, None]
        steepness = np.abs(slope)
        if self.limits is not None:
            low, high = self.limits[:, :, None]
            steepness = np.where(slope > 0, high > 0, low < 0) * steepness
        steepness = np.divide(steepness, factor, out=np.zeros_like(steepness), where=factor > 0)
        if self.groups is None:
            return steepness
        squares = np.zeros((self.groups.max() + 1, steepness.shape[1]))
        np.add.at(squares, self.groups, steepness**2)
        return np.sqrt(squares)[self.groups]


def make_rule(
    scale: Scale,
    constraints: Constraints,
    *,
    weighted: bool,
    start: np.ndarray,
    tol: float,
    max_iter: int,
    max_range: float = np.inf,
    unit: np.ndarray | float = 1.0,
) -> Rule:
    """Return how fits on the table's scale are penalised; ``unit`` are those of the penalised coefficients."""
    n_columns = scale.center.size
    penalty = scale.pad(constraints.factors(n_columns) * unit)
    limits = groups = None
    if constraints.limits is not None:
        with np.errstate(over="ignore"):
            limits = np.vstack([scale.pad(side * scale.unit / scale.y_unit) for side in constraints.limits])
    if constraints.groups is not None:
        groups = np.append(constraints.groups, np.arange(n_columns, scale.width)).astype(np.int64)
    return Rule(penalty, weighted, start, tol, max_iter, max_range, limits, groups)


def read_constraints(penalty_factor: Any, limits: Any, groups: Any, shape: tuple[int, ...]) -> Constraints:
    """Return the checked constraints of a table of this shape."""
    if limits is not None and groups is not None:
        raise ValueError(
            "`limits` and `groups` must not be given together, got both: a norm has no sign. Use one of them."
        )
    checked = None if limits is None else _read_limits(limits, shape[1])
    labels = None if groups is None else _read_groups(groups, shape[1])
    factor = None if penalty_factor is None else _read_factor(penalty_factor, shape, labels)
    return Constraints(factor, checked, labels)


def check_outputs(family: Response, constraints: Constraints) -> None:
    """Raise if models with an output for each class have limits or groups: these know no common level."""
    if family.n_outputs > 1 and (constraints.limits is not None or constraints.groups is not None):
        raise ValueError(
            "`limits` and `groups` need a model of one output, got several, whose coefficients are only defined up "
            "to a common shift. Use two classes, or `penalty_factor` alone."
        )


def number_groups(labels: np.ndarray) -> np.ndarray:
    """Return the groups by numbers from 0 on."""
    return np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64)


def append_groups(groups: np.ndarray, n_more: int) -> np.ndarray:
    """Return groups followed by as many groups of one column."""
    return np.append(groups, groups.max(initial=-1) + 1 + np.arange(n_more))


def _read_factor(penalty_factor: Any, shape: tuple[int, ...], groups: np.ndarray | None) -> np.ndarray:
    factor = np.asarray(penalty_factor, dtype=np.float64)
    if factor.shape != shape[1:]:
        raise ValueError(
            f"`penalty_factor` must have one number per column: {shape[1]}, got shape {factor.shape}. "
            "Use 1 for other columns."
        )
    if not np.isfinite(factor).all() or (factor < 0).any():
        raise ValueError(
            f"`penalty_factor` must be finite and >= 0, got {factor[~(factor >= 0) | np.isinf(factor)][:5].tolist()}. "
            "0 means no penalty; drop columns that should not be used."
        )
    if not factor.any():
        if shape[1] >= shape[0]:
            raise ValueError(
                f"`penalty_factor` must not be 0 for all of {shape[1]} columns with {shape[0]} rows, which then fit "
                "exactly. Give some columns a factor > 0, or drop some."
            )
        return factor
    if groups is not None and (factor != factor[np.unique(groups, return_index=True)[1]][groups]).any():
        raise ValueError("`penalty_factor` must be the same for all columns of a group, got others. Make them equal.")
    return factor * (shape[1] / factor.sum())


def _read_limits(limits: Any, n_columns: int) -> np.ndarray:
    if not isinstance(limits, Sequence | np.ndarray) or isinstance(limits, str):
        raise TypeError(
            f"`limits` must be a pair (lower, upper) or a list of '+', '-' and None, got {limits!r}. "
            "Write (0, np.inf) for coefficients >= 0."
        )
    words = all(word is None or isinstance(word, str) for word in limits)
    if words and (len(limits) != n_columns or any(word not in SIGNS for word in limits)):
        raise ValueError(
            f"`limits` as words must be '+', '-' or None for each of {n_columns} columns, got {list(limits)[:10]!r}."
        )
    if not words and len(limits) != 2:
        raise ValueError(f"`limits` must be a pair (lower, upper) of numbers or arrays, got {len(limits)} parts.")
    sides = np.array([SIGNS[word] for word in limits]).reshape(-1, 2).T if words else limits
    try:
        low, high = pair = np.array([np.broadcast_to(np.asarray(side, dtype=float), n_columns) for side in sides])
    except ValueError as error:
        raise ValueError(
            f"`limits` must have one lower and one upper number per column: {n_columns}. Or use a single pair for all."
        ) from error
    bad = np.flatnonzero(~((low <= 0.0) & (high >= 0.0)))
    if bad.size:
        raise ValueError(
            f"`limits` must have lower <= 0 <= upper in every column, got {low[bad[0]]:g} and {high[bad[0]]:g} in "
            f"column {bad[0]}. The penalty can shrink any coefficient to 0, so 0 must be allowed."
        )
    return pair


def _read_groups(groups: Any, n_columns: int) -> np.ndarray:
    labels = np.asarray(groups)
    if labels.shape != (n_columns,):
        raise ValueError(
            f"`groups` must have one label per column: {n_columns}, got shape {labels.shape}. A single column is "
            "a group of one."
        )
    return number_groups(labels)
