"""The transform of censored outcomes, time by time, from curves that are step functions."""

import numpy as np


def step(times, chance, when, before=False):
    """Return a step function that starts at 1: after the jump at ``when``, or before it."""
    value = 1.0
    for time, after in zip(times, chance, strict=True):
        if time < when or (time == when and not before):
            value = after
    return value


def remaining(times, survival, when, horizon, estimand):
    """Return the expected outcome of a row that is without event after ``when``, by its chances of events."""
    left = step(times, survival, when)
    later = [t for t in times if when < t <= horizon]
    mass = [(step(times, survival, t, before=True) - step(times, survival, t)) / left for t in later]
    none = step(times, survival, horizon) / left
    if estimand == "survival":
        return none
    return sum(m * t for m, t in zip(mass, later, strict=True)) + none * horizon


def transform(event, time, horizon, estimand, censoring, events, least=0.0):
    """Return Rubin and van der Laan's transform of one row: f / c + sum of q (dN - at risk dL) / c."""
    when, chance = censoring
    chance = np.maximum(chance, least)
    told = event or time >= horizon
    outcome = min(time, horizon) if estimand == "rmst" else float(not event)
    total = 0.0
    if told:
        total += outcome / step(when, chance, time, before=True)
    else:
        total += remaining(*events, time, horizon, estimand) / step(when, chance, time)
    before = 1.0
    for u, c in zip(when, chance, strict=True):
        if u < time or (u == time and not told):
            total -= remaining(*events, u, horizon, estimand) / c * (1 - c / before)
        before = c
    return total
