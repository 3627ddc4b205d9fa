"""The page of table 1: the paper's columns beside ours, what they say, and what they cost."""

from typing import NamedTuple

import pandas as pd

from benchmarks.pages import bullets, draw_table, format_mean, join

LASSO, ONE, MANY = "lasso", "one head", "many heads"
RIVALS = ["LightGBM", "XGBoost", "forest", "KNN"]
MAIN = [ONE, MANY, *RIVALS]
# arXiv 2512.09912, Table 1: mean and standard error of 50 splits
PAPER = pd.DataFrame(
    {
        "Airfoil": [75.0, 1.1, 84.3, 0.3, 84.1, 0.3, 69.3, 0.3, 48.2, 0.8],
        "Auto MPG": [31.8, 0.9, 26.1, 1.0, 17.2, 1.1, 26.4, 1.1, 10.1, 1.2],
        "Automobile": [37.1, 1.3, 27.4, 1.6, 12.3, 3.1, 33.0, 1.2, -25.6, 2.5],
        "Communities": [3.1, 0.4, -1.5, 0.4, -13.5, 0.7, 1.1, 0.3, -19.0, 0.7],
        "Concrete": [62.8, 0.7, 77.7, 0.3, 74.4, 0.4, 64.1, 0.4, 17.6, 1.0],
        "Facebook": [93.6, 0.9, 90.5, 0.4, 94.1, 0.5, 93.4, 0.3, 56.8, 2.0],
        "Forest Fires": [-0.4, 0.3, -0.1, 0.8, -9.0, 4.1, -21.1, 6.3, -24.5, 5.6],
        "Infrared": [3.4, 0.5, -1.8, 1.0, -4.3, 1.1, 6.0, 0.7, -11.2, 0.9],
        "Liver": [0.2, 0.7, 1.7, 1.0, -12.5, 1.7, 3.7, 1.0, 3.6, 1.2],
        "Real Estate": [18.2, 1.3, 24.2, 0.8, 14.0, 2.0, 29.9, 0.9, 8.6, 0.8],
        "Servo": [63.8, 1.7, 23.3, 1.9, 74.0, 1.6, 42.2, 1.5, -21.9, 4.5],
        "Stock": [60.4, 0.8, 32.1, 1.9, 23.9, 2.4, -15.6, 2.8, -200.7, 6.1],
    },
    index=pd.MultiIndex.from_product([["attention", *RIVALS], ["mean", "error"]]),
).T
# Which of the paper's columns stands beside which of ours
BESIDE = {ONE: "attention", MANY: None} | {name: name for name in RIVALS}


class Figures(NamedTuple):
    """Per cent improvement and seconds, one row per split and one column per method; other readings' improvement."""

    percent: pd.DataFrame
    seconds: pd.DataFrame
    otherwise: pd.DataFrame


def write_page(figures: Figures, shapes: dict[str, tuple[int, int]], groups: dict[str, list[str]], ran: str) -> str:
    """Return the page: the paper's table, what it says, other readings, the methods on fewer splits, the cost."""
    percent = figures.percent.reindex(columns=figures.percent.columns.union(MAIN))
    n_splits = percent[MAIN].groupby("table").count().min().min()
    about = (
        "Per cent improvement in mean squared test error over the lasso, mean (standard error) of "
        f"{n_splits} random 50/50 splits, seeds from 0; the paper's figures beside ours. {ran} This page is "
        "rewritten by `make table1`; the README says what is taken where the paper leaves a setting open."
    )
    parts = [about, main_table(percent, shapes), bullets(read_figures(percent))]
    if not figures.otherwise.empty:
        most = figures.otherwise.groupby("table").size().max()
        about = f"First the paper's figures, then the reading taken (all splits), then others (splits 0 to {most - 1})."
        parts.append(f"## How tables are read\n\n{about}\n\n{readings_table(percent, figures.otherwise)}")
    side = {
        "Algorithm 2 as printed": [name for name in groups["attention"] if name not in MAIN],
        "Beyond the paper's rivals": groups["extra"],
        "One head with one thing changed": groups["ablation"],
    }
    for title, group in side.items():
        names = [name for name in group if name in percent]
        if names:
            counts = percent[names].groupby("table").count()
            most, alone = counts.max().max(), counts.eq(1).to_numpy().any()
            said = "\n\nFigures without a standard error are of split 0 alone." if alone and most > 1 else ""
            parts.append(f"## {title}, splits 0 to {most - 1}\n\n{side_table(percent, names)}{said}")
    return join("Table 1", *parts, f"## Cost\n\n{describe_costs(figures.seconds, groups)}")


def paper_cell(title: str, column: str) -> str:
    """Return mean (standard error) from the paper; nothing for a table that it does not have."""
    if title not in PAPER.index:
        return ""
    return f"{PAPER.loc[title, (column, 'mean')]} ({PAPER.loc[title, (column, 'error')]})"


def main_table(percent: pd.DataFrame, shapes: dict[str, tuple[int, int]]) -> str:
    """Return the paper's table: ours, and its own figures beside them."""
    titles = [title for name, own in BESIDE.items() for title in ([name, "the paper's"] if own else [name])]
    rows = []
    for title, splits in percent.groupby("table"):
        cells = [title, *map(str, shapes[title])]
        for name, own in BESIDE.items():
            cells += [format_mean(splits[name]), paper_cell(title, own)] if own else [format_mean(splits[name])]
        rows.append(cells)
    return draw_table(["table", "n", "p", *titles], rows)


def readings_table(percent: pd.DataFrame, otherwise: pd.DataFrame) -> str:
    """Return what forest, neighbours and attention do on tables that can be read in several ways; ours comes first."""
    names = ["forest", "KNN", ONE, MANY]
    otherwise = otherwise.reindex(columns=names)
    rows = []
    for title in dict.fromkeys(name.split(", ")[0] for name in otherwise.index.unique("table")):
        if title not in percent.index.unique("table"):
            continue
        own = [paper_cell(title, column) for column in ("forest", "KNN", "attention")]
        rows.append([f"{title}, the paper's", *own, ""])
        rows.append([f"{title}, as above", *(format_mean(percent.loc[title, name]) for name in names)])
        others = otherwise[otherwise.index.get_level_values("table").str.startswith(f"{title}, ")]
        rows += [[other, *(format_mean(splits[name]) for name in names)] for other, splits in others.groupby("table")]
    return draw_table(["table", *names], rows)


def side_table(percent: pd.DataFrame, names: list[str]) -> str:
    """Return methods that ran on fewer splits, after the paper's figures and the attention lasso on the same splits."""
    same = percent.dropna(subset=names, how="all")
    tables = same.index.unique("table").sort_values()
    rows = [[name, *(format_mean(splits[name]) for _, splits in same.groupby("table"))] for name in [ONE, MANY, *names]]
    own = ["the paper's attention lasso", *(paper_cell(title, "attention") for title in tables)]
    return draw_table(["method", *tables], [own, *rows])


def read_figures(percent: pd.DataFrame) -> list[str]:
    """Return what the figures say; tables that the paper does not have are left out."""
    means = percent.groupby("table").mean()
    means = means[means.index.isin(PAPER.index)].dropna(axis=1, how="all")
    paper = PAPER.loc[means.index].xs("mean", axis=1, level=1)
    if means.empty:
        return []
    sentences = [against_paper(means[name] - paper["attention"], name) for name in (ONE, MANY) if name in means]
    if MANY in means:
        low, never = means[MANY], "never" if (means[MANY] >= -1).all() else f"{(means[MANY] < -1).sum()} times"
        sentences.append(f"{MANY}: {never} below -1 %; the smallest is {low.min():.1f} % ({low.idxmin()}).")
    if set(MAIN) <= set(means):
        counts = [f"{best_of(means[[name, *RIVALS]], name)} with {name}" for name in (ONE, MANY)]
        own = best_of(paper, "attention")
        sentences.append(
            f"Attention lasso is the best of six methods on {', on '.join(counts)}; in the paper on {own}."
        )
    return sentences


def against_paper(gap: pd.Series, name: str) -> str:
    """Return on how many tables a method is at or above the paper's attention lasso."""
    below = [f"{title} ({value:+.1f})" for title, value in gap[gap < 0].items()]
    below = f"; below on {', '.join(below)}" if below else ""
    return f"{name} at or above the paper's attention lasso on {(gap >= 0).sum()} of {len(gap)} tables{below}."


def best_of(means: pd.DataFrame, name: str) -> str:
    """Return on which tables a column is the largest, the lasso's zero included."""
    best = means.assign(**{LASSO: 0.0}).idxmax(axis=1)
    return f"{(best == name).sum()} of {len(best)} tables ({', '.join(best.index[best == name])})"


def describe_costs(seconds: pd.DataFrame, groups: dict[str, list[str]]) -> str:
    """Return minutes of one core by group, and seconds by table and method."""
    minutes = {group: seconds.filter(names).sum().sum() / 60 for group, names in groups.items() if names}
    said = ", ".join(f"{group} {value:.1f}" for group, value in minutes.items())
    head = f"Minutes of one core: {said}; a method runs on one core, so two take half of it."
    rows = [[title, *(format_mean(splits[name]) for name in seconds)] for title, splits in seconds.groupby("table")]
    return f"{head} Seconds to fit one half and predict the other:\n\n" + draw_table(["table", *seconds], rows)
