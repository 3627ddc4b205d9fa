"""What a fit is given, read as the training table of an attention model."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_consistent_length

from heedful._checks import check_offset, check_weights
from heedful._flow import GivenRows, ModelKind, Settings, TrainingTable, as_frame, check_features
from heedful._folds import user_splits
from heedful._frames import count_rows
from heedful._models.recent import beside
from heedful._responses import Response, with_offset


class Offset(NamedTuple):
    """What is known of each row beside its columns: an exposure > 0, or its logarithm, an offset; or neither."""

    exposure: Any = None
    offset: Any = None

    def read(self, n_rows: int) -> np.ndarray | None:
        """Return the offsets of rows, None if there are none."""
        if self.exposure is not None and self.offset is not None:
            raise ValueError(
                "At most one of `exposure` and `offset` must be given, got both. An offset is the logarithm of an "
                "exposure: leave one out."
            )
        exposure = check_offset(self.exposure, n_rows, "exposure")
        if exposure is None:
            return check_offset(self.offset, n_rows)
        if (exposure <= 0).any():
            raise ValueError(
                f"`exposure` must be > 0, got {int((exposure <= 0).sum())} that are not; the smallest is "
                f"{exposure.min():g}. Drop those rows: nothing can be counted in no time."
            )
        return np.log(exposure)

    def added_to(self, response: pd.DataFrame) -> pd.DataFrame:
        """Return the response of rows with what was given of them."""
        known = {name: values for name, values in self._asdict().items() if values is not None}
        return beside(response, **{name: np.asarray(values, np.float64) for name, values in known.items()})


NO_OFFSET = Offset()


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
