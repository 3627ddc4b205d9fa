"""The model for all rows, alone: it takes the tables of the estimator that it belongs to."""

from copy import copy
from functools import partial
from typing import Any

import numpy as np

from heedful._flow import FittedAttention
from heedful._frames import is_frame

ASKED = ("predict", "predict_proba", "predict_log_proba", "decision_function", "predict_survival_function", "score")


def ask_either(owner: Any, model: Any, name: str, X: Any, *args: Any, **known: Any) -> Any:
    """Call a method of the model if the table has the model's own columns, else that of its estimator."""
    by_model = not has_columns(owner, X) and has_columns(model, X) and hasattr(model, name)
    return getattr(model if by_model else owner, name)(X, *args, **known)


def has_columns(estimator: Any, X: Any) -> bool:
    """Return whether a table has the columns that an estimator was fitted to: as many, and of their names if any."""
    shape, names = np.shape(X), getattr(estimator, "feature_names_in_", None)
    if len(shape) != 2 or shape[1] != getattr(estimator, "n_features_in_", None):
        return False
    return names is None or not is_frame(X) or set(getattr(X, "column_names", X.columns)) == set(names)


def baseline_for_tables(estimator: Any, fitted: FittedAttention) -> Any:
    """Return the model for all rows with methods that take the tables of its estimator."""
    models = fitted.models
    if models.given:
        return models.baseline
    owner, baseline = copy(estimator), copy(models.baseline)
    owner._model = copy(fitted)
    owner._model.tuned = fitted.tuned._replace(share=np.zeros(fitted.tuned.share.size), additive=0.0, smooth=0.0)
    for name in ASKED:
        if hasattr(owner, name):
            setattr(baseline, name, partial(ask_either, owner, models.baseline, name))
    return baseline
