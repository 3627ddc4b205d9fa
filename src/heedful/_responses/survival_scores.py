"""Concordance of risks with survival times, and the Kaplan-Meier estimate at a time."""

import numpy as np


def concordance(event: np.ndarray, time: np.ndarray, risk: np.ndarray, weight: np.ndarray) -> float:
    """Return Harrell's index: pairs whose earlier time is an event; equal risks count one half."""
    pairs, agree = pair_sums(event, time, risk[:, None], weight)
    if pairs.sum() == 0:
        raise ValueError("`y` must hold at least one event before another row's time: no two rows can be compared.")
    return float(agree.sum() / pairs.sum())


def concordance_gain(
    event: np.ndarray, time: np.ndarray, risks: np.ndarray, weight: np.ndarray, groups: np.ndarray | None = None
) -> tuple[float, float]:
    """Return by how much the first of two risks (n_rows, 2) has the higher index, and the standard error of that.

    Both rank the same pairs; the error is the infinitesimal jackknife's over rows, or over groups of them.
    """
    pairs, agree = pair_sums(event, time, risks, weight)
    gain = agree[:, 0] - agree[:, 1]
    mean = gain.sum() / pairs.sum()
    # each pair is counted for both of its rows
    away = (gain - mean * pairs) / (pairs.sum() / 2)
    away = away if groups is None else np.bincount(groups, weights=away)
    return float(mean), float(np.sqrt((away**2).sum()))


def pair_sums(
    event: np.ndarray, time: np.ndarray, risk: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weight of the pairs of each row that can be compared, and that of those which each risk ranks well."""
    pairs, agree = np.zeros(time.size), np.zeros(risk.shape)
    for i in np.flatnonzero(event > 0):
        later = (time > time[i]) | ((time == time[i]) & (event == 0))
        mass = weight[i] * weight[later]
        well = mass[:, None] * ((risk[later] < risk[i]) + 0.5 * (risk[later] == risk[i]))
        pairs[later] += mass
        agree[later] += well
        pairs[i] += mass.sum()
        agree[i] += well.sum(axis=0)
    return pairs, agree


def survival_at(event: np.ndarray, time: np.ndarray, weight: np.ndarray, at: float) -> tuple[float, float]:
    """Return the Kaplan-Meier estimate at a time, and Greenwood's standard error of its logarithm."""
    distinct, place = np.unique(time, return_inverse=True)
    # weights of mean one: rows are as many as they are
    weight = weight * weight.sum() / (weight**2).sum()
    there = np.cumsum(np.bincount(place, weight)[::-1])[::-1]
    gone = np.bincount(place, weight * (event > 0))
    until = (distinct <= at) & (gone > 0)
    left = np.maximum(there - gone, 0.0)
    share = float(np.prod(left[until] / there[until]))
    spread = gone[until] / np.maximum(there[until] * left[until], 1e-300)
    return share, float(np.sqrt(spread.sum())) if share > 0 else np.inf
