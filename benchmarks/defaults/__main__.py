"""Which heads without shapes an attention lasso should try, asked of training halves: candidates change one thing.

    python -m benchmarks.defaults [--tables NAME ...] [--runs 3] [--jobs -1] [--data DIR] [--fresh] [--smoke]

All similarities of the study are tried at once on a training half: every row is predicted out of bag by every head. A
candidate is a choice among these heads and a rule for their shares, which are fitted to four fifths of the rows and
scored on the fifth, five times. Test halves are never read. Writes results.md beside this file once all is in;
of less, and with ``--smoke``, under build/. Each split is kept, so an interrupted run goes on where it stopped.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.ensemble import ExtraTreesRegressor

from benchmarks import pages, study
from benchmarks.defaults.judge import DEFAULT, LASSO, gains, left_out_error, tell
from benchmarks.simulations import make_continuous, make_high_dimensional, make_soft_clusters
from benchmarks.tables import halves, one_hot
from heedful import AttentionLasso, LocalLasso
from heedful._flow.kinds import Run
from heedful._flow.out_of_fold import predict_out_of_fold
from heedful._flow.shares import OutOfFold
from heedful.datasets import make_subgroups
from heedful.similarity import BoostedProximity, ForestProximity, TeacherSimilarity

RUNS, TREES = 3, 125
PACKAGES = ("heedful", "scikit-learn", "lightgbm")
# Rows of a training half that are used: half of those of Communities, most of the others'
MOST_ROWS = 500
FORESTS = ("smooth", "sharp", "residual", "sharp residual")
KEPT = {"temperature": (0.2, 0.05), "alpha_ratio": (np.inf, 10.0, 1.0, 0.3)}
SHARES, TUNE = "heedful._flow.shares", "heedful._flow.tune"


class Candidate(NamedTuple):
    """Similarities, what is kept of their heads where it is not the default's, constants by name, and how they ran."""

    similarities: tuple[str, ...] = FORESTS
    kept: dict[str, tuple[float, ...]] = {}  # noqa: RUF012 - never changed
    without: tuple[str, ...] = ()
    constants: dict[str, Any] = {}  # noqa: RUF012 - never changed
    many: bool = True
    limited: bool = True


def make_similarities(n_trees: int) -> dict[str, Any]:
    """Return all similarities of the study; those of the default have as many trees as asked."""
    sharp = {"max_features": 1.0, "min_samples_split": 2}
    extra = ExtraTreesRegressor(n_trees, bootstrap=True, random_state=0)
    found = {
        "smooth": ForestProximity(n_trees, min_samples_leaf=10, ranks=True),
        "sharp": ForestProximity(n_trees, ranks=True, **sharp),
        "residual": ForestProximity(n_trees, target="residual", min_samples_split=5),
        "sharp residual": ForestProximity(n_trees, target="residual", **sharp),
        "smooth, no ranks": ForestProximity(n_trees, min_samples_leaf=10),
        "sharp, no ranks": ForestProximity(n_trees, **sharp),
        "residual, ranks": ForestProximity(n_trees, target="residual", ranks=True),
        "sharp residual, ranks": ForestProximity(n_trees, target="residual", ranks=True, **sharp),
        "ranger": ForestProximity(n_trees),
        "extra trees": ForestProximity(forest=extra),
        "boosted": BoostedProximity(),
        "teacher": TeacherSimilarity(),
    }
    for factor, name in {1 / 3: "a third", 3: "thrice"}.items():
        number = max(1, round(factor * n_trees))
        found |= {f"{part}, {name}": clone(found[part]).set_params(n_estimators=number) for part in FORESTS}
    return found


def resized(name: str) -> tuple[str, ...]:
    """Return the default's forests with another number of trees."""
    return tuple(f"{part}, {name}" for part in FORESTS)


CANDIDATES = {
    DEFAULT: Candidate(),
    "smooth forest alone": Candidate(("smooth",)),
    "ranger's forest alone": Candidate(("ranger",)),
    "no forest on residuals": Candidate(("smooth", "sharp")),
    "forests on residuals only": Candidate(("residual", "sharp residual")),
    "smooth forests only": Candidate(("smooth", "residual")),
    "sharp forests only": Candidate(("sharp", "sharp residual")),
    "no sharp forest on residuals": Candidate(("smooth", "sharp", "residual")),
    "ranger's in place of the smooth": Candidate(("ranger", "sharp", "residual", "sharp residual")),
    "no ranks": Candidate(("smooth, no ranks", "sharp, no ranks", "residual", "sharp residual")),
    "ranks of residuals too": Candidate(("smooth", "sharp", "residual, ranks", "sharp residual, ranks")),
    "with ranger's": Candidate((*FORESTS, "ranger")),
    "with extra trees": Candidate((*FORESTS, "extra trees")),
    "with a booster": Candidate((*FORESTS, "boosted")),
    "with a teacher": Candidate((*FORESTS, "teacher")),
    "with booster and teacher": Candidate((*FORESTS, "boosted", "teacher")),
    "a third of the trees": Candidate(resized("a third")),
    "three times the trees": Candidate(resized("thrice")),
    "all five temperatures": Candidate(kept={"temperature": (0.3, 0.2, 0.1, 0.05, 0.03)}),
    "temperature 0.1 only": Candidate(kept={"temperature": (0.1,)}),
    "softmax only": Candidate(kept={"temperature": (0.3, 0.2, 0.1, 0.05, 0.03)}, without=("share", "leaf")),
    "no softmax": Candidate(without=("softmax",)),
    "penalty as the baseline's": Candidate(kept={"alpha_ratio": (1.0,)}),
    "3 times the penalty too": Candidate(kept={"alpha_ratio": (np.inf, 10.0, 3.0, 1.0, 0.3)}),
    "no weighted means": Candidate(kept={"alpha_ratio": (10.0, 1.0, 0.3)}),
    "weighted means only": Candidate(kept={"alpha_ratio": (np.inf,)}),
    "no price on heads": Candidate(constants={f"{SHARES}.CAUTION": 0.0}),
    "twice the price": Candidate(constants={f"{SHARES}.CAUTION": 1.0}),
    "no guard": Candidate(constants={f"{TUNE}.guard_factor": lambda *_: 1.0}),
    "no shares below 0.05": Candidate(constants={f"{TUNE}.SMALLEST": 0.05}),
    "the best head only": Candidate(many=False),
    "no limit to reach": Candidate(limited=False),
}


class Heads(NamedTuple):
    """What heads say of unseen rows, and what they are: one row per head."""

    oof: OutOfFold
    table: pd.DataFrame

    def choose(self, candidate: Candidate) -> OutOfFold:
        """Return the heads of a candidate."""
        kept, table = KEPT | candidate.kept, self.table
        temperature = table["temperature"].isin(kept["temperature"]) | (table["weighting"] != "softmax")
        # a booster and a teacher have temperatures of their own
        temperature |= table["similarity"].isin(["boosted", "teacher"])
        chosen = table["similarity"].isin(candidate.similarities) & table["alpha_ratio"].isin(kept["alpha_ratio"])
        chosen &= temperature & ~table["weighting"].isin(candidate.without)
        used = chosen.to_numpy()
        return self.oof._replace(heads=self.oof.heads[:, used], shaped=self.oof.shaped[used])


def try_heads(X: np.ndarray, y: np.ndarray, seed: int, similarities: dict[str, Any], **how: Any) -> Heads:
    """Return what all heads of some similarities say of rows that they did not see."""
    # one head would be chosen from the whole grid; without mixing none is
    how |= {"similarity": list(similarities.values()), "mixing": 0.0, "random_state": seed, "n_jobs": 1}
    fitted = AttentionLasso(heads="single", **how).fit(X, y)._model
    grid, nothing = fitted.grid, np.zeros(fitted.grid.n_heads)
    sizes = [len(group.weightings) * grid.ratios.size for group in grid.groups]
    table = grid.table(nothing, nothing).assign(similarity=np.repeat(list(similarities), sizes))
    return Heads(predict_out_of_fold(fitted, True, Run(n_jobs=1)), table)


def one_split(n_trees: int, X: pd.DataFrame, y: np.ndarray, seed: int) -> study.Scores:
    """Return the error of each candidate within a training half, and the seconds that its shares took."""
    train, _ = halves(len(y), seed)
    train = train[:MOST_ROWS]
    rows, _ = one_hot(X.iloc[train], X.iloc[train])
    similarities = make_similarities(n_trees)
    limited = try_heads(rows, y[train], seed, similarities)
    no_limit = LocalLasso(max_extrapolation=None)
    free = try_heads(rows, y[train], seed, {name: similarities[name] for name in FORESTS}, local=no_limit)
    found = {LASSO: {"error": float(limited.oof.mean_loss(limited.oof.baseline)), "seconds": 0.0}}
    for name, candidate in CANDIDATES.items():
        start = time.perf_counter()
        oof = (limited if candidate.limited else free).choose(candidate)
        error = left_out_error(oof, candidate.constants, seed, many=candidate.many)
        found[name] = {"error": error, "seconds": time.perf_counter() - start}
    return found


def other_tables() -> dict[str, study.Table]:
    """Return tables that are not the paper's: scikit-learn's, and the four simulations."""
    made: dict[str, Callable[[], Any]] = {
        "Diabetes": partial(load_diabetes, return_X_y=True),
        "Friedman 1": partial(make_friedman1, 600, noise=1.0, random_state=0),
        "Friedman 2": partial(make_friedman2, 600, noise=100.0, random_state=0),
        "Friedman 3": partial(make_friedman3, 600, noise=0.2, random_state=0),
    }
    found = {title: make() for title, make in made.items()}
    settings = [
        partial(make_continuous, shift=3.0),
        partial(make_high_dimensional, shift=4.0),
        make_subgroups,
        partial(make_soft_clusters, shift=4.0, snr=1.0),
    ]
    for number, draw in enumerate(settings, 1):
        drawn = draw(600, random_state=0)
        found[f"Setting {number}"] = (drawn.X, drawn.y)
    return {title: (pd.DataFrame(X), np.asarray(y)) for title, (X, y) in found.items()}


def write_page(results: pd.DataFrame) -> str:
    """Return the page."""
    gain = gains(results["error"])
    level = 100 * (1 - results["error"][DEFAULT] / results["error"][LASSO]).groupby("table").mean()
    own = [f"{DEFAULT}: improvement on the lasso", f"{level.mean():.1f}", "", "", *(f"{value:.1f}" for value in level)]
    rows = [own, *(tell(name, gain[name]) for name in gain)]
    about = (
        "First line: improvement of the default on the lasso in per cent, out of bag. Below: by how many points a "
        f"candidate improves more, mean over {results.index.unique('seed').size} training halves (at most {MOST_ROWS} "
        f"rows of each); shares are fitted to four fifths of the rows and scored on the fifth, five times. Test halves "
        "are never read. `better` and `worse` count tables beyond two standard errors. "
        f"{pages.stamp(*PACKAGES)}. This page is rewritten by `make defaults`."
    )
    return pages.join("Defaults", about, pages.draw_table(["candidate", "mean", "better", "worse", *level.index], rows))


def main() -> None:
    """Measure what is missing and write the page."""
    options = study.read_options(__doc__, RUNS, add=study.add_tables, trees=(TREES, 12))
    defaults = study.Study(Path(__file__).parent, partial(one_split, options.trees), PACKAGES)
    tables = study.read_tables(options) | ({} if options.smoke else other_tables())
    page = write_page(study.run(defaults, tables, options))
    study.publish(defaults.home, options, page, study.has_all_tables(options))


if __name__ == "__main__":
    main()
