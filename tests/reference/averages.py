"""Average effects on an arm and where arms overlap, by their definitions."""

import numpy as np


def arm_means(rows):
    """Return what is expected of each row without and with the treatment."""
    return rows.outcome - rows.propensity * rows.effect, rows.outcome + (1 - rows.propensity) * rows.effect


def grf_average(rows, target):
    """Return grf's average_treatment_effect of an arm: the model's mean and a weighted correction."""
    control, treated = arm_means(rows)
    own = 1.0 if target == "treated" else 0.0
    n_rows, e = len(rows.y), rows.propensity
    weight = rows.weight / rows.weight.sum()
    raw = np.average(rows.effect[rows.treatment == own], weights=weight[rows.treatment == own])
    gamma = np.empty(n_rows)
    for i in range(n_rows):
        odds = e[i] / (1 - e[i]) if target == "treated" else (1 - e[i]) / e[i]
        gamma[i] = 1.0 if rows.treatment[i] == own else odds
    for arm in (0.0, 1.0):
        inside = rows.treatment == arm
        gamma[inside] /= sum(weight[inside] * gamma[inside])
    left = np.where(rows.treatment == 1, rows.y - treated, -(rows.y - control))
    return raw + sum(weight * gamma * left)


def grf_error(rows, target):
    """Return the standard error of such an average: each group's part of it, when its rows are weighed more."""
    labels, step = np.unique(rows.groups), 1e-6
    parts = []
    for label in labels:
        more, less = (
            grf_average(rows._replace(weight=np.where(rows.groups == label, factor, 1.0) * rows.weight), target)
            for factor in (1 + step, 1 - step)
        )
        parts.append((more - less) / (2 * step))
    return np.sqrt(sum(part**2 for part in parts) * len(labels) / (len(labels) - 1))


def unscaled_average(rows, target):
    """Return the same average with weights that are not scaled to a sum of their own."""
    control, treated = arm_means(rows)
    e, w = rows.propensity, rows.treatment
    if target == "treated":
        score, own = w * (rows.y - control) - (1 - w) * e / (1 - e) * (rows.y - control), w
    else:
        score, own = (1 - w) * (treated - rows.y) + w * (1 - e) / e * (rows.y - treated), 1 - w
    return sum(rows.weight * score) / sum(rows.weight * own)


def residual_regression(rows):
    """Return the slope of residuals on residuals and its sandwich error, by matrices."""
    x = np.column_stack([np.ones(len(rows.y)), rows.treatment - rows.propensity])
    y = rows.y - rows.outcome
    bread = np.linalg.inv(x.T @ (x * rows.weight[:, None]))
    coef = bread @ (x.T @ (rows.weight * y))
    left = y - x @ coef
    labels = np.unique(rows.groups)
    meat = np.zeros((2, 2))
    for label in labels:
        inside = rows.groups == label
        part = x[inside].T @ (rows.weight * left)[inside]
        meat += np.outer(part, part)
    return coef[1], np.sqrt((bread @ meat @ bread)[1, 1] * len(labels) / (len(labels) - 1))
