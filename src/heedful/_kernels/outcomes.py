"""Losses of one weighted fit on the link scale: their value, and their curvature and working response row by row.

A state holds the rows that a fit attends to. ``link`` (n_output, n_row) is the linear predictor; ``mass`` is its
exponential where a softmax or a risk set needs it. Binary outcomes have one output, classes one for each class,
survival, counts and costs one. Curvatures are upper bounds, or exact where the loss has no bound.
"""

from typing import NamedTuple

import numpy as np

from heedful._kernels._jit import one_row
from heedful._kernels.shapes import BINOMIAL, COX, MULTINOMIAL, POWER

# Smaller curvatures count as this much: where a probability is 0 or 1 to ten digits, a step would have no limit.
FLAT = 1e-10
# Linear predictors farther from 0 than this count as this much where the mean of a count or cost is taken.
LARGEST = 300.0
# A softmax whose sum leaves these bounds after a step is worked out again from its new largest term.
LOST = 1e-100
# A sum that falls to less than this part of itself is added up anew.
LITTLE = 1e-3


class State(NamedTuple):
    """Rows of one fit: outcome, time, weight (sum 1), linear predictor and what depends on it.

    ``level`` is the cumulative hazard of a row, or with classes the number taken off before exponentials; of counts and
    costs it is the logarithm of the mean. ``offset`` is what the loss adds to the linear predictor.
    """

    value: np.ndarray
    time: np.ndarray
    weight: np.ndarray
    link: np.ndarray
    mass: np.ndarray
    total: np.ndarray
    level: np.ndarray
    offset: np.ndarray
    power: float


@one_row
def class_mass_at(state, i):
    top = state.link[0, i]
    for c in range(1, state.link.shape[0]):
        top = max(top, state.link[c, i])
    state.level[i], state.total[i] = top, 0.0
    for c in range(state.link.shape[0]):
        state.mass[c, i] = np.exp(state.link[c, i] - top)
        state.total[i] += state.mass[c, i]


@one_row
def class_masses(state, k):
    """Refresh the softmax of all classes (``k`` = -1) or after a change of class ``k``.

    After a change of one class its part of the sum is exchanged, so that a round over all classes costs as many steps
    as there are classes, not the square; where little is left of the sum, it would have lost its digits.
    """
    n_class, size = state.link.shape
    for i in range(size):
        total = 0.0
        if k >= 0:
            old, before = state.mass[k, i], state.total[i]
            state.mass[k, i] = np.exp(min(state.link[k, i] - state.level[i], 500.0))
            total = before - old + state.mass[k, i]
            if total < LITTLE * before:
                total = 0.0
                for c in range(n_class):
                    total += state.mass[c, i]
            state.total[i] = total
        if not LOST < total < 1.0 / LOST:
            class_mass_at(state, i)


@one_row
def risk_masses(state):
    """Refresh risk sets and the cumulative hazard of every row (Breslow's: ties share a risk set); return the loss."""
    link, mass, total, time = state.link[0], state.mass[0], state.total, state.time
    size = link.size
    top = -np.inf
    for i in range(size):
        top = max(top, link[i])
    at_risk = 0.0
    for i in range(size - 1, -1, -1):
        mass[i] = state.weight[i] * np.exp(link[i] - top)
        at_risk += mass[i]
        total[i] = max(at_risk, 1e-300)
    loss, hazard, i = 0.0, 0.0, 0
    while i < size:
        last, events = i, 0.0
        while last < size and time[last] == time[i]:
            events += state.weight[last] * state.value[last]
            loss -= state.weight[last] * state.value[last] * link[last]
            last += 1
        if events > 0.0:
            hazard += events / total[i]
            loss += events * (np.log(total[i]) + top)
        for r in range(i, last):
            state.level[r] = hazard
        i = last
    return loss


@one_row
def power_masses(state):
    """Refresh the means of counts and costs and their logarithms."""
    for i in range(state.value.size):
        state.level[i] = min(max(state.link[0, i] + state.offset[i], -LARGEST), LARGEST)
        state.mass[0, i] = np.exp(state.level[i])


@one_row
def masses_row(kind, state, k):
    """Refresh what depends on the linear predictor after a change of output ``k`` (-1: all)."""
    if kind == MULTINOMIAL:
        class_masses(state, k)
    elif kind == BINOMIAL:
        for i in range(state.value.size):
            state.mass[0, i] = 1.0 / (1.0 + np.exp(min(-state.link[0, i] - state.offset[i], 500.0)))
    elif kind == POWER:
        power_masses(state)
    else:
        risk_masses(state)


@one_row
def deviance(value, level, power):
    """Return half the unit deviance of a count or cost whose mean has the logarithm ``level``."""
    if power == 1.0:
        away = np.exp(level) - value
        return away + value * (np.log(value) - level) if value > 0.0 else away
    if power == 2.0:
        return value * np.exp(-level) - 1.0 - np.log(value) + level
    least = value ** (2.0 - power) / ((1.0 - power) * (2.0 - power))
    away = np.exp((2.0 - power) * level) / (2.0 - power) - value * np.exp((1.0 - power) * level) / (1.0 - power)
    return away + least


@one_row
def level_row(state):
    """Add to the linear predictor of counts and costs what makes it fit best; return how much that was."""
    seen, expected = 0.0, 0.0
    for i in range(state.value.size):
        level = min(max(state.link[0, i] + state.offset[i], -LARGEST), LARGEST)
        share = state.weight[i] * np.exp((1.0 - state.power) * level)
        seen += share * state.value[i]
        expected += share * np.exp(level)
    move = np.log(seen / expected)
    for i in range(state.value.size):
        state.link[0, i] += move
    return move


@one_row
def working_power_row(state, curve, response, column):
    """Write weight x curvature and the working response of counts and costs; return the sum of the former.

    Curvatures are exact, but for those that are next to nothing beside their mean.
    """
    power, total = state.power, 0.0
    for i in range(state.value.size):
        up = np.exp((2.0 - power) * state.level[i])
        down = state.value[i] * np.exp((1.0 - power) * state.level[i])
        curve[i] = state.weight[i] * ((2.0 - power) * up + (power - 1.0) * down)
        response[i, column] = state.weight[i] * (down - up)
        total += curve[i]
    least = FLAT * total
    for i in range(state.value.size):
        floor = least * state.weight[i]
        total += max(floor - curve[i], 0.0)
        curve[i] = max(curve[i], floor)
        response[i, column] = state.link[0, i] + (response[i, column] / curve[i] if curve[i] > 0.0 else 0.0)
    return total


@one_row
def loss_row(kind, state, k):
    """Refresh what depends on the linear predictor after a change of output ``k`` (-1: all); return the loss."""
    if kind == COX:
        return risk_masses(state)
    masses_row(kind, state, k)
    loss = 0.0
    for i in range(state.value.size):
        if kind == MULTINOMIAL:
            away = np.log(state.total[i]) + state.level[i] - state.link[int(state.value[i]), i]
        elif kind == POWER:
            away = deviance(state.value[i], state.level[i], state.power)
        else:
            link = state.link[0, i] + state.offset[i]
            away = np.log1p(np.exp(-abs(link))) + max(link, 0.0) - state.value[i] * link
        loss += state.weight[i] * away
    return loss


@one_row
def working_row(kind, state, k, curve, response, column):
    """Write weight x curvature and the working response of output ``k``; return the sum of the former."""
    if kind == POWER:
        return working_power_row(state, curve, response, column)
    total = 0.0
    for i in range(state.value.size):
        weight, link = state.weight[i], state.link[k, i]
        if kind != COX:
            chance = state.mass[k, i] if kind == BINOMIAL else state.mass[k, i] / state.total[i]
            happened = state.value[i] if kind == BINOMIAL else (1.0 if state.value[i] == k else 0.0)
            curvature = max(chance * (1.0 - chance), FLAT)
            curve[i] = weight * curvature
            response[i, column] = link + (happened - chance) / curvature
        else:
            curve[i] = state.mass[0, i] * state.level[i]
            slope = weight * state.value[i] - curve[i]
            response[i, column] = link + slope / curve[i] if curve[i] > 0.0 else link
        total += curve[i]
    return total
