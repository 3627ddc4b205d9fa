"""What a fit is given, read as the training table of an attention model."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length

from heedful._checks import check_weights
from heedful._flow import GivenRows, ModelKind, Settings, TrainingTable, as_frame, check_features
from heedful._folds import user_splits
from heedful._frames import count_rows
from heedful._responses import Response, with_offset
from heedful.estimators._offset import NO_OFFSET, Offset


class FitInputs(NamedTuple):
    """What a fit is given beside the rows and their response.

    ``counts`` are how many copies of itself each row stands for, if the weights do not say; ``draws`` whether equal
    rows are observations of their own, if the response does not.
    """

    sample_weight: Any
    groups: Any
    features: Any
    cv: Any
    random_state: Any
    offset: Offset = NO_OFFSET
    counts: np.ndarray | None = None
    draws: bool | None = None


def read_training_rows(
    table: pd.DataFrame | np.ndarray, y: Any, given: FitInputs, response: Response, kind: ModelKind, settings: Settings
) -> TrainingTable:
    """Return the training rows with response, weights, offsets and folds, checked."""
    encoded = response.encode(y)
    check_consistent_length(table, encoded)
    n_rows = encoded.shape[0]
    encoded = with_offset(encoded, given.offset.read(n_rows))
    sample_weight = check_weights(given.sample_weight, n_rows)
    counts = count_rows(sample_weight) if given.counts is None else given.counts
    splits = user_splits(given.cv, table, encoded.reshape(n_rows, -1)[:, 0], given.groups, counts)
    groups = None if given.groups is None else np.unique(np.asarray(given.groups), return_inverse=True)[1].ravel()
    index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(n_rows)
    return TrainingTable(
        table,
        encoded,
        response.reweigh(encoded, sample_weight),
        given.offset.added_to(as_frame(y, index)),
        check_features(given.features, table),
        GivenRows(counts, splits, groups, given.draws),
        keep_rows=any(entry.keeps_rows for entry in settings.similarities),
        keep_table=kind.keeps_table,
    )
