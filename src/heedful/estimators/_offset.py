"""Exposures and offsets of rows, as users give them."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._checks import check_offset
from heedful._models.recent import beside


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
        columns = {
            name: np.asarray(values, np.float64) for name, values in self._asdict().items() if values is not None
        }
        return beside(response, **columns)


NO_OFFSET = Offset()
