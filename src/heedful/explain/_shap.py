"""An explanation as shap's plots take it."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._optional import import_optional


def make_shap(added: np.ndarray, base: np.ndarray, cells: pd.DataFrame) -> Any:
    """Return shap's Explanation of contributions (n_query, n_columns), where they start, and the queries' cells."""
    return import_optional("shap", None, "to_shap").Explanation(
        values=added,
        base_values=base,
        data=np.column_stack([_as_numbers(cells.iloc[:, j]) for j in range(cells.shape[1])]),
        display_data=cells.astype(object).to_numpy(),
        feature_names=[str(name) for name in cells.columns],
    )


def _as_numbers(column: pd.Series) -> np.ndarray:
    """Return a column as numbers, which colours need: places of sorted levels for text and dates, NaN for missing."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.to_numpy(np.float64, na_value=np.nan)
    levels = pd.Categorical(column).codes
    return np.where(levels < 0, np.nan, levels).astype(np.float64)
