"""How much each column matters over all queries."""

from typing import Any

import numpy as np
import pandas as pd


def summarise_columns(explanation: Any, output: Any) -> pd.DataFrame:
    """Return the mean size of each column's contributions, and the parts of it, the largest first."""
    added = explanation.contributions(output)
    table = {"contribution": added.abs().mean().to_numpy()}
    if explanation.attribution().model is not None:
        # by the sign of the whole: sizes of parts would not add up to its size
        sign = np.sign(added.to_numpy())
        for part in ("attention", "model"):
            table[part] = (sign * explanation.contributions(output, part).to_numpy()).mean(axis=0)
    found = pd.DataFrame(table, added.columns.rename("feature"))
    return found.sort_values("contribution", ascending=False, kind="stable")
