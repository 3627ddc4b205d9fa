"""Estimators whose input scikit-learn's checks do not make, behind input that they do."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import column_or_1d

from heedful import AttentionCox, AttentionEffect


@dataclass(eq=False, repr=False)
class NumberCox(AttentionCox):
    """A Cox model of the checks' numbers: the larger, the earlier the event."""

    def fit(self, X, y, sample_weight=None, groups=None):
        return super().fit(X, as_times(y), sample_weight, groups)

    def score(self, X, y, sample_weight=None):
        return super().score(X, as_times(y), sample_weight)


def as_times(y):
    """Return numbers as times of events; what is no list of numbers as it is."""
    if y is None:
        return None
    values = column_or_1d(y, warn=True).astype(float)
    unit = np.ptp(values) or 1.0 if values.size else 1.0
    return np.column_stack([np.ones(values.size), np.exp(-3.0 * values / unit)])


@dataclass(eq=False, repr=False)
class HalvesEffect(AttentionEffect):
    """A model of effects whose treatment is made of the checks' numbers: those above the middle were treated."""

    def fit(self, X, y, sample_weight=None, groups=None):
        treatment = np.arange(len(X)) % 2 if y is None else as_arms(y)
        return super().fit(X, y, treatment, sample_weight, groups)


def as_arms(y):
    """Return whether numbers are above the middle of those that differ; copies of a row get the same."""
    values = np.real(np.asarray(y))
    try:
        values = values.astype(float)
    except (TypeError, ValueError):
        values = np.unique(values.astype(str), return_inverse=True)[1].reshape(values.shape).astype(float)
    known = values[np.isfinite(values)]
    return np.nan_to_num(values) > np.median(np.unique(known)) if known.size else values


class RowMeans:
    """A fitted model of tables of any width."""

    def __repr__(self):
        return "RowMeans()"

    def predict(self, X):
        return np.nanmean(np.asarray(X, dtype=float), axis=1)
