"""Everything that the page about a drift shows, as plain lists."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import DriftReport
from heedful.explain._drift_measures import is_corrected
from heedful.report._compact import column, counts, evenly, numbers, short, text, texts
from heedful.report._overview import card
from heedful.report._tuning import collect_tuning

# Points of the timeline, blocks of rows and rows in each, features and bars of a histogram that are shown.
MOST_POINTS, N_BLOCKS, FEWEST_ROWS, MOST_FEATURES, N_BINS = 2000, 20, 5, 15, 30
# The error of numbers is a root; losses of rows are not.
ROOT = "root mean squared error"
HEAD_COLUMNS = ("similarity", "temperature", "share", "error")
CARDS = {"error before": "error before", "error after": "error after", "correction": "correction size"}
# Columns of the recent rows beside their response.
MEASURES = ["time", "weight", "model", "corrected", "residual", "correction", "loss", "corrected_loss"]
PERIODS_NOTE = (
    "Mean: of the column, or the share of a level. Separation: distance of its distributions, 0 to 1. Effect: the "
    "slope in a linear model of all columns, fitted where both periods overlap; its change has the standard "
    "error. The p values above test for drift; this table shows where to look."
)
SEPARATION_NOTE = (
    "Separation is the distance between the distributions of a column in these and in the others, from 0 to 1. "
    "The table has typical values of both, means of numeric columns."
)


def collect_drift(report: DriftReport, title: str | None) -> dict[str, Any]:
    """Return the data of the page; it holds only lists, texts and numbers."""
    rows, when = _in_order(report.rows)
    corrected, root = is_corrected(report.queries), report.error == ROOT
    dates, axis = pd.api.types.is_datetime64_any_dtype(when), "row number" if when.name == "row" else "time"
    # errors of heads on the scale of the errors before and after
    heads = report.heads.assign(error=np.sqrt(report.heads["error"])) if root else report.heads
    return {
        "title": text(title) if title is not None else "Has the model drifted?",
        "verdict": text(report.verdict),
        "words": {"error": text(report.error), "classes": not root, "when": axis, "dates": dates},
        "cards": _cards(report),
        "rows": _points(rows, when),
        "blocks": _blocks(rows, when, root),
        "tests": {
            "name": texts(report.tests.index),
            "p": numbers(report.tests["p"], 2),
            "meaning": texts(report.tests["meaning"]),
        },
        "columns": _moved_columns(report.columns, report.summary["value"]),
        "features": _separating_columns(report.features, corrected),
        "queries": {
            "n": len(corrected),
            "n_corrected": int(corrected.sum()),
            "correction": _histogram(report.queries["correction"], corrected),
            "n_eff": _histogram(report.queries["n_eff"], corrected),
        },
        "tuning": collect_tuning(heads, HEAD_COLUMNS),
        "tuned": _tuning_note(report),
    }


def _in_order(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Return the recent rows in the order of time, and when that was; without times as they are, numbered from 1."""
    # a response may itself be called time
    known = "time" in rows and len(rows.columns.difference(MEASURES)) > 0
    when = rows["time"] if known else pd.Series(dtype=object)
    if pd.api.types.is_datetime64_any_dtype(when) or pd.api.types.is_numeric_dtype(when):
        order = np.argsort(when.to_numpy(), kind="stable")
        return rows.iloc[order], when.iloc[order]
    return rows, pd.Series(np.arange(1, len(rows) + 1), rows.index, name="row")


def _cards(report: DriftReport) -> list[dict[str, str]]:
    """Return the figures at the top: errors of the model and of the corrected model."""
    value, meaning = report.summary["value"], report.summary["meaning"]
    share, n_query = float(value["queries corrected"]), len(report.queries)
    errors = [card(name, short(value[key], 3), meaning[key]) for key, name in CARDS.items()]
    errors[0]["note"] = text(f"{report.error} {errors[0]['note']}")
    return [
        card("recent rows", str(value["recent rows"]), meaning["recent rows"]),
        *errors,
        card("effective rows", short(value["effective rows"], 3), meaning["effective rows"]),
        card("queries corrected", f"{short(100 * share, 3)} %", f"of {n_query}: {meaning['queries corrected']}"),
    ]


def _points(rows: pd.DataFrame, when: pd.Series) -> dict[str, Any]:
    """Return the recent rows, or an even choice of them if they are many."""
    kept = evenly(len(rows), MOST_POINTS)
    shown, response = rows.iloc[kept], rows.columns.difference(MEASURES, sort=False)
    return {
        "n": len(rows),
        "at": _moments(when.iloc[kept]),
        "label": texts(shown.index),
        "response": column(shown[response[0]]) if len(response) else None,
        **{name: numbers(shown[name], 4) for name in ("model", "corrected", "residual", "correction")},
    }


def _blocks(rows: pd.DataFrame, when: pd.Series, root: bool) -> dict[str, Any]:
    """Return means over equal blocks of rows: residual, correction, and the errors before and after."""
    n_blocks = int(np.clip(len(rows) // FEWEST_ROWS, 1, N_BLOCKS))
    parts = np.array_split(np.arange(len(rows)), n_blocks)
    means = {
        name: np.array([_mean(rows.iloc[part], name) for part in parts])
        for name in ("residual", "correction", "loss", "corrected_loss")
    }
    before, after = (np.sqrt(means[name]) if root else means[name] for name in ("loss", "corrected_loss"))
    return {
        "at": _moments(when.iloc[[part[len(part) // 2] for part in parts]]),
        "first": [int(part[0]) + 1 for part in parts],
        "last": [int(part[-1]) + 1 for part in parts],
        "residual": numbers(means["residual"], 4),
        "correction": numbers(means["correction"], 4),
        "before": numbers(before, 4),
        "after": numbers(after, 4),
    }


def _mean(rows: pd.DataFrame, name: str) -> float:
    total = rows["weight"].sum()
    return float(rows[name] @ rows["weight"] / total) if total > 0 else np.nan


def _moments(when: pd.Series) -> list[float | int | str | None]:
    """Return times as numbers, dates as texts that sort and read alike."""
    if not pd.api.types.is_datetime64_any_dtype(when):
        return list(numbers(when, 15))
    dates = when if when.dt.tz is None else when.dt.tz_localize(None)
    return np.datetime_as_string(dates.to_numpy("datetime64[ms]")).tolist()


def _moved_columns(columns: pd.DataFrame, value: pd.Series) -> dict[str, Any]:
    """Return means and effects of columns before and after, those that moved most; nothing without a reference."""
    shown = columns.head(MOST_FEATURES)
    n_before, n_after = value.get("reference rows", 0), value["recent rows"]
    return {
        "n": len(columns),
        "note": f"{n_before} rows of the reference (before), {n_after} recent rows (after). {PERIODS_NOTE}",
        "name": texts(shown.index),
        **{name: numbers(shown[name], 3) for name in shown},
    }


def _separating_columns(features: pd.DataFrame, corrected: np.ndarray) -> dict[str, Any]:
    """Return the columns that differ between corrected and other queries, or why there are none."""
    shown = features.head(MOST_FEATURES)
    return {
        "n": len(features),
        "note": _features_note(len(features), len(corrected), int(corrected.sum())),
        "name": texts(shown.index),
        "separation": numbers(shown["separation"], 3),
        "kind": texts(shown["kind"]),
        "corrected": [_usual(value) for value in shown["corrected"]],
        "others": [_usual(value) for value in shown["others"]],
    }


def _features_note(n_features: int, n_query: int, n_corrected: int) -> str:
    if n_features:
        return f"{n_corrected} of {n_query} queries are corrected significantly. {SEPARATION_NOTE}"
    if n_query and n_corrected == n_query:
        return "All queries are corrected significantly, so no column distinguishes corrected queries from others."
    if n_corrected == 0:
        return "No query is corrected significantly, so no column distinguishes corrected queries from others."
    return "No column has values both in corrected queries and in others."


def _usual(value: Any) -> float | int | str | None:
    return numbers([value], 4)[0] if isinstance(value, float | int | np.number) else text(value)


def _histogram(values: pd.Series, corrected: np.ndarray) -> dict[str, Any] | None:
    """Return counts of corrected and other queries between equal steps; None if there is no value."""
    # rounded: steps must be wider than the smallest differences of floats
    rounded = np.array(numbers(values), dtype=np.float64)
    known = np.isfinite(rounded)
    if not known.any():
        return None
    edges = np.histogram_bin_edges(rounded[known], N_BINS)
    inside, outside = (np.histogram(rounded[known & part], edges)[0] for part in (corrected, ~corrected))
    return {"edges": numbers(edges), "corrected": counts(inside), "others": counts(outside)}


def _tuning_note(report: DriftReport) -> str:
    """Return how temperature and mixing were chosen."""
    value, meaning = report.summary["value"], report.summary["meaning"]
    mixing, guard = short(value["mixing"], 3), short(value["guard"], 3)
    if report.heads["error"].isna().all():
        return f"Nothing was tuned: temperature and mixing ({mixing}) were given."
    return (
        "Each similarity and temperature was tried on the recent rows, each row corrected by the others. "
        f"Mixing is {mixing}: {meaning['mixing']}. Guard is {guard}: {meaning['guard']}."
    )
