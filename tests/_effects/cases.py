"""Rows with effects whose truth is known."""

import numpy as np

from heedful._effects.heterogeneity import assess_heterogeneity
from heedful._effects.scores import read_rows
from heedful._effects.validation import Validation, standardise


def draw_rows(rng, n_rows=200, *, amounts=False, weighted=False, n_groups=None, spread=1.0):
    """Return rows of a study with true nuisances and true effects; ``spread`` is how far the latter differ."""
    x = rng.normal(size=n_rows)
    propensity = 1 / (1 + np.exp(-x))
    treatment = propensity + rng.normal(size=n_rows) if amounts else (rng.uniform(size=n_rows) < propensity) * 1.0
    effect = 1.0 + spread * rng.normal(size=n_rows)
    shared = np.zeros(n_rows)
    groups = None
    if n_groups is not None:
        groups = rng.integers(0, n_groups, n_rows)
        shared = rng.normal(size=n_groups)[groups]
    y = 2 * x + treatment * effect + shared + rng.normal(size=n_rows)
    weight = rng.uniform(0.2, 2.0, n_rows) if weighted else None
    outcome = 2 * x + propensity * effect
    return read_rows(y, treatment, outcome, propensity, effect, weight=weight, groups=groups)


def swap(rows):
    """Return the same study with both arms exchanged."""
    return rows._replace(treatment=1 - rows.treatment, propensity=1 - rows.propensity, effect=-rows.effect)


def rescale(rows, factor, shift=0.0):
    """Return the same study with its response in other units."""
    parts = {"y": factor * rows.y + shift, "outcome": factor * rows.outcome + shift, "effect": factor * rows.effect}
    return rows._replace(**parts)


def validated(rows, predicted=None, n_blocks=1):
    """Return rows as if they had been held out, with predicted effects, the true ones unless said, in blocks."""
    block = rows.groups % n_blocks
    found = np.array(rows.effect if predicted is None else predicted, dtype=np.float64)
    for k in range(n_blocks):
        found[block == k] = standardise(found[block == k])
    return Validation(rows, found, block)


def assess(rows, predicted=None, n_blocks=1, **how):
    """Return what held-out rows say."""
    return assess_heterogeneity(validated(rows, predicted, n_blocks), **how)
