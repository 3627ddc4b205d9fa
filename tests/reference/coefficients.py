"""Intervals of weighted least squares by their definition: rows are left out one after the other."""

import numpy as np
from scipy import stats

from heedful._explaining.debiased import WorkingRows
from heedful._solver.table import build_table, flat_scale


def working_rows(x, responses, curves, weight):
    """Return rows with a response and a curvature for each output, as the solver keeps them."""
    tables = (
        build_table(x, y, weight, flat_scale(x.shape[1]), curve) for y, curve in zip(responses, curves, strict=True)
    )
    return WorkingRows(tuple(tables), weight, x.shape[1])


def weighted_line(x, y, weight):
    """Return intercept and slopes of weighted least squares."""
    root = np.sqrt(weight)
    return np.linalg.lstsq(np.column_stack([np.ones(len(x)), x]) * root[:, None], y * root, rcond=None)[0]


def sharpened(attention, enough=15):
    """Return weights that sum to one: attention to the largest power from 1 to 2 that leaves enough effective rows."""
    powers = [attention**power / np.sum(attention**power) for power in np.linspace(1, 2, 2001)]
    return next((weight for weight in powers[::-1] if 1 / np.sum(weight**2) >= enough), powers[0])


def line_contrasts(x, y, attention, curve, contrast):
    """Return sums of slopes and their deviations under sharpened attention; residuals are of models without the row."""
    weight = sharpened(attention)
    weight = weight * curve
    design, contrast = np.column_stack([np.ones(len(x)), x]), np.column_stack([np.zeros(len(contrast)), contrast])
    left = np.empty(len(x))
    for i in range(len(x)):
        others = np.arange(len(x)) != i
        left[i] = y[i] - design[i] @ weighted_line(x[others], y[others], weight[others])
    bread = np.linalg.pinv(design.T @ (weight[:, None] * design), rcond=1e-12)
    score = design * (weight * left)[:, None]
    covariance = bread @ (score.T @ score) @ bread
    return contrast @ weighted_line(x, y, weight), np.sqrt(np.diag(contrast @ covariance @ contrast.T))


def line_intervals(x, y, attention, curve, coverage):
    """Return slopes and half widths under sharpened attention."""
    slope, deviation = line_contrasts(x, y, attention, curve, np.eye(x.shape[1]))
    return slope, stats.norm.ppf((1 + coverage) / 2) * deviation
