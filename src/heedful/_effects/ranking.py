"""Rows in the order of their effects: how much more the first of them gain than all, and areas under that curve."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import xlogy

SHARES = np.arange(1, 51) / 50
BAND = 0.9


class Ranked(NamedTuple):
    """Rows from the largest effect to the smallest; ``start`` is where each run of equal effects begins."""

    score: np.ndarray
    weight: np.ndarray
    groups: np.ndarray
    start: np.ndarray


class RankWeighted(NamedTuple):
    """Areas (AUTOC, Qini) with their standard errors, and the curve at some shares with its own.

    A band of ``width`` standard errors to each side holds the whole true curve with a chance of ``BAND``.
    """

    area: np.ndarray
    area_error: np.ndarray
    curve: pd.DataFrame
    width: float


def rank_rows(priority: np.ndarray, score: np.ndarray, weight: np.ndarray, groups: np.ndarray) -> Ranked:
    """Return rows sorted by priority, the largest first."""
    order = np.argsort(-priority, kind="stable")
    start = np.flatnonzero(np.r_[True, np.diff(priority[order]) != 0])
    return Ranked(score[order], weight[order], groups[order], start)


def rank_within(predicted: np.ndarray, block: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the place of rows among those of their block, from 0 to 1 by weight; equal ones share theirs."""
    order = np.lexsort((predicted, block))
    first = np.r_[True, (np.diff(predicted[order]) != 0) | (np.diff(block[order]) != 0)]
    run = np.cumsum(first) - 1
    mass = np.bincount(run, weight[order])
    owner = block[order][first]
    whole = np.bincount(owner, mass)
    before = np.cumsum(mass) - np.r_[0.0, np.cumsum(whole)][owner]
    place = np.empty(predicted.size)
    place[order] = ((before - mass / 2) / whole[owner])[run]
    return place


def weighted_share(values: np.ndarray, weight: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Return which share of values, by weight, is below each value that is queries about; half of equal ones count."""
    order = np.argsort(values, kind="stable")
    total = np.r_[0.0, np.cumsum(weight[order])]
    ends = [np.searchsorted(values[order], queries, side=side) for side in ("left", "right")]
    return (total[ends[0]] + total[ends[1]]) / (2.0 * total[-1])


def rank_weighted(ranked: Ranked, n_draws: int, seed: int) -> RankWeighted:
    """Return areas and curve, with standard errors by halves of the groups, drawn at random.

    An estimate by half of the groups, drawn without putting back, differs from that by all as much as that does from
    the truth.
    """
    estimate = measure(ranked, ranked.weight)
    rng, n_groups = np.random.default_rng(seed), int(ranked.groups.max()) + 1
    half = n_groups // 2
    drawn = np.empty((n_draws, estimate.size))
    for draw in drawn:
        inside = np.zeros(n_groups, dtype=bool)
        inside[rng.permutation(n_groups)[:half]] = True
        draw[:] = measure(ranked, ranked.weight * inside[ranked.groups])
    # halves of an odd number of groups are a little smaller
    error = drawn.std(axis=0, ddof=1) * np.sqrt(half / (n_groups - half))
    curve = pd.DataFrame({"toc": estimate[2:], "standard_error": error[2:]}, index=pd.Index(SHARES, name="share"))
    return RankWeighted(estimate[:2], error[:2], curve, _band_width(drawn[:, 2:]))


def _band_width(drawn: np.ndarray) -> float:
    """Return how many standard deviations draws of a curve leave its mean by at most, in a share ``BAND`` of them."""
    deviation = drawn.std(axis=0, ddof=1)
    known = deviation > 0
    if not known.any():
        return 0.0
    away = np.abs(drawn - drawn.mean(axis=0))[:, known] / deviation[known]
    return float(np.quantile(away.max(axis=1), BAND))


def measure(ranked: Ranked, weight: np.ndarray) -> np.ndarray:
    """Return AUTOC, Qini and the curve at ``SHARES``, under weights of the rows.

    The curve, TOC(q), is the mean score of the share q of the rows with the largest effects less that of all rows. With
    G(v) the score at share v, AUTOC, the area under it, is the integral of G(v) (-log v - 1), and Qini, the area under
    q TOC(q), that of G(v) (1/2 - v); rows of equal effects have their mean score.
    """
    mass = np.add.reduceat(weight, ranked.start)
    total = mass.sum()
    added = np.add.reduceat(weight * ranked.score, ranked.start) / total
    end = np.cumsum(mass) / total
    begin = end - mass / total
    begin[0], end[-1] = 0.0, 1.0
    level = np.divide(added * total, mass, out=np.zeros(mass.size), where=mass > 0)
    autoc = level @ (xlogy(begin, begin) - xlogy(end, end))
    qini = level @ ((end - begin) * (1.0 - begin - end)) / 2.0
    summed = np.interp(SHARES, np.r_[0.0, end], np.r_[0.0, np.cumsum(added)])
    return np.r_[autoc, qini, summed / SHARES - added.sum()]
