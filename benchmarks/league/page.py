"""The page of the league: gains over the lasso by table, and what they come to."""

import pandas as pd

from benchmarks.league.methods import LASSO, OURS
from benchmarks.league.summary import (
    AHEAD,
    BELOW,
    below_lasso,
    duel,
    far_ahead,
    gain_of,
    rank_methods,
    typical_gain,
)
from benchmarks.pages import bullets, draw_table

HEAD = ["method", "tables", "mean gain", "typical gain", "mean rank", "heedful wins : loses", "beyond two errors"]


def write_section(kind: str, about: str, results: pd.DataFrame, shapes: dict[str, tuple[int, int]]) -> str:
    """Return the section of one kind of response: summary, what stands out, and every table."""
    gain = gain_of(results)
    parts = [
        f"## {kind.capitalize()}\n\n{about}",
        draw_summary(results),
        draw_sizes(results, {title: n_rows for title, (n_rows, _) in shapes.items()}) if kind == "sizes" else "",
        bullets(list_weak_spots(gain)),
        draw_gains(gain, shapes),
    ]
    return "\n\n".join(filter(None, parts))


def draw_summary(results: pd.DataFrame) -> str:
    """Return one line per method: gains, rank, how heedful does against it, seconds."""
    gain, typical = gain_of(results), typical_gain(results)
    means, rank, seconds = gain.groupby("table").mean(), rank_methods(gain), results["seconds"]
    rows = []
    for name in gain:
        wins, clear = ("", "") if name == OURS or OURS not in gain else describe_duel(gain, name)
        figures = [f"{means[name].mean():.1f}", f"{typical[name]:.1f}", f"{rank[name].mean():.2f}"]
        costs = [f"{seconds[name].median():.2f}", f"{seconds[name].mean():.2f}"]
        rows.append([name, str(means[name].count()), *figures, wins, clear, *costs])
    return draw_table([*HEAD, "seconds, median", "mean"], rows)


def draw_sizes(results: pd.DataFrame, n_rows: dict[str, int]) -> str:
    """Return the typical gain of each method by the number of training rows."""
    size = results.index.get_level_values("table").map(n_rows)
    gain = pd.DataFrame({n: typical_gain(results[size == n]) for n in sorted(set(size))}).T.drop(columns=LASSO)
    rows = [[str(n), *("not run" if pd.isna(value) else f"{value:.1f}" for value in row)] for n, row in gain.iterrows()]
    return draw_table(["typical gain, training rows", *gain], rows)


def describe_duel(gain: pd.DataFrame, rival: str) -> tuple[str, str]:
    """Return tables won and lost against a rival, all and beyond two standard errors."""
    found = duel(gain, rival)
    return f"{len(found.won)} : {len(found.lost)}", f"{len(found.won_clearly)} : {len(found.lost_clearly)}"


def draw_gains(gain: pd.DataFrame, shapes: dict[str, tuple[int, int]]) -> str:
    """Return the mean gain of each method on each table."""
    means = gain.drop(columns=LASSO).groupby("table").mean()
    rows = [
        [title, *map(str, shapes[title]), *("not run" if pd.isna(value) else f"{value:.1f}" for value in row)]
        for title, row in means.iterrows()
    ]
    return draw_table(["table", "n", "p", *means], rows)


def list_weak_spots(gain: pd.DataFrame) -> list[str]:
    """Return where heedful loses: beyond noise, by far, and to the lasso; nothing if it was not run."""
    if OURS not in gain:
        return []
    lost = {rival: duel(gain, rival).lost_clearly for rival in gain if rival != OURS}
    said = [f"to {rival} on {', '.join(titles)}" for rival, titles in lost.items() if titles]
    ahead = [
        f"{title} ({', '.join(f'{rival} by {points:.1f}' for rival, points in rivals.items())})"
        for title, rivals in far_ahead(gain).items()
    ]
    below = [f"{title} ({value:.1f} %)" for title, value in below_lasso(gain).items()]
    return [
        f"heedful loses beyond two standard errors: {'; '.join(said) or 'nowhere'}.",
        f"A rival is more than {AHEAD:.0f} points ahead of heedful: {'; '.join(ahead) or 'nowhere'}.",
        f"heedful is worse than the lasso by more than {BELOW:.0f} %: {', '.join(below) or 'nowhere'}.",
    ]
