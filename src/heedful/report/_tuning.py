"""The heads that were tried: errors on held-out rows, and shares."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.report._compact import numbers, short, text, texts

# Heads listed at most: those with a share, then the best of the others.
MOST_HEADS = 60
FIRST = ("similarity", "share", "error")


def collect_tuning(heads: pd.DataFrame, first: tuple[str, ...] = FIRST) -> dict[str, Any]:
    """Return the heads as a table of texts, some columns before the others, and the curve of their errors."""
    listed = heads.sort_values(["share", "error"], ascending=[False, True], kind="stable").head(MOST_HEADS)
    listed = listed[[*first, *listed.columns.difference(first, sort=False)]]
    rows = [[_cell(name, value) for name, value in row.items()] for _, row in listed.iterrows()]
    return {"names": texts(listed.columns), "rows": rows, "n_heads": len(heads), "curve": _curve(heads)}


def _curve(heads: pd.DataFrame) -> dict[str, Any]:
    """Return per similarity and weighting the lowest error over penalties, and the share."""
    ways = heads[["weighting", "temperature"]].drop_duplicates()
    ways = ways.sort_values("temperature", na_position="last", kind="stable")
    names = [_way(*way) for way in ways.itertuples(index=False)]
    place = {name: number for number, name in enumerate(names)}
    at = np.array([place[_way(w, t)] for w, t in zip(heads["weighting"], heads["temperature"], strict=True)])
    lines = []
    for name, group in heads.groupby("similarity", sort=False):
        where = at[heads["similarity"].to_numpy() == name]
        best = group["error"].groupby(where).min().reindex(range(len(names)))
        share = group["share"].groupby(where).sum().reindex(range(len(names)), fill_value=0.0)
        lines.append({"name": text(name), "error": numbers(best, 5), "share": numbers(share, 3)})
    return {"ways": names, "lines": lines, "free": bool(heads["temperature"].isna().any())}


def _way(weighting: Any, temperature: float) -> str:
    return text(weighting) if np.isnan(temperature) else short(temperature)


def _cell(name: str, value: Any) -> str:
    if name == "share":
        return f"{100 * value:.1f} %"
    return short(value) if isinstance(value, float | np.floating | int) else text(value)
