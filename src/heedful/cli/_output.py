"""What commands say: lines for people, or one JSON object for machines."""

import json
from typing import Any

import numpy as np
import pandas as pd

from heedful.cli._streams import say

__all__ = ["plain", "say", "say_json"]


def say_json(values: dict[str, Any]) -> None:
    """Write one JSON object to standard output; what JSON has no word for (NaN, infinity) becomes null."""
    say(json.dumps(plain(values), allow_nan=False, ensure_ascii=False))


def plain(value: Any) -> Any:
    """Return a value in the types of JSON."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in value.to_dict("records")]
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if isinstance(value, str | int | bool) or value is None else str(value)
