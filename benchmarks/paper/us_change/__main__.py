"""The table of section 6.1: US consumption by quarters, its last part predicted from its first, in several readings.

    python -m benchmarks.paper.us_change [--data DIR] [--runs 3] [--jobs -1] [--fresh] [--smoke]

Writes results.md beside this file; of fewer than three seeds, and with ``--smoke``, under build/. Each cut and seed
is kept in splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xgboost
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import pages, study
from benchmarks.tables import data_folder, load_series
from heedful import AttentionLasso, LocalLasso
from heedful._folds import Split
from heedful.baseline import LassoBaseline
from heedful.context import lag_features
from heedful.datasets import make_regimes
from heedful.similarity import ForestProximity

RESPONSE, LAGS, YEAR = "Consumption", 10, 4
PAPER = pd.DataFrame(
    {
        "attention": [3.0, -16.4, 11.4, 32.8, 54.2],
        "forest": [64.4, 48.5, -72.2, -31.5, -44.5],
        "XGBoost": [63.1, 38.5, -54.6, -40.2, -50.4],
        "KNN": [61.0, 34.4, -130.5, -153.9, -144.2],
    },
    index=[0.5, 0.6, 0.7, 0.8, 0.9],
)
CHAIN, BLOCKS, RANDOM = "forward chaining", "blocks", "random folds"
FOLDS = (CHAIN, BLOCKS, RANDOM)
YARDSTICK = f"all columns, {CHAIN}"
NEIGHBORS = [3, 5, 10, 15]
CUTS = {
    "down": lambda fraction, n_rows: np.floor(fraction * n_rows),
    "to the nearest": lambda fraction, n_rows: np.round(fraction * n_rows),
    "up": lambda fraction, n_rows: np.ceil(fraction * n_rows),
    "down, of all quarters": lambda fraction, n_rows: np.floor(fraction * (n_rows + LAGS)) - LAGS,
}
DOWN = "down"


class Reading(NamedTuple):
    """An attention lasso: folds that choose penalty and mixing, what its similarity sees, other arguments."""

    folds: str
    options: dict[str, Any]
    seen: str = "a year"


# Algorithm 2: one head, the softmax as it is, the baseline's penalty, and no limit to extrapolation
PRINTED = {"heads": "single", "temperature": 1.0, "local": LocalLasso(alpha_ratio=1.0, max_extrapolation=None)}
TEXT, FOUND, DEFAULT = f"one head, {CHAIN}", f"one head, {BLOCKS}", f"many heads, {CHAIN}"
READINGS = {f"one head, {folds}": Reading(folds, PRINTED) for folds in FOLDS}
READINGS |= {
    f"{FOUND}, similarity sees {seen}": Reading(BLOCKS, PRINTED, seen) for seen in ("no response", "lag 4", "10 lags")
}
READINGS[f"{FOUND}, temperature chosen"] = Reading(BLOCKS, PRINTED | {"temperature": "auto"})
READINGS |= {f"many heads, {folds}": Reading(folds, {}) for folds in FOLDS}


class Series(NamedTuple):
    """Rows with their lags, the response, and the names of the series; the response comes last among them."""

    rows: pd.DataFrame
    y: np.ndarray
    names: list[str]

    @property
    def current(self) -> list[str]:
        """The predictors of the same quarter."""
        return self.names[:-1]

    def seen(self, what: str) -> list[str]:
        """Return the columns that a similarity sees."""
        names = self.current if what == "no response" else self.names
        lags = {"lag 4": [YEAR], "10 lags": range(1, LAGS + 1)}.get(what, range(1, YEAR + 1))
        return self.current + [f"{name}_lag{k}" for name in names for k in lags]


class Part(NamedTuple):
    """The first rows of a series, to train on, and those that come after them."""

    series: Series
    n_train: int
    seed: int
    n_trees: int

    @property
    def train(self) -> tuple[pd.DataFrame, np.ndarray]:
        """Rows and response to fit to."""
        return self.series.rows.iloc[: self.n_train], self.series.y[: self.n_train]

    @property
    def later(self) -> pd.DataFrame:
        """Rows to predict."""
        return self.series.rows.iloc[self.n_train :]

    def error(self, prediction: np.ndarray) -> float:
        """Return the mean squared error of a prediction of the later rows."""
        return float(np.mean((self.series.y[self.n_train :] - prediction) ** 2))

    def folds(self, how: str) -> list[Split]:
        """Return splits of the training rows: a block of time by those before it or by all others; or ten at random."""
        if how == RANDOM:
            folds = KFold(10, shuffle=True, random_state=self.seed)
            return [Split(*split) for split in folds.split(np.empty(self.n_train))]
        blocks = np.array_split(np.arange(self.n_train), 5)
        if how == CHAIN:
            return [Split(np.concatenate(blocks[:k]), blocks[k]) for k in range(1, 5)]
        return [Split(np.concatenate(blocks[:k] + blocks[k + 1 :]), blocks[k]) for k in range(5)]


def read_series(frame: pd.DataFrame) -> Series:
    """Return a frame of series, the response last, with its lags."""
    lagged = lag_features(frame, list(frame), LAGS)
    return Series(lagged.drop(columns=frame.columns[-1]), lagged[frame.columns[-1]].to_numpy(), list(frame))


def generated() -> pd.DataFrame:
    """Return a short series that stands in for the quarters."""
    sim = make_regimes(150, random_state=0)
    return pd.DataFrame(sim.X, columns=list("abcd")).assign(**{RESPONSE: sim.y})


def one_cut(series: Series, n_train: int, n_trees: int, readings: list[str], seed: int) -> study.Scores:
    """Return the squared errors of all methods, and the mixing of attention lassos: by reading, then by method."""
    part = Part(series, n_train, seed, n_trees)
    return fit_lassos(part) | fit_attention(part, readings) | fit_forest(part) | fit_boosters(part) | fit_knn(part)


def fit_lassos(part: Part) -> study.Scores:
    """Return the errors of one lasso for all rows, by its columns and the folds that choose its penalty."""
    rows, y = part.train
    found = {}
    for title, columns in {"all columns": list(rows), "no lags": part.series.current}.items():
        for folds in FOLDS:
            lasso = LassoBaseline().fit(rows[columns], y, splits=part.folds(folds))
            found[f"{title}, {folds}"] = {"lasso": part.error(lasso.predict(part.later[columns]))}
    return found


def fit_attention(part: Part, readings: list[str]) -> study.Scores:
    """Return the errors and the mixing of attention lassos whose models use the predictors of the same quarter."""
    found = {}
    for title in readings:
        reading = READINGS[title]
        one = {"similarity": ForestProximity(part.n_trees)} if "heads" in reading.options else {}
        model = AttentionLasso(
            **one,
            features={"similarity": part.series.seen(reading.seen), "model": part.series.current},
            cv=part.folds(reading.folds),
            random_state=part.seed,
            **reading.options,
        ).fit(*part.train)
        found[title] = {"attention": part.error(model.predict(part.later)), "mixing": model.mixing_}
    return found


def fit_forest(part: Part) -> study.Scores:
    """Return the error of a forest with the defaults of R's ranger."""
    how = {"max_features": "sqrt", "min_samples_split": 6, "random_state": part.seed}
    forest = RandomForestRegressor(part.n_trees, **how).fit(*part.train)
    return {"forest": {"forest": part.error(forest.predict(part.later))}}


def fit_boosters(part: Part) -> study.Scores:
    """Return the errors of XGBoost by the folds that choose its rounds and by what it starts from."""
    rows, found = xgboost.DMatrix(*part.train), {}
    for start, more in {"from the mean": {}, "from 0.5": {"base_score": 0.5}}.items():
        how = {"eta": 0.1, "max_depth": 6, "tree_method": "exact", "nthread": 1, "seed": part.seed} | more
        for folds in FOLDS:
            splits = [tuple(split) for split in part.folds(folds)]
            n_rounds = len(xgboost.cv(how, rows, 500, folds=splits, early_stopping_rounds=10))
            model = xgboost.train(how, rows, n_rounds)
            found[f"{start}, {folds}"] = {"XGBoost": part.error(model.predict(xgboost.DMatrix(part.later)))}
    return found


def fit_knn(part: Part) -> study.Scores:
    """Return the errors of nearest neighbours at each K and at chosen ones, columns scaled or not."""
    found = {}
    for scale in ("scaled", "not scaled"):
        model = make_pipeline(StandardScaler(with_std=scale == "scaled"), KNeighborsRegressor())
        size = "kneighborsregressor__n_neighbors"
        for folds in FOLDS:
            search = GridSearchCV(model, {size: NEIGHBORS}, cv=part.folds(folds), scoring="neg_mean_squared_error")
            found[f"{scale}, {folds}"] = {"KNN": part.error(search.fit(*part.train).predict(part.later))}
        for k in NEIGHBORS:
            chosen = model.set_params(**{size: k}).fit(*part.train)
            found[f"{scale}, K = {k}"] = {"KNN": part.error(chosen.predict(part.later))}
    return found


STUDY = study.Study(Path(__file__).parent, one_cut, ("heedful", "scikit-learn", "xgboost"))


def run(series: Series, options: argparse.Namespace) -> dict[str, pd.DataFrame]:
    """Return one frame of errors for each way to cut: a row per fraction and seed, a column per method."""
    cuts = {f"{cut}, {fraction}": (cut, fraction) for cut in options.cuts for fraction in options.fractions}
    # a cut of the series stands where other studies have a table
    tables = {}
    for title, (cut, fraction) in cuts.items():
        readings = list(READINGS) if cut == DOWN else [FOUND]
        tables[title] = (series, int(CUTS[cut](fraction, series.y.size)), options.trees, readings)
    results = study.run(STUDY, tables, options)
    found = {}
    for cut in options.cuts:
        fractions = {title: fraction for title, (own, fraction) in cuts.items() if own == cut}
        part = results.loc[list(fractions)].rename(index=fractions, level="table")
        found[cut] = part.rename_axis(index={"table": "fraction"}).dropna(axis=1)
    return found


def improve(errors: pd.DataFrame, table: str, yardstick: str = YARDSTICK) -> pd.DataFrame:
    """Return by how many per cent the errors of a table are below those of a lasso: fractions by readings."""
    percent = 100 * (1 - errors[table].div(errors["lasso", yardstick], axis=0))
    return percent.groupby("fraction").mean()


def off(percent: pd.DataFrame, column: str) -> pd.Series:
    """Return the mean distance of each reading from a column of the paper, in points."""
    return percent.sub(PAPER.loc[percent.index, column], axis=0).abs().mean()


def compare(percent: pd.DataFrame, column: str) -> str:
    """Return a markdown table: each reading by fractions, and how far it is from a column of the paper."""
    percent = pd.concat([PAPER.loc[percent.index, column].rename("**the paper**"), percent], axis=1)
    rows = [
        [title, f"{distance:.1f}", *(f"{value:.1f}" for value in percent[title])]
        for title, distance in off(percent, column).items()
    ]
    return pages.draw_table(["reading", "off by", *map(str, percent.index)], rows)


def main_table(errors: pd.DataFrame) -> str:
    """Return the paper's table in markdown: ours, with the paper's figures beside it in brackets."""
    attention = improve(errors, "attention")
    columns = {
        TEXT: (attention[TEXT], "attention"),
        FOUND: (attention[FOUND], "attention"),
        "forest": (improve(errors, "forest")["forest"], "forest"),
        "XGBoost": (improve(errors, "XGBoost")[f"from the mean, {CHAIN}"], "XGBoost"),
        "KNN": (improve(errors, "KNN")[f"scaled, {CHAIN}"], "KNN"),
    }
    mixing = errors["mixing"].groupby("fraction").mean()[FOUND]
    rows = []
    for fraction in attention.index:
        cells = [f"{ours[fraction]:.1f} ({PAPER.loc[fraction, name]})" for ours, name in columns.values()]
        cells += [f"{attention.loc[fraction, DEFAULT]:.1f}", f"{mixing[fraction]:.2f} (1.0)"]
        rows.append([str(fraction), *cells])
    means = [f"{ours.mean():.1f} ({PAPER.loc[ours.index, name].mean():.1f})" for ours, name in columns.values()]
    rows.append(["mean", *means, f"{attention[DEFAULT].mean():.1f}", ""])
    return pages.draw_table(["train fraction", *columns, DEFAULT, "mixing"], rows)


def yardsticks(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the forest's improvement over each lasso."""
    return pd.DataFrame({name: improve(errors, "forest", name)["forest"] for name in errors["lasso"]})


def attention_table(errors: pd.DataFrame) -> pd.DataFrame:
    """Return the improvement of attention lassos, and of their baselines alone."""
    alone = improve(errors, "lasso")[[f"no lags, {folds}" for folds in FOLDS]]
    return improve(errors, "attention").join(alone.add_prefix("no attention: lasso, "))


def cuts_table(found: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the improvement of the attention lasso by how the number of training rows is rounded."""
    return pd.DataFrame({f"rounded {cut}": improve(errors, "attention")[FOUND] for cut, errors in found.items()})


def name_closest(percent: pd.DataFrame, column: str) -> str:
    """Return which reading is closest to a column of the paper, and how far it is from it."""
    distance = off(percent, column)
    return f'"{distance.idxmin()}", off by {distance.min():.1f} points on average (the farthest: {distance.max():.1f})'


def read_figures(errors: pd.DataFrame) -> list[str]:
    """Return what the figures say."""
    attention, knn = attention_table(errors), improve(errors, "KNN").filter(regex="^scaled, K")
    gap = knn.sub(PAPER.loc[knn.index, "KNN"], axis=0).abs()
    sizes = ", ".join(name.split()[-1] for name in gap.idxmin(axis=1))
    added = attention[FOUND] - attention[f"no attention: lasso, no lags, {BLOCKS}"]
    distance, many = off(attention, "attention")[TEXT], attention[DEFAULT] - attention[TEXT]
    return [
        f"Which lasso is at zero: closest to the paper's forest is {name_closest(yardsticks(errors), 'forest')}.",
        (
            f"KNN over the lasso of {YARDSTICK}: the best of the four K at each fraction ({sizes}) is within "
            f"{gap.min(axis=1).max():.1f} points of the paper; neither method has anything random in it."
        ),
        (
            f"Attention lasso: closest to the paper is {name_closest(attention, 'attention')}; "
            f"to the letter of the text ({TEXT}) it is off by {distance:.1f}."
        ),
        (
            f"What attention adds to the lasso of the same columns and folds ({FOUND}): "
            f"{added.min():+.1f} to {added.max():+.1f} points, {added.mean():+.1f} on average."
        ),
        (
            f"heedful's defaults ({DEFAULT}) against one head and the same folds: above at {(many > 0).sum()} of "
            f"{many.size} fractions, {many.mean():+.1f} points on average."
        ),
    ]


def write_page(found: dict[str, pd.DataFrame], n_seeds: int) -> str:
    """Return the page: the paper's table, what the figures say, and the readings."""
    errors = found[DOWN]
    about = (
        "Per cent improvement in mean squared error over the lasso, the paper's figures in brackets. Five cuts of one "
        f"series; forests and random folds are averaged over {n_seeds} seeds. {pages.stamp(*STUDY.packages)}. "
        "This page is rewritten by `make us_change`; the README explains the readings."
    )
    tables = {
        "Which lasso is at zero: the forest's improvement over it": compare(yardsticks(errors), "forest"),
        "Attention lasso": compare(attention_table(errors), "attention"),
        f"{FOUND}, by the number of training rows": compare(cuts_table(found), "attention"),
        "XGBoost": compare(improve(errors, "XGBoost"), "XGBoost"),
        "KNN": compare(improve(errors, "KNN"), "KNN"),
    }
    parts = [f"## {title}\n\n{table}" for title, table in tables.items()]
    return pages.join("US consumption", about, main_table(errors), pages.bullets(read_figures(errors)), *parts)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the option that only this study has."""
    parser.add_argument("--data", help="folder that holds uci/us_change.csv and uci/manifest.json")


def main() -> None:
    """Run the study."""
    sizes = {"trees": (500, 10), "fractions": (list(PAPER.index), [0.7]), "cuts": (list(CUTS), [DOWN])}
    options = study.read_options(__doc__, 3, add=add_options, **sizes)
    frame = generated() if options.smoke else load_series(data_folder(options.data))
    study.publish(STUDY.home, options, write_page(run(read_series(frame), options), options.runs))


if __name__ == "__main__":
    main()
