"""Predictions of training rows by models that did not see them, as users read them."""

from functools import partial

import numpy as np
import pandas as pd

from heedful._explaining.tables import Frames
from heedful._flow import FittedAttention
from heedful._responses import Response, split_offset
from heedful.explain import HeldOutPredictions, Predicted, measure


def read_held_out(fitted: FittedAttention) -> HeldOutPredictions:
    """Return what models that did not see a training row predict of it, of the rows as they were given."""
    if fitted.held_out is None:
        raise ValueError(
            "`held_out` needs predictions of left-out rows, and this fit kept none: with a fixed `mixing` of one head "
            "nothing was to be chosen, and of many classes and rows there are too many numbers. Fit with "
            "`mixing='auto'`, or use `explain(X, y)` of new rows."
        )
    rows, response = fitted.rows, fitted.response
    number, *values_of_both = fitted.held_out
    offset = split_offset(rows.y[number], response.n_encoded)[1]
    given = []
    for part in values_of_both:
        values = np.full((rows.weight.size, part.shape[1]), np.nan)
        values[number] = response.expected(part, offset)
        given.append(rows.give_rows(values))
    known = np.isfinite(given[0]).all(axis=1)
    place = rows.given[known]
    y, weight = rows.response.iloc[place], rows.given_weight[place]
    own, plain = (Frames(y.index, [], response.outputs).per_output(part[known], "prediction") for part in given)
    groups = None if rows.groups is None else np.rint(rows.give_rows(rows.groups.astype(float))[known]).astype(np.int64)
    offset = split_offset(rows.y, response.n_encoded)[1]
    offset = None if offset is None else rows.give_rows(offset)[known]
    both = (np.asarray(own), np.asarray(plain))
    family, losses = fitted.problem.family, fitted.problem.family.reported_alone()
    alone: tuple[str, float, str] | None = None
    survival: partial | None = None
    if losses is not None:
        alone = (response.words.alone, float(np.average(losses, weights=rows.weight)), response.words.error)
        survival = partial(_curves, family, both)
    exposure = None if offset is None else np.exp(offset)
    predicted = Predicted(response.words, y, *both, response.classes, weight, groups, alone, survival, exposure)
    return HeldOutPredictions(
        y=y,
        prediction=own,
        baseline_prediction=plain,
        weight=pd.Series(weight, y.index, name="weight"),
        error=measure(response.words, fitted.unseen),
        mixing=fitted.tuned.mixing,
        task=response.task,
        words=response.words,
        rival=fitted.models.rival,
        predicted=predicted,
        offset=None if offset is None else pd.Series(offset, y.index, name="offset"),
    )


def _curves(family: Response, both: tuple[np.ndarray, np.ndarray], times: np.ndarray) -> list[np.ndarray]:
    return [family.survival_curves(part, times) for part in both]
