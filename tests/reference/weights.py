"""Attention weights of one query on dense rows: softmax, share of the row sum, and leaf weights."""

import numpy as np


def softmax_weights(score, temperature, prior):
    """Return ``prior * exp(score / temperature)``, normalised; a score of -inf gives 0."""
    usable = (score > -np.inf) & (prior > 0)
    if not usable.any():
        return equal_weights(score, prior)
    weight = np.zeros(score.size)
    weight[usable] = prior[usable] * np.exp((score[usable] - score[usable].max()) / temperature)
    return weight / weight.sum()


def share_weights(score, value, prior):
    """Return ``prior * value``, normalised, where ``value`` is positive and the score is not -inf."""
    weight = np.where((value > 0) & (score > -np.inf), np.maximum(value, 0.0) * prior, 0.0)
    return weight / weight.sum() if weight.sum() > 0 else equal_weights(score, prior)


def equal_weights(score, prior):
    """Return the prior of the rows that are not masked, or of all rows if none is left."""
    weight = np.where(score == -np.inf, 0.0, prior)
    return weight / weight.sum() if weight.sum() > 0 else prior / prior.sum()


def weights_by_kind(kind, temperature, score, leaf, prior):
    """Return the weights under kernel number ``kind``: 0 softmax, 1 share, 2 leaf."""
    if kind == 0:
        return softmax_weights(score, temperature, prior)
    return share_weights(score, score if kind == 1 else leaf, prior)
