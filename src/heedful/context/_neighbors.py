"""Context in space: what lies around a row of an image.

Images are taken one at a time and their rows in the order of the coordinates, so that results depend neither on other
images nor on the order of the rows.
"""

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.neighbors import KDTree

from heedful._checks import check_choice, check_count, check_positive
from heedful.context._frames import as_pandas, extend, find_columns, read_numbers


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

    Neighbours are other rows of the same image. So it makes no difference whether whole images are split into training
    and test rows before or after.

    Parameters
    ----------
    frame : DataFrame
        A row for each pixel or cell, of pandas, polars or pyarrow; rows in any order.
    columns : str or list of str
        Columns to describe. A missing value counts as no neighbour; under "raw" it stays missing.
    coordinates : list of str
        Two or three numeric columns; no two rows of an image may have the same place.
    by : str, default=None
        Column with the image or sample of a row; None for a single image.
    k : int, default=8
        Number of nearest neighbours, fewer in images with fewer rows. Not used on a grid.
    grid : bool, default=False
        Whether places are whole numbers, one step apart. Neighbours are then the 8 (in three dimensions 26) places
        one step away in every direction, as far as there are rows.
    summary : {"mean_sd", "raw", "composition"}, default="mean_sd"
        Mean and standard deviation of the neighbours; or the neighbours themselves, one column each; or the share of
        each level of a categorical column.
    kernel : {"gaussian"} or None, default=None
        Weights of neighbours: "gaussian" decreases with distance, None means equal weights. Not for "raw".
    bandwidth : float, default=None
        Standard deviation of the gaussian kernel; None uses the median distance of the farthest neighbour in each
        image. Smaller gives more weight to near rows.
    edges : {"nan", "own"}, default="nan"
        Value of a missing neighbour under "raw": missing, or the row's own value. Summaries use existing neighbours;
        for a row without neighbours they are missing, or the row's own value (with a deviation of 0).

    Returns
    -------
    DataFrame
        ``frame`` with new columns of floats at its end, in the kind, order and index that it had. They are named
        ``x_near_mean`` and ``x_near_sd``; or ``x_near1`` to ``x_near8`` from near to far, on a grid by the steps
        along each of the coordinates, ``x_-1_-1`` to ``x_+1_+1``; or ``x_near=level``.

    Raises
    ------
    TypeError
        If a column must be numeric and is not.
    ValueError
        If a column does not exist, a place is missing, not finite, taken twice or (on a grid) no whole number, or an
        option is unknown or does not fit the others.

    Notes
    -----
    Neighbours at the same distance are ordered by their coordinates, the first one first. The gaussian weight at
    distance d is exp(-d^2 / (2 bandwidth^2)), divided by the sum over the neighbours. The deviation is that of the
    neighbours as they are, divided by their number and not by one less. The levels of a composition are those in the
    frame; of an ordered column, or a categorical one of pandas, all its categories.

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
    values, names = _read_values(table, columns, summary)
    image = _read_images(table, by)
    order = _order_places(points, image, by)
    points, image = points[order], image[order]
    if grid:
        steps = np.array([step for step in itertools.product((-1, 0, 1), repeat=points.shape[1]) if any(step)])
        rows, distance = _on_grid(points, image, steps)
        places = ["_".join(f"{along:+d}" if along else "0" for along in step) for step in steps]
        if (rows < 0).all() and len(table) > 1:
            warnings.warn("No row has a neighbour on the grid. Divide `coordinates` by a pixel's width.", stacklevel=2)
    else:
        rows, distance = _nearest(points, image, k)
        places = [f"near{place}" for place in range(1, k + 1)]
    weight = _weigh(distance, image, kernel, bandwidth)
    endings = {"raw": [f"_{place}" for place in places], "mean_sd": ["_near_mean", "_near_sd"], "composition": [""]}
    added = np.empty((len(table), len(names), len(endings[summary])))
    for j in range(len(names)):
        added[order, j] = _describe(values[order, j], rows, weight, summary, edges)
    new = [f"{name}{ending}" for name in names for ending in endings[summary]]
    return extend(frame, pd.DataFrame(added.reshape(len(table), -1), columns=new))


def _check_choices(summary: str, kernel: str | None, bandwidth: float | None, edges: str) -> None:
    """Raise if an option is unknown, or of no use with the others."""
    check_choice("summary", summary, ("mean_sd", "raw", "composition"))
    check_choice("edges", edges, ("nan", "own"))
    if kernel is not None:
        check_choice("kernel", kernel, ("gaussian",))
        if summary == "raw":
            raise ValueError(f"`kernel` must be None with summary='raw', got {kernel!r}.")
    if bandwidth is not None:
        check_positive("bandwidth", bandwidth, "It is a distance in the unit of `coordinates`.")
        if kernel is None:
            raise ValueError(f"`bandwidth` needs a kernel, got {bandwidth!r} without one. Set kernel='gaussian'.")


def _read_points(table: pd.DataFrame, coordinates: list, grid: bool) -> np.ndarray:
    """Return the place of each row (n, 2 or 3)."""
    if len(coordinates) not in (2, 3):
        raise ValueError(f"`coordinates` must be 2 or 3 columns, got {coordinates!r}.")
    points = np.column_stack([read_numbers(table, column, "coordinates") for column in coordinates])
    for column, values in zip(coordinates, points.T, strict=True):
        bad = ~np.isfinite(values)
        if bad.any():
            row = int(np.argmax(bad))
            raise ValueError(
                f"`coordinates` must be finite, got {values[row]} in column {column!r}, row {row}. Drop the "
                f"{int(bad.sum())} rows without a place."
            )
        broken = values[values != np.rint(values)]
        if grid and broken.size:
            raise ValueError(
                f"grid=True needs whole numbers in `coordinates`, got {broken[0]} in column {column!r}. Divide by the "
                "width of a pixel, or use grid=False."
            )
    return points


def _read_values(table: pd.DataFrame, columns: list, summary: str) -> tuple[np.ndarray, list[str]]:
    """Return what is to be described as numbers (n, n_values), and its names."""
    if summary == "composition":
        shares = [_read_levels(table, column) for column in columns]
        names = [f"{column}_near={level}" for column, part in zip(columns, shares, strict=True) for level in part]
        return np.hstack(shares), names
    values = np.column_stack([read_numbers(table, column, f"summary={summary!r}") for column in columns])
    infinite = np.isinf(values).any(axis=0)
    if infinite.any():
        name = columns[int(np.argmax(infinite))]
        raise ValueError(f"`columns` must not hold infinity: {name!r} does. Replace it, or use NaN for missing.")
    return values, columns


def _read_levels(table: pd.DataFrame, column: Any) -> pd.DataFrame:
    """Return a categorical column as one 0/1 column per level, NaN where it is missing."""
    if pd.api.types.is_float_dtype(table[column]) and (table[column].dropna() % 1 != 0).any():
        raise TypeError(f"summary='composition' needs categories, but column {column!r} holds fractions. Cut it first.")
    shares = pd.get_dummies(pd.Categorical(table[column]), dtype=np.float64)
    shares.loc[table[column].isna().to_numpy()] = np.nan
    return shares


def _read_images(table: pd.DataFrame, by: Any) -> np.ndarray:
    """Return the number of each row's image."""
    if by is None:
        return np.zeros(len(table), dtype=np.int64)
    image = pd.factorize(table[find_columns(table, "by", [by])[0]])[0]
    if (image < 0).any():
        raise ValueError(f"`by` must name the image of every row, got {int((image < 0).sum())} missing in {by!r}.")
    return image


def _order_places(points: np.ndarray, image: np.ndarray, by: Any) -> np.ndarray:
    """Return the rows image by image, in the order of their coordinates; no two may be at one place."""
    order = np.lexsort((*points.T[::-1], image))
    places = np.column_stack([image, points])[order]
    twice = np.flatnonzero((places[1:] == places[:-1]).all(axis=1))
    if twice.size:
        first, second = sorted(order[twice[0] : twice[0] + 2].tolist())
        raise ValueError(
            f"`coordinates` must differ within an image, got {tuple(points[first].tolist())} in rows {first} and "
            f"{second}. Keep one row per place{'.' if by is not None else ', or name the image by `by`.'}"
        )
    return order


def _nearest(points: np.ndarray, image: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers and distances of the k nearest others of the same image, by distance and then by position.

    Where there are fewer, the others are -1 and infinite.
    """
    rows, distance = np.full((image.size, k), -1), np.full((image.size, k), np.inf)
    for start, size in zip(*np.unique(image, return_index=True, return_counts=True)[1:], strict=True):
        places, last = points[start : start + size], min(k, size - 1)
        tree, asked, wide = KDTree(places), np.arange(size if last else 0), k + 2
        while asked.size:
            wide = min(wide, size)
            far, near = tree.query(places[asked], wide)
            order = np.lexsort((near, far, near != asked[:, None]))[:, 1 : last + 1]
            rows[start + asked, :last] = start + np.take_along_axis(near, order, axis=1)
            distance[start + asked, :last] = np.take_along_axis(far, order, axis=1)
            # ties with the last neighbour may lie beyond what was asked for
            asked, wide = asked[(far[:, last] == far[:, -1]) & (wide < size)], 2 * wide
    return rows, distance


def _on_grid(points: np.ndarray, image: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers and distances of the rows one step away, in the order of ``steps``; -1 and infinite for none."""
    places = pd.MultiIndex.from_arrays([image, *points.T])
    there = [places.get_indexer(pd.MultiIndex.from_arrays([image, *(points + step).T])) for step in steps]
    rows = np.column_stack(there)
    return rows, np.where(rows >= 0, np.linalg.norm(steps, axis=1), np.inf)


def _weigh(distance: np.ndarray, image: np.ndarray, kernel: str | None, bandwidth: float | None) -> np.ndarray:
    """Return the weights of neighbours (n, k), up to a factor for each row."""
    exists = np.isfinite(distance)
    if kernel is None:
        return exists.astype(np.float64)
    farthest = pd.Series(distance.max(axis=1, where=exists, initial=0.0))
    widths = farthest.where(farthest > 0).groupby(image).transform("median").to_numpy()
    width = widths[:, None] if bandwidth is None else bandwidth
    # relative to the nearest, so that a narrow kernel leaves it some weight
    nearest = np.where(exists.any(axis=1), distance.min(axis=1), 0.0)[:, None]
    return np.exp((nearest**2 - distance**2) / (2 * width**2))


def _describe(values: np.ndarray, rows: np.ndarray, weight: np.ndarray, summary: str, edges: str) -> np.ndarray:
    """Return what stands for the neighbours of each row: one column, two or one for each neighbour."""
    fallback = (values if edges == "own" else np.full_like(values, np.nan))[:, None]
    if summary == "raw":
        return np.where(rows < 0, fallback, values[rows])
    near: Any = np.ma.masked_invalid(np.where(rows < 0, np.nan, values[rows]))
    # from the smallest, so that neighbours that are all alike have no deviation
    low = near.min(axis=1)[:, None]
    mean: Any = np.ma.average(near - low, axis=1, weights=weight)[:, None]
    if summary == "composition":
        return np.where(np.ma.getmaskarray(mean), fallback, low + mean)
    deviation = np.ma.sqrt(np.ma.average((near - low - mean) ** 2, axis=1, weights=weight))[:, None]
    return np.where(
        ~np.ma.getmaskarray(mean), np.hstack([low + mean, deviation]), np.hstack([fallback, fallback - fallback])
    )
