"""Kaplan-Meier, Harrell's index and Brier scores under censoring, row by row and time by time."""

import numpy as np


def kaplan_meier(ended, time, weight, at, *, later=None):
    """Return the share that has not ended by a time; rows ``later`` leave before others end at their time."""
    share = 1.0
    for t in sorted(set(time[time <= at])):
        there = sum(w for w, s in zip(weight, time, strict=True) if s >= t)
        if later is not None:
            there -= sum(w for w, s, gone in zip(weight, time, later, strict=True) if s == t and gone)
        gone = sum(w for w, s, e in zip(weight, time, ended, strict=True) if s == t and e)
        share *= 1 - gone / there if there > 0 else 1.0
    return share


def concordance(event, time, risk, weight):
    """Return Harrell's index pair by pair."""
    agree = pairs = 0.0
    for i in range(time.size):
        for j in range(time.size):
            if event[i] and (time[j] > time[i] or (time[j] == time[i] and not event[j])):
                pairs += weight[i] * weight[j]
                agree += weight[i] * weight[j] * ((risk[j] < risk[i]) + 0.5 * (risk[j] == risk[i]))
    return agree / pairs


def brier(event, time, survival, at, known):
    """Return the squared error of each row's survival at a time, over the chance of being followed until then.

    ``known`` are events, times and weights of the rows that censoring is learned from.
    """
    others, times, weight = known
    scores = np.zeros(time.size)
    for i in range(time.size):
        if time[i] > at:
            scores[i] = (1 - survival[i]) ** 2 / kaplan_meier(others == 0, times, weight, at, later=others > 0)
        elif event[i]:
            # the chance to be followed up to this time, but not beyond it
            just_before = np.nextafter(time[i], 0.0)
            scores[i] = survival[i] ** 2 / kaplan_meier(others == 0, times, weight, just_before, later=others > 0)
    return scores
