"""How much each column matters over all queries."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain._columns import attributed, read_contributions
from heedful.explain._explained import Explained


def summarise_columns(explanation: Explained, output: Any) -> pd.DataFrame:
    """Return the mean size of each column's contributions, and the parts of it, the largest first."""
    added = read_contributions(explanation, output)
    table = {"contribution": added.abs().mean().to_numpy()}
    if attributed(explanation).model is not None:
        # by the sign of the whole: sizes of parts would not add up to its size
        sign = np.sign(added.to_numpy())
        for part in ("attention", "model"):
            table[part] = (sign * read_contributions(explanation, output, part).to_numpy()).mean(axis=0)
    found = pd.DataFrame(table, added.columns.rename("feature"))
    return found.sort_values("contribution", ascending=False, kind="stable")
