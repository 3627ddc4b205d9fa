"""Context in space: what lies around a row of an image.

Images are taken one at a time and their rows in the order of the coordinates, so that neither other images nor the
order of the rows can change a number.
"""

import itertools
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.spatial import cKDTree

from heedful._checks import check_choice, check_count, check_positive
from heedful.context._frames import as_pandas, extend, find_columns, read_numbers

# A variance this small beside the mean square about the image's mean is rounding.
FLAT = 1e-13
# Columns described at a time; their neighbours are never all in memory at once.
BLOCK = 16


class Surroundings(NamedTuple):
    """Neighbours of each row of an image in a fixed order: row numbers (none: -1) and distances (none: infinite)."""

    rows: np.ndarray
    distance: np.ndarray


class Rule(NamedTuple):
    """Who is a neighbour, how much it counts, and how neighbours become columns."""

    k: int
    steps: np.ndarray | None
    summary: str
    kernel: str | None
    bandwidth: float | None
    edges: str


def neighbor_features(
    frame: Any,
    columns: Any,
    coordinates: Any,
    *,
    by: Any = None,
    k: int = 8,
    grid: bool = False,
    summary: str = "mean_sd",
    kernel: str | None = None,
    bandwidth: float | None = None,
    edges: str = "nan",
) -> Any:
    """Return the frame with columns that describe the neighbours of each row.

    Neighbours are of the same image, and a row is never its own. So whole images can be split into training and test
    rows before or after: the numbers are the same.

    Parameters
    ----------
    frame : DataFrame
        A row for each pixel or cell, of pandas, polars or pyarrow; rows in any order.
    columns : str or list of str
        Columns to describe. A missing value counts as no neighbour; under "raw" it stays missing.
    coordinates : list of str
        Two or three columns of numbers; no two rows of an image may share a place.
    by : str, default=None
        Column that names the image or sample of a row; None if all rows are of one.
    k : int, default=8
        How many of the nearest rows are neighbours, fewer in an image of fewer rows. Not used on a grid.
    grid : bool, default=False
        Whether places are whole numbers, one step apart. Neighbours are then the 8 (in three dimensions 26) places
        one step away in every direction, as far as there are rows.
    summary : {"mean_sd", "raw", "composition"}, default="mean_sd"
        Mean and standard deviation of the neighbours; or the neighbours themselves, one column each; or the share of
        each level of a categorical column.
    kernel : {"gaussian"} or None, default=None
        Weights of neighbours: "gaussian" lets them shrink with distance, None makes them equal. Not for "raw".
    bandwidth : float, default=None
        Standard deviation of the gaussian kernel; None takes the median distance of the farthest neighbour, image by
        image. Smaller attends to nearer rows.
    edges : {"nan", "own"}, default="nan"
        What a neighbour that does not exist is under "raw": missing, or the row's own value. Summaries use the
        neighbours there are; a row without any has a missing summary, or itself (and a deviation of 0).

    Returns
    -------
    DataFrame
        ``frame`` with new columns of floats at its end, in the kind, order and index that it had. They are named
        ``x_near_mean`` and ``x_near_sd``; or ``x_near1`` to ``x_near8`` from near to far, on a grid by the steps
        along each of the coordinates, ``x_-1_-1`` to ``x_+1_+1``; or ``x_near=level``.

    Raises
    ------
    TypeError
        If numbers are needed and a column holds something else.
    ValueError
        If a column does not exist, a place is missing, not finite, taken twice or (on a grid) no whole number, or an
        option is unknown or of no use with the others.

    Notes
    -----
    Neighbours at the same distance are ordered by their coordinates, the first one first. The gaussian weight at
    distance d is exp(-d^2 / (2 bandwidth^2)), divided by the sum over the neighbours. The deviation is that of the
    neighbours as they are, divided by their number and not by one less; below 3e-7 of their distance from the image's
    mean it is 0. The levels of a composition are those in the frame; of an ordered column, or a categorical one of
    pandas, all its categories.

    Examples
    --------
    >>> import pandas as pd
    >>> pixels = pd.DataFrame({"row": [0, 0, 1, 1], "column": [0, 1, 0, 1], "red": [1.0, 3.0, 3.0, 9.0]})
    >>> neighbor_features(pixels, "red", ["row", "column"], grid=True).round(1)
       row  column  red  red_near_mean  red_near_sd
    0    0       0  1.0            5.0          2.8
    1    0       1  3.0            4.3          3.4
    2    1       0  3.0            4.3          3.4
    3    1       1  9.0            2.3          0.9
    """
    _check_choices(summary, kernel, bandwidth, edges)
    table = as_pandas(frame)
    columns = find_columns(table, "columns", columns)
    points = _read_points(table, find_columns(table, "coordinates", coordinates), grid)
    k = check_count("k", k, 1, "8 are as many as touch a pixel.")
    rule = Rule(k, _all_steps(points.shape[1]) if grid else None, summary, kernel, bandwidth, edges)
    values, names = _read_values(table, columns, rule)
    added, alone = np.empty((len(table), len(names))), True
    for rows in _cut_images(table, points, by):
        around = _nearest(points[rows], rule.k) if rule.steps is None else _on_grid(points[rows], rule.steps)
        _describe_image(values, rows, around, rule, added)
        alone = alone and bool((around.rows < 0).all())
    if grid and alone and len(table) > 1:
        warnings.warn("No row has a neighbour on the grid. Divide `coordinates` by a pixel's width.", stacklevel=2)
    return extend(frame, pd.DataFrame(added, columns=names))


def _check_choices(summary: str, kernel: str | None, bandwidth: float | None, edges: str) -> None:
    """Raise if an option is unknown, or of no use with the others."""
    check_choice("summary", summary, ("mean_sd", "raw", "composition"))
    check_choice("edges", edges, ("nan", "own"))
    if kernel is not None:
        check_choice("kernel", kernel, ("gaussian",))
        if summary == "raw":
            raise ValueError(f"`kernel` must be None with summary='raw', which weighs nothing, got {kernel!r}.")
    if bandwidth is not None:
        check_positive("bandwidth", bandwidth, "It is a distance in the unit of `coordinates`.")
        if kernel is None:
            raise ValueError(f"`bandwidth` belongs to a kernel, got {bandwidth!r} without. Set kernel='gaussian'.")


def _read_points(table: pd.DataFrame, coordinates: list, grid: bool) -> np.ndarray:
    """Return the place of each row (n, 2 or 3)."""
    if len(coordinates) not in (2, 3):
        raise ValueError(f"`coordinates` must be 2 or 3 columns, got {coordinates!r}.")
    points = np.column_stack([read_numbers(table, column, "coordinates") for column in coordinates])
    bad = ~np.isfinite(points)
    if bad.any():
        row, j = np.argwhere(bad)[0]
        raise ValueError(
            f"`coordinates` must be finite, got {points[row, j]} in column {coordinates[j]!r}, row {row}. "
            f"Drop the {int(bad.any(axis=1).sum())} rows without a place."
        )
    broken = points != np.rint(points)
    if grid and broken.any():
        row, j = np.argwhere(broken)[0]
        raise ValueError(
            f"grid=True needs whole numbers in `coordinates`, got {points[row, j]} in column {coordinates[j]!r}. "
            "Divide by the width of a pixel, or use grid=False."
        )
    return points


def _all_steps(n_dimensions: int) -> np.ndarray:
    """Return the steps to the places around a place, ordered by the first coordinate, then the next."""
    return np.array([step for step in itertools.product((-1, 0, 1), repeat=n_dimensions) if any(step)])


def _read_values(table: pd.DataFrame, columns: list, rule: Rule) -> tuple[np.ndarray, list[str]]:
    """Return what is to be described as numbers (n, n_values), and the names of the new columns."""
    if rule.summary == "composition":
        parts = [_read_levels(table, column) for column in columns]
        names = [
            f"{column}_near={level}" for column, (_, levels) in zip(columns, parts, strict=True) for level in levels
        ]
        return np.hstack([shares for shares, _ in parts]), names
    values = np.column_stack([read_numbers(table, column, f"summary={rule.summary!r}") for column in columns])
    infinite = np.isinf(values).any(axis=0)
    if infinite.any():
        name = columns[int(np.argmax(infinite))]
        raise ValueError(f"`columns` must not hold infinity: {name!r} does. Replace it, or use NaN for missing.")
    return values, [f"{column}_{ending}" for column in columns for ending in _endings(rule)]


def _endings(rule: Rule) -> list[str]:
    """Return how the names of new columns end."""
    if rule.summary == "mean_sd":
        return ["near_mean", "near_sd"]
    if rule.steps is None:
        return [f"near{place}" for place in range(1, rule.k + 1)]
    return ["_".join(f"{along:+d}" if along else "0" for along in step) for step in rule.steps]


def _read_levels(table: pd.DataFrame, column: Any) -> tuple[np.ndarray, list]:
    """Return a categorical column as one 0/1 column per level, NaN where it is missing, and the levels."""
    if pd.api.types.is_float_dtype(table[column]) and (table[column].dropna() % 1 != 0).any():
        raise TypeError(f"summary='composition' needs categories, but column {column!r} holds fractions. Cut it first.")
    category = pd.Categorical(table[column])
    shares = (category.codes[:, None] == np.arange(category.categories.size)).astype(np.float64)
    shares[category.codes < 0] = np.nan
    return shares, list(category.categories)


def _cut_images(table: pd.DataFrame, points: np.ndarray, by: Any) -> Iterator[np.ndarray]:
    """Yield the rows of each image, in the order of their coordinates."""
    image = np.zeros(len(table), dtype=np.int64)
    if by is not None:
        image = pd.factorize(table[find_columns(table, "by", [by])[0]])[0]
    if (image < 0).any():
        raise ValueError(f"`by` must name the image of every row, got {int((image < 0).sum())} missing in {by!r}.")
    order = np.lexsort((*points.T[::-1], image))
    same_image = image[order][1:] == image[order][:-1]
    twice = np.flatnonzero(same_image & (points[order][1:] == points[order][:-1]).all(axis=1))
    if twice.size:
        first, second = sorted(order[twice[0] : twice[0] + 2].tolist())
        mend = "Keep one row per place." if by is not None else "Keep one row per place, or name the image by `by`."
        raise ValueError(
            f"`coordinates` must differ within an image, got {tuple(points[first].tolist())} in rows {first} and "
            f"{second}. {mend}"
        )
    yield from np.split(order, np.flatnonzero(~same_image) + 1) if order.size else []


def _nearest(points: np.ndarray, k: int) -> Surroundings:
    """Return the k nearest others by distance and then by position; where there are fewer, all of them."""
    n_rows = points.shape[0]
    around = Surroundings(np.full((n_rows, k), -1), np.full((n_rows, k), np.inf))
    k = min(k, n_rows - 1)
    tree, rows, wide = cKDTree(points), np.arange(n_rows if k else 0), k + 2
    while rows.size:
        wide = min(wide, n_rows)
        distance, index = tree.query(points[rows], wide)
        order = np.lexsort((index, distance, index != rows[:, None]))[:, 1 : k + 1]
        around.rows[rows, :k] = np.take_along_axis(index, order, axis=1)
        around.distance[rows, :k] = np.take_along_axis(distance, order, axis=1)
        # ties with the last neighbour may lie beyond what was asked for
        tied = (distance[:, k] == distance[:, -1]) & (wide < n_rows)
        rows, wide = rows[tied], 2 * wide
    return around


def _on_grid(points: np.ndarray, steps: np.ndarray) -> Surroundings:
    """Return the rows one step away, in the order of ``steps``."""
    tree = cKDTree(points)
    found = [tree.query(points + step, distance_upper_bound=0.5)[1] for step in steps]
    index = np.column_stack(found)
    exists = index < points.shape[0]
    return Surroundings(np.where(exists, index, -1), np.where(exists, np.linalg.norm(steps, axis=1), np.inf))


def _describe_image(values: np.ndarray, rows: np.ndarray, around: Surroundings, rule: Rule, added: np.ndarray) -> None:
    """Write the new columns of one image into its rows of ``added``."""
    links = _link(around, rule)
    per_value = added.shape[1] // max(values.shape[1], 1)
    for start in range(0, values.shape[1], BLOCK):
        block = values[rows, start : start + BLOCK]
        described = _describe(block, around, links, rule)
        added[rows, start * per_value : (start + BLOCK) * per_value] = described.reshape(rows.size, -1)


def _describe(values: np.ndarray, around: Surroundings, links: sparse.csr_array, rule: Rule) -> np.ndarray:
    """Return what stands for the neighbours (n, n_values, new columns of each)."""
    own = values if rule.edges == "own" else np.full_like(values, np.nan)
    if rule.summary == "raw":
        missing = (around.rows < 0)[:, None, :]
        return np.where(missing, own[:, :, None], values[around.rows].transpose(0, 2, 1))
    if rule.summary == "composition":
        share = _mean(links, values)
        return np.where(np.isnan(share), own, share)
    mean, sd = _mean_sd(links, values)
    alone = np.isnan(mean)
    return np.stack([np.where(alone, own, mean), np.where(alone, own - own, sd)], axis=2)


def _link(around: Surroundings, rule: Rule) -> sparse.csr_array:
    """Return the weights of neighbours (n, n); a row sums to one, or is empty."""
    exists = np.isfinite(around.distance)
    weight = exists.astype(np.float64)
    if rule.kernel is not None and exists.any():
        farthest = np.where(exists, around.distance, 0.0).max(axis=1)
        width = np.median(farthest[farthest > 0]) if rule.bandwidth is None else rule.bandwidth
        nearest = np.where(exists.any(axis=1), around.distance.min(axis=1), 0.0)
        weight = np.exp((nearest[:, None] ** 2 - around.distance**2) / (2 * width**2))
    weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
    starts = np.concatenate([[0], np.cumsum(exists.sum(axis=1))])
    n_rows = exists.shape[0]
    return sparse.csr_array((weight[exists], around.rows[exists], starts), shape=(n_rows, n_rows))


def _mean(links: sparse.csr_array, values: np.ndarray) -> np.ndarray:
    """Return the mean of what is known around each row; NaN where nothing is."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return (links @ np.where(known, values, 0.0)) / (links @ known)


def _mean_sd(links: sparse.csr_array, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and standard deviation of what is known around each row; NaN where nothing is."""
    known = ~np.isnan(values)
    centre = np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centred = values - centre
    mean, square = _mean(links, centred), _mean(links, centred**2)
    variance = square - mean**2
    return centre + mean, np.sqrt(np.where(variance <= FLAT * square, 0.0, variance))
