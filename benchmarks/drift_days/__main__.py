"""A model in use while what it predicts drifts: each day is predicted, then its labels come in and correct the model.

    python -m benchmarks.drift_days [--runs 20] [--jobs -1] [--fresh] [--smoke]

Writes results.md and figure.png beside this file; of fewer than 20 streams, and with ``--smoke``, under build/. Each
stream is kept in splits.jsonl, so an interrupted run goes on where it stopped.
"""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from lightgbm import Booster, LGBMRegressor

from benchmarks import pages, study
from benchmarks.pages import format_mean
from heedful import DriftCorrector
from heedful.datasets import make_stream
from heedful.plot._axes import finish, font_size
from heedful.plot._style import CLUSTERS, INK, NEUTRAL
from heedful.similarity import ForestProximity

KINDS = ("sudden", "gradual", "none")
RUNS, ROWS, BLOCK, BAR = 20, 25, 5, 0.25
TREES = 50
MODEL, PRINTED = "model as it is", "as printed"
LEAVES, FOREST = "by own leaves, 20 days", "by a forest, 20 days"
ALL, WINDOW, REFIT = "by both, all rows", "by both, 20 days", "refitted, 20 days"
METHODS = (MODEL, PRINTED, LEAVES, FOREST, ALL, WINDOW, REFIT)
HUES = dict(zip(METHODS, (NEUTRAL, *(CLUSTERS[k] for k in (1, 5, 3, 0, 4, 2))), strict=True))


class Plan(NamedTuple):
    """Days before the model is in use, in a long history, and in use; the day in use on which the change comes."""

    short: int = 20
    long: int = 200
    used: int = 41
    change: int = 16
    n_trees: int = 100


class Case(NamedTuple):
    """How the stream drifts, and whether the model has learnt from a long history."""

    kind: str
    long: bool

    @property
    def title(self) -> str:
        """What the case is called."""
        change = "no change" if self.kind == "none" else f"{self.kind} change"
        return f"{change}, long history" if self.long else change


CASES = {case.title: case for case in (Case(kind, long) for long in (False, True) for kind in KINDS)}


class Stream:
    """A stream of rows, cut into days; day 0 is the first on which the model is in use."""

    def __init__(self, case: Case, plan: Plan, seed: int):
        self.first = plan.long if case.long else plan.short
        self.sim = make_stream(
            self.first + plan.used, ROWS, kind=case.kind, change_day=self.first + plan.change, random_state=seed
        )

    def days(self, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """Return features and responses of the days from ``start`` to before ``stop``."""
        rows = self._rows(start, stop)
        return self.sim.X[rows], self.sim.y[rows]

    def errors(self, day: int, prediction: np.ndarray) -> tuple[float, float]:
        """Return mean squared errors of a day: of the response, and of the response without its noise."""
        rows = self._rows(day, day + 1)
        return tuple(float(np.mean((truth[rows] - prediction) ** 2)) for truth in (self.sim.y, self.sim.signal))

    def _rows(self, start: int, stop: int) -> slice:
        return slice((self.first + start) * ROWS, (self.first + stop) * ROWS)


def one_stream(case: Case, plan: Plan, seed: int) -> study.Scores:
    """Return the errors of all methods, a list of those of each day after the first labels came in."""
    stream = Stream(case, plan, seed)
    model = fit_booster(*stream.days(-stream.first, 0), plan.n_trees)
    correctors = {
        PRINTED: DriftCorrector(model, similarity="leaves", temperature=1.0, mixing=1.0, random_state=0),
        LEAVES: DriftCorrector(model, similarity="leaves", window=plan.short * ROWS, random_state=0),
        FOREST: DriftCorrector(model, similarity=ForestProximity(TREES), window=plan.short * ROWS, random_state=0),
        ALL: DriftCorrector(model, random_state=0),
        WINDOW: DriftCorrector(model, window=plan.short * ROWS, random_state=0),
    }
    for corrector in correctors.values():
        corrector.fit(*stream.days(0, 1))
    found: study.Scores = {name: {"response": [], "signal": []} for name in METHODS}
    for day in range(1, plan.used):
        X, y = stream.days(day, day + 1)
        refitted = fit_booster(*stream.days(day - plan.short, day), plan.n_trees)
        for name, method in {MODEL: model, **correctors, REFIT: refitted}.items():
            for kind, error in zip(("response", "signal"), stream.errors(day, method.predict(X)), strict=True):
                found[name][kind].append(error)
        for corrector in correctors.values():
            corrector.update(X, y)
    return found


def fit_booster(X: np.ndarray, y: np.ndarray, n_trees: int) -> Booster:
    """Return LightGBM with its default settings, which have 100 trees."""
    return LGBMRegressor(n_estimators=n_trees, verbose=-1, n_jobs=1).fit(X, y).booster_


STUDY = study.Study(Path(__file__).parent, one_stream, ("heedful", "lightgbm"))


def by_day(results: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case, stream and day; errors of the response and of the signal by method."""
    days = results.explode(list(results)).astype(float)
    number = days.groupby(level=["table", "seed"]).cumcount() + 1
    return days.set_index(number.rename("day"), append=True)


def relate(errors: pd.DataFrame) -> pd.DataFrame:
    """Return by how many per cent each method's error is above the model's, one row per case and stream."""
    means = errors.groupby(["table", "seed"]).mean()
    return 100 * (means.drop(columns=MODEL).div(means[MODEL], axis=0) - 1)


def by_block(errors: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the same for each block of days."""
    number = (errors.index.get_level_values("day") - 1) // BLOCK
    return {f"{BLOCK * k + 1}-{BLOCK * (k + 1)}": relate(part) for k, part in errors.groupby(number)}


def main_table(errors: pd.DataFrame) -> str:
    """Return a markdown table: the model's error, and how far the others are above it, in per cent."""
    percent, plain = relate(errors), errors[MODEL].groupby(["table", "seed"]).mean()
    rows = [
        [title, format_mean(plain[title], 2), *(format_mean(percent.loc[title][name], sign="+") for name in percent)]
        for title in CASES
    ]
    return pages.draw_table(["", f"{MODEL}: MSE", *(f"{name}, %" for name in percent)], rows)


def block_table(blocks: dict[str, pd.DataFrame]) -> str:
    """Return a markdown table: the same figures by blocks of days, a row for each case and method."""
    rows = [
        [title, name, *(format_mean(percent.loc[title][name], sign="+") for percent in blocks.values())]
        for title in CASES
        for name in METHODS[1:]
    ]
    return pages.draw_table(["case", "method", *blocks], rows)


def read_cost(found: pd.DataFrame, title: str) -> list[str]:
    """Return sentences: what correctors cost if nothing changes, on average, at worst, and without noise."""
    percent, signal = (relate(found[what]).loc[title] for what in ("response", "signal"))
    blocks = {days: values.loc[title] for days, values in by_block(found["response"]).items()}
    sentences = []
    tell = partial(format_mean, digits=2, sign="+")
    for name in (ALL, WINDOW, LEAVES, FOREST):
        worst = max(blocks, key=lambda days: blocks[days][name].mean())
        kept = "at most" if percent[name].mean() <= BAR else "more than"
        sentences.append(
            f"{title}: corrected {name}, costs {tell(percent[name])} % of error on average over all days, "
            f"{kept} {BAR:g} %; in the worst block, days {worst}, it costs "
            f"{tell(blocks[worst][name])} %. Measured without the noise of the response, on average "
            f"{tell(signal[name], digits=1)} %."
        )
    return sentences


def write_page(found: pd.DataFrame, plan: Plan) -> str:
    """Return the page: errors by case, what correction costs if nothing changes, and errors by blocks of days."""
    n_streams = found.index.unique("seed").size
    about = (
        f"Mean squared error over days 1 to {plan.used - 1} of {n_streams} streams of {ROWS} rows a day, seeds from 0; "
        f"of methods other than the {MODEL}, by how many per cent their error is above its error in the same stream. "
        f"Mean (standard error) over streams. Changes come on day {plan.change}. {pages.stamp(*STUDY.packages)}. This "
        "page is rewritten by `make drift_days`; the README explains the methods."
    )
    still = [title for title, case in CASES.items() if case.kind == "none"]
    costs = pages.bullets(sentence for title in still for sentence in read_cost(found, title))
    blocks = f"## By blocks of {BLOCK} days\n\n{block_table(by_block(found['response']))}"
    return pages.join("Drift, day by day", about, main_table(found["response"]), costs, blocks)


def draw_figure(found: pd.DataFrame, plan: Plan, path: Path) -> None:
    """Draw the error without noise over days, mean over streams, one panel per case."""
    means = found["signal"].groupby(["table", "day"]).mean()
    figure, axes = plt.subplots(2, len(KINDS), figsize=(9, 5.4), sharex=True, layout="constrained")
    for ax, title in zip(axes.flat, CASES, strict=True):
        for name in METHODS:
            ax.plot(means.loc[title][name], color=HUES[name], linewidth=1.5, label=name)
        if CASES[title].kind != "none":
            ax.axvline(plan.change, color=NEUTRAL, linestyle=":", linewidth=1.0, zorder=0)
        ax.set_ylim(bottom=0.0)
        place = ax.get_subplotspec()
        finish(ax, "day in use" if place.is_last_row() else "", "MSE without noise" if place.is_first_col() else "")
        ax.set_title(title, fontsize=font_size(), color=INK)
    lines, names = axes.flat[0].get_legend_handles_labels()
    figure.legend(lines, names, loc="outside lower center", ncols=3, frameon=False, fontsize=font_size())
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, plan=(Plan(), Plan(short=4, long=7, used=8, change=5, n_trees=5)))
    plt.switch_backend("Agg")
    # a case stands where other studies have a table
    found = by_day(study.run(STUDY, {title: (case, options.plan) for title, case in CASES.items()}, options))
    folder = study.publish(STUDY.home, options, write_page(found, options.plan))
    draw_figure(found, options.plan, folder / "figure.png")


if __name__ == "__main__":
    main()
