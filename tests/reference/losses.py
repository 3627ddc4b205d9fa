"""Weighted losses of classes and of survival by plain loops: value, slope, curvature, and a checker of optimality.

``link`` is (n_rows, n_outputs) and weights sum to one. ``what`` holds 0/1 for binomial, class numbers for multinomial,
a pair of events and times for cox. Slopes and curvatures are those of the weighted mean loss by each row's link.
"""

import numpy as np
from scipy.special import logsumexp, softmax

from reference.lasso import weighted_lasso

KINDS = ("binomial", "multinomial", "cox")


def probabilities(kind, link):
    """Return the probability of each output's class."""
    if kind == "multinomial":
        return softmax(link, axis=1)
    return np.exp(-np.logaddexp(0.0, -link))


def happened(kind, what, n_outputs):
    """Return one 0/1 column per output."""
    return np.asarray(what)[:, None] == (np.arange(n_outputs) if kind == "multinomial" else 1)


def risk_set(time, i):
    """Return the rows that are still at risk when row ``i`` ends; ties are."""
    return np.flatnonzero(time >= time[i])


def loss(kind, link, what, weight):
    """Return the weighted mean loss."""
    if kind == "binomial":
        return weight @ (np.logaddexp(0.0, link[:, 0]) - what * link[:, 0])
    if kind == "multinomial":
        return weight @ (logsumexp(link, axis=1) - link[np.arange(len(link)), what])
    event, time = what
    total = 0.0
    for i in np.flatnonzero(event * weight):
        rows = risk_set(time, i)
        total += weight[i] * (logsumexp(link[rows, 0], b=weight[rows]) - link[i, 0])
    return total


def slope(kind, link, what, weight):
    """Return the first derivatives (n_rows, n_outputs)."""
    if kind != "cox":
        return weight[:, None] * (probabilities(kind, link) - happened(kind, what, link.shape[1]))
    return curvature(kind, link, what, weight) - (weight * what[0])[:, None]


def curvature(kind, link, what, weight):
    """Return second derivatives (n_rows, n_outputs); for cox the part that bounds them: the expected events."""
    if kind != "cox":
        chance = probabilities(kind, link)
        return weight[:, None] * chance * (1.0 - chance)
    expected, (event, time) = np.zeros(link.shape), what
    for i in np.flatnonzero(event * weight):
        rows = risk_set(time, i)
        mass = weight[rows] * np.exp(link[rows, 0] - link[rows, 0].max())
        expected[rows, 0] += weight[i] * mass / mass.sum()
    return expected


def hazard(link, what, weight):
    """Return Breslow's cumulative hazard at each row's time, of a row whose link is 0."""
    event, time = what
    total = np.zeros(time.size)
    for i in np.flatnonzero(event * weight):
        rows = risk_set(time, i)
        total[time >= time[i]] += weight[i] / (weight[rows] @ np.exp(link[rows]))
    return total


def working(kind, link, what, weight):
    """Return curvatures and the working response of a Newton step; it is the link where nothing bends."""
    curve = curvature(kind, link, what, weight)
    down = np.divide(-slope(kind, link, what, weight), curve, out=np.zeros(curve.shape), where=curve > 0)
    return curve, link + down


def newton_step(kind, X, what, weight, link, alpha, scale):
    """Return intercepts and coefficients that minimise each output's quadratic at ``link`` plus the penalty."""
    curve, response = working(kind, link, what, weight)
    steps = [weighted_lasso(X, z, c, alpha / c.sum(), scale) for z, c in zip(response.T, curve.T, strict=True)]
    return np.array([step[0] for step in steps]), np.array([step[1] for step in steps])


def objective(kind, X, what, weight, alpha, scale, intercept, coef):
    """Return the weighted mean loss plus the penalty; ``intercept`` (n_outputs,), ``coef`` (n_outputs, n_features)."""
    link = np.atleast_1d(intercept) + X @ np.atleast_2d(coef).T
    return loss(kind, link, what, weight / weight.sum()) + alpha * (scale * np.abs(coef)).sum()


def breach(kind, X, what, weight, alpha, scale, intercept, coef):
    """Return by how much the worst optimality condition is missed: 0 at the minimum."""
    weight, coef = weight / weight.sum(), np.atleast_2d(coef)
    down = -slope(kind, np.atleast_1d(intercept) + X @ coef.T, what, weight)
    pull = down.T @ (X - weight @ X)
    active = np.abs(pull - alpha * scale * np.sign(coef))
    silent = np.maximum(np.abs(pull) - alpha * scale, 0.0)
    return max(np.abs(down.sum(axis=0)).max(), np.where(coef == 0, silent, active).max(initial=0.0))
