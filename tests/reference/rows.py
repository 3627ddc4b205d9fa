"""Responses with rows, in few words."""

import numpy as np

from heedful._responses import (
    Classification,
    CountsOrCosts,
    Effect,
    Regression,
    ServedCosts,
    SurvivalTimes,
    with_offset,
)


def numbers_of(y, center=0.0, unit=1.0, *, kind=Regression):
    """Return numbers whose linear predictor has this centre and unit."""
    return kind().with_rows(np.asarray(y)).scaled(center, unit)


def pseudo_outcomes_of(y):
    """Return pseudo-outcomes of effects."""
    return Effect().with_rows(np.column_stack([y, np.abs(y)]))


def classes_of(y, n_classes, *, symmetric=False, offset=None, kind=Classification):
    """Return classes by number."""
    return kind(np.arange(n_classes), symmetric=symmetric).with_rows(with_offset(np.asarray(y), offset))


def costs_of(y, power, offset=None, *, kind=CountsOrCosts):
    """Return counts or costs."""
    return kind(power).with_rows(with_offset(np.asarray(y), offset))


def served_costs_of(y, power):
    """Return counts or costs that a fitted model predicts."""
    return ServedCosts(power).with_rows(np.asarray(y))


def survival_of(event, time):
    """Return events and times."""
    return SurvivalTimes().with_rows(np.column_stack([event, time]))
