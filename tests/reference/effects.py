"""Answers about effects by their definitions: row by row, refit by refit, on copies of rows."""

import numpy as np


def score_by_arms(y, w, outcome, propensity, effect):
    """Return the augmented inverse-propensity score of one row, from the expected response in both arms."""
    treated, control = outcome + (1 - propensity) * effect, outcome - propensity * effect
    own = (y - treated) / propensity if w == 1 else -(y - control) / (1 - propensity)
    return treated - control + own


def standard_error(score, weight, groups):
    """Return the standard error of a weighted mean, by sums over groups."""
    mean = sum(weight * score) / sum(weight)
    labels = sorted(set(groups))
    total = 0.0
    for label in labels:
        total += sum(weight[i] * (score[i] - mean) for i in range(len(score)) if groups[i] == label) ** 2
    return np.sqrt(total * len(labels) / (len(labels) - 1)) / sum(weight)


def weighted_slopes(columns, target, weight):
    """Return least-squares coefficients without an intercept."""
    root = np.sqrt(weight)
    return np.linalg.lstsq(columns * root[:, None], target * root, rcond=None)[0]


def calibration(rows, predicted, block):
    """Return the slope of effects in predicted ones and its standard error by leaving each group out in turn."""
    left = rows.treatment - rows.propensity
    columns = np.column_stack([*(left * (block == k) for k in np.unique(block)), left * predicted])
    target = rows.y - rows.outcome
    slope = weighted_slopes(columns, target, rows.weight)[-1]
    away = []
    for label in np.unique(rows.groups):
        kept = rows.groups != label
        away.append(weighted_slopes(columns[kept], target[kept], rows.weight[kept])[-1] - slope)
    return slope, np.sqrt(np.sum(np.square(away)))


def targeting_curve(score, priority, share):
    """Return how much larger the mean score of the top share is than that of all; ties are treated in part."""
    mass, total = share * len(score), 0.0
    for value in sorted(set(priority), reverse=True):
        tied = [score[i] for i in range(len(score)) if priority[i] == value]
        taken = min(mass, len(tied))
        total += taken * np.mean(tied)
        mass -= taken
    return total / (share * len(score)) - np.mean(score)


def areas(score, priority, n_points=20_000):
    """Return the areas under the curve and under the curve times the share, by the midpoint rule."""
    shares = (np.arange(n_points) + 0.5) / n_points
    order = np.argsort(-priority)
    summed = np.concatenate([[0.0], np.cumsum(score[order])])
    mean = np.interp(shares * len(score), np.arange(len(score) + 1), summed) / (shares * len(score))
    curve = mean - score.mean()
    return curve.mean(), (shares * curve).mean()


def difference(column, w, weight, scale_weight):
    """Return the difference of the arms' weighted means over the pooled standard deviation before weighting."""
    means, variances = [], []
    for arm in (0, 1):
        inside = [i for i in range(len(w)) if w[i] == arm]
        means.append(sum(weight[i] * column[i] for i in inside) / sum(weight[i] for i in inside))
        base = sum(scale_weight[i] for i in inside)
        middle = sum(scale_weight[i] * column[i] for i in inside) / base
        variances.append(sum(scale_weight[i] * (column[i] - middle) ** 2 for i in inside) / base)
    return (means[1] - means[0]) / np.sqrt((variances[0] + variances[1]) / 2)
