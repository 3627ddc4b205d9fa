"""What the errors of a league say: gains over the lasso, ranks, and who wins where beyond noise."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks import study
from benchmarks.league.methods import LASSO, OURS

# Two standard errors are beyond noise; so many points ahead of heedful, or below the lasso, are told by name
ERRORS, AHEAD, BELOW = 2.0, 10.0, 1.0
# No ratio of errors counts for more than this or less than its inverse, as some methods are exact on some tables
CAP = 100.0


class Duel(NamedTuple):
    """Tables where heedful has the smaller or the larger mean error than a rival, and those of them beyond noise."""

    won: list[str]
    lost: list[str]
    won_clearly: list[str]
    lost_clearly: list[str]


def gain_of(results: pd.DataFrame) -> pd.DataFrame:
    """Return by how many per cent errors are below the lasso's, one row per split; the lasso's own column is zero."""
    gain = study.improvement(results, LASSO).assign(**{LASSO: 0.0})
    return gain[list(results["error"])]


def typical_gain(results: pd.DataFrame) -> pd.Series:
    """Return the gain of each method by the geometric mean of error ratios, these between 1 / CAP and CAP."""
    errors = results["error"]
    ratios = np.log(errors.div(errors[LASSO], axis=0).clip(1 / CAP, CAP))
    return 100 * (1 - np.exp(ratios.groupby("table").mean().mean()))


def rank_methods(gain: pd.DataFrame) -> pd.DataFrame:
    """Return ranks by mean gain, 1 the best; one row per table, among the methods that it has."""
    return gain.groupby("table").mean().rank(axis=1, ascending=False)


def duel(gain: pd.DataFrame, rival: str) -> Duel:
    """Compare heedful with a rival on the splits that both have; with one split nothing is beyond noise."""
    gap = (gain[OURS] - gain[rival]).dropna().groupby("table")
    mean, noise = gap.mean(), ERRORS * gap.sem()
    chosen = (mean > 0, mean < 0, (mean > 0) & (mean > noise), (mean < 0) & (-mean > noise))
    return Duel(*(list(mean.index[there]) for there in chosen))


def far_ahead(gain: pd.DataFrame, points: float = AHEAD) -> dict[str, dict[str, float]]:
    """Return tables where rivals are more than some points ahead of heedful, with these rivals and their points."""
    rivals = gain.drop(columns=OURS).sub(gain[OURS], axis=0).groupby("table").mean()
    ahead = {title: row[row > points].sort_values(ascending=False) for title, row in rivals.iterrows()}
    return {title: row.to_dict() for title, row in ahead.items() if not row.empty}


def below_lasso(gain: pd.DataFrame, points: float = BELOW) -> dict[str, float]:
    """Return tables where heedful is worse than the lasso by more than some per cent, with its gain there."""
    mean = gain[OURS].groupby("table").mean()
    return mean[mean < -points].to_dict()
