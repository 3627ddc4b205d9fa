"""Weights of one query times a kernel of the distance, row by row; a slow twin of ``NearSimilarity``."""

import numpy as np

from reference.weights import equal_weights


def near_weights(name, score, leaf, distance, width, prior, temperature=np.nan):
    """Return ``prior * weight * exp(-distance / width)``, normalised, in logarithms so that nothing is lost."""
    logs = np.full(score.size, -np.inf)
    for i in range(score.size):
        value = {"softmax": None, "kernel": None, "share": score[i], "leaf": leaf[i]}[name]
        if score[i] == -np.inf or prior[i] <= 0 or (value is not None and not value > 0):
            continue
        own = score[i] / temperature if name == "softmax" else 0.0 if name == "kernel" else np.log(value)
        logs[i] = np.log(prior[i]) + own - distance[i] / width
    if not np.isfinite(logs).any():
        return equal_weights(score, prior)
    weight = np.exp(logs - logs.max())
    return weight / weight.sum()


def distances(query, train):
    """Return Euclidean distances (n_query, n_train), pair by pair."""
    return np.array([[np.sqrt(((one - other) ** 2).sum()) for other in train] for one in query])
