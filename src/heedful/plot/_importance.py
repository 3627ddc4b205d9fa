"""Which columns matter over all queries."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation
from heedful.explain._columns import has_two_parts
from heedful.plot._axes import finish, fonts, get_axes, points, say_tick
from heedful.plot._labels import number, shorten_all, text_width
from heedful.plot._read import check_explanation, say_added
from heedful.plot._style import INK, NEUTRAL, PARTS

# What the parts are called.
WORDS = {"attention": "attention", "model": "own model"}


def importance(explanation: Explanation, k: int = 10, *, output: Any = None, ax: Any = None, **style: Any) -> Any:
    """Draw how much each column matters, and through what.

    A bar is the mean size of a column's contributions, in two parts that add up to it: through attention, which rows
    queries are compared with, and through their own models. A part that works against the whole is drawn to the left
    of zero; the number beside the bar is the whole. Where the model for all rows predicts alone bars have no parts.

    All else is as in :func:`contributions`.

    Parameters
    ----------
    explanation : Explanation
    k : int, default=10
        How many columns to draw; the rest is one bar.
    output : label, default=None
        With several classes, the one to draw; None takes each query's most probable one.
    ax : Axes, default=None
    style : keywords
        For matplotlib's ``barh``, such as ``height``.

    Returns
    -------
    Axes
        The axes drawn on.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso, plot
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> e = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).explain(X)
    >>> ax = plot.importance(e)
    >>> ax.get_xlabel()
    'mean size of contributions'
    """
    table = rank_columns(check_explanation(explanation), k, output)
    names = shorten_all(list(table.index), 24)
    others = explanation.importance(output).iloc[len(names) :]
    if not has_two_parts(explanation):
        table, others = table[["contribution"]], others[["contribution"]]
    if len(others):
        table = pd.concat([table, others.sum().to_frame().T], ignore_index=True)
        names = [*names, f"sum of {len(others)} others"]
    ax = get_axes(ax, height=0.95 + 0.17 * len(names))
    _draw_parts(ax, table, style)
    scale = say_added(explanation, output)
    finish(ax, "mean size of contributions" + ("" if scale == "prediction" else f"\nto {scale}"), "", frame=("bottom",))
    ax.set_yticks(range(len(names)), names, fontsize=fonts().tick)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.xaxis.set_major_formatter(say_tick)
    return ax


def rank_columns(explanation: Explanation, k: int, output: Any) -> pd.DataFrame:
    """Return the importance of the ``k`` most important columns, without those that add nothing but rounding."""
    if not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"`k` must be a whole number of columns, at least 1, got {k!r}. Try 10.")
    table = explanation.importance(output)
    there = table["contribution"] > 1e-9 * table["contribution"].max()
    return table.iloc[: min(k, max(int(there.sum()), 1))]


def _draw_parts(ax: Any, table: pd.DataFrame, style: dict[str, Any]) -> None:
    """Draw the parts end to end, negative ones to the left, with the whole as a number."""
    places, look = np.arange(len(table)), {"height": 0.7, **style}
    parts = [part for part in PARTS if part in table]
    if not parts:
        ends = table["contribution"].to_numpy()
        ax.barh(places, ends, **{"color": NEUTRAL, **look})
    else:
        right, left = np.zeros(len(table)), np.zeros(len(table))
        for part in parts:
            size = table[part].to_numpy()
            ax.barh(places, size, left=np.where(size >= 0, right, left), label=WORDS[part],
                    **{"color": PARTS[part], **look})  # fmt: skip
            right, left = right + np.maximum(size, 0), left + np.minimum(size, 0)
        ends = right
        ax.axvline(0, color=NEUTRAL, linewidth=0.6)
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=fonts().tick, frameon=False,
                  borderpad=0.2, handlelength=1.0, columnspacing=1.2)  # fmt: skip
    _write_sizes(ax, ends, table["contribution"].to_numpy())


def _write_sizes(ax: Any, ends: np.ndarray, sizes: np.ndarray) -> None:
    """Write each number beside its bar, and make room for it: names of columns take about half of the width."""
    size, most = fonts().tick, sizes.max()
    texts = [number(float(f"{value:.3g}")) if value > 1e-9 * most else "0" for value in sizes]
    room = min((text_width(texts, size) + 6) / (0.5 * points(ax)[0]), 0.6)
    low, high = min(0.0, ax.dataLim.x0), ends.max()
    span = (high - low) or 1.0
    ax.set_xlim(low - 0.02 * span * (low < 0), high + room * span)
    for place, (end, text) in enumerate(zip(ends, texts, strict=True)):
        ax.annotate(text, (end, place), (3, 0), textcoords="offset points", fontsize=size, color=INK, va="center")
