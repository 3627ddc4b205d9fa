"""How a cluster of queries differs from all queries, in words."""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._show import count, cut, percent, short
from heedful.explain._distances import ks_distance
from heedful.explain._values import is_number

# The range of a column that is shown: the middle 80 % of its values.
LOW, HIGH = 0.1, 0.9
# Times the root of the number of queries: shares of a random draw differ by more in one of twenty cases (Kolmogorov).
CHANCE = 1.36
# Differences of coefficients are left out that change predictions by less than this share of the largest one.
SMALL = 0.1


class Mark(NamedTuple):
    """How far a column of a group is from that of all queries, and how to say it."""

    distance: float
    text: str


class Coefs(NamedTuple):
    """Of all queries levels and coefficients, and how much one unit of each coefficient changes predictions."""

    levels: pd.DataFrame
    every: pd.DataFrame
    weights: np.ndarray


def describe_groups(
    labels: np.ndarray, table: pd.DataFrame, values: pd.DataFrame, coefs: Coefs, k: int
) -> pd.DataFrame:
    """Return size, share, common values, levels and coefficients of each group in ``table``."""
    described = pd.DataFrame({"size": table["size"], "share": table["size"] / len(labels)}, table.index)
    inside = [labels == cluster for cluster in table.index]
    described["rows"] = compare_values(values, inside, k)
    described["levels"] = [compare_means(coefs.levels, np.ones(coefs.levels.shape[1]), rows, k) for rows in inside]
    described["coefficients"] = [compare_means(coefs.every, coefs.weights, rows, k) for rows in inside]
    errors = [name for name in ("error", "baseline_error") if name in table]
    return described.join(table[errors])


def format_groups(described: pd.DataFrame, prototypes: pd.Series) -> str:
    return "\n".join(
        _format_group(row, "Others" if prototypes[cluster] is None else f"Cluster {cluster}", prototypes[cluster])
        for cluster, row in described.iterrows()
    )


def _format_group(row: pd.Series, name: str, prototype: Any) -> str:
    like = "" if prototype is None else f", such as {cut(prototype)}"
    parts = [f"{name}: {count(row['size'], 'query', 'queries')} ({percent(row['share'])}){like}."]
    parts.append(f"Rows: {row['rows'] or 'like all queries'}.")
    parts.append(f"Models: {'; '.join(filter(None, (row['levels'], row['coefficients']))) or 'like all'}.")
    if "error" in row:
        parts.append(f"Error: {short(row['error'])} (one model for all rows: {short(row['baseline_error'])}).")
    return " ".join(parts)


def compare_values(values: pd.DataFrame, inside: list[np.ndarray], k: int) -> list[str]:
    """Return of each group in words the columns whose distribution differs most from that of all queries."""
    columns = [_compare_column(values.iloc[:, j], inside) for j in range(values.shape[1])]
    said = []
    for rows, marks in zip(inside, zip(*columns, strict=True), strict=True):
        chance = CHANCE / np.sqrt(max(rows.sum(), 1))
        kept = sorted((mark for mark in marks if mark.distance > chance), key=lambda mark: -mark.distance)
        said.append("; ".join(mark.text for mark in kept[:k]))
    return said


def _compare_column(column: pd.Series, inside: list[np.ndarray]) -> list[Mark]:
    if is_number(column):
        values = column.to_numpy(np.float64, na_value=np.nan)
        return [_compare_numbers(column.name, values, rows) for rows in inside]
    # missing is a level
    level, names = pd.factorize(column.astype(object).where(column.notna(), "(missing)").map(str))
    return [_compare_levels(column.name, level, names, rows) for rows in inside]


def _compare_numbers(name: Any, values: np.ndarray, inside: np.ndarray) -> Mark:
    """Compare numbers by the largest difference of the shares that are not above a value; missing ones left out."""
    known, own = values[~np.isnan(values)], values[inside & ~np.isnan(values)]
    if not own.size:
        return Mark(0.0, "")
    ranges = [np.quantile(part, (LOW, HIGH), method="inverted_cdf") for part in (own, known)]
    words = [" to ".join(_round(end, *ranges[0]) for end in np.unique(ends)) for ends in ranges]
    return Mark(ks_distance(own, known), f"{cut(name)} {words[0]} (all: {words[1]})")


def _compare_levels(name: Any, level: np.ndarray, names: pd.Index, inside: np.ndarray) -> Mark:
    """Compare categories, ``names`` of numbered levels, by the one whose share differs most."""
    own, every = (np.bincount(part, minlength=len(names)) / part.size for part in (level[inside], level))
    apart = own - every
    # of equal differences, as of two levels, the one that there is more of
    most = int(np.argmax(np.abs(apart) + 1e-9 * (apart > 0)))
    return Mark(
        abs(apart[most]), f"{cut(name)} = {cut(names[most])} {percent(own[most])} (all: {percent(every[most])})"
    )


def compare_means(models: pd.DataFrame, weights: np.ndarray, inside: np.ndarray, k: int) -> str:
    """Return in words the columns whose means inside differ most, by ``weights``, from those of all queries."""
    every, own = models.to_numpy().mean(axis=0), models.to_numpy()[inside].mean(axis=0)
    size = np.abs(own - every) * weights
    # rounding is no difference
    floor = max(SMALL * size.max(initial=0.0), 1e-9 * (np.abs(every) * weights).max(initial=0.0))
    kept = [j for j in np.argsort(-size, kind="stable")[:k] if size[j] > floor]
    return "; ".join(f"{_name(models.columns[j])} {short(own[j])} (all: {short(every[j])})" for j in kept)


def _name(column: Any) -> str:
    return ": ".join(cut(part) for part in column) if isinstance(column, tuple) else cut(column)


def _round(value: float, low: float, high: float) -> str:
    """Return a number with two or three digits of the width of a range, so that its ends can be distinguished."""
    width = high - low or abs(high) or 1.0
    digits = 1 - math.floor(math.log10(width))
    return f"{round(value, digits if digits >= 0 else digits + 1):.10g}"
