"""Fitted models that tests share: each is fitted once in a process, when the first test asks for it."""

import joblib
from sklearn.base import clone

FITTED = {}


def fitted(model, *rows, **given):
    """Return a model of these settings fitted to these rows.

    Others get the same model: it is read only. A test that changes its model, replaces what a fit calls, or compares
    two fits of equal settings and rows, calls ``fit`` itself.
    """
    key = joblib.hash((type(model), model.get_params(), rows, given))
    if key not in FITTED:
        FITTED[key] = clone(model).fit(*rows, **given)
    return FITTED[key]
