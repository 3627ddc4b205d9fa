"""The rule of --task auto."""

from pathlib import Path

import pandas as pd
import pytest

from heedful.cli._errors import UserError
from heedful.cli._target import choose_task


@pytest.mark.parametrize(
    ("cells", "task"),
    [
        (["a", "b"] * 10, "classification"),
        ([True, False] * 10, "classification"),
        ([0, 1] * 5, "classification"),
        ([0.0, 1.0] * 5, "classification"),
        (list(range(10)) * 5, "classification"),
        (list(range(11)) * 5, "regression"),
        ([0, 1, 2], "regression"),
        ([0.5, 1.0] * 10, "regression"),
    ],
)
def test_text_booleans_and_few_whole_numbers_are_classes(cells, task):
    assert choose_task(Path("t.csv"), pd.Series(cells, name="y"))[0] == task


def test_dates_are_no_target():
    with pytest.raises(UserError, match=r"'y' .* dates"):
        choose_task(Path("t.csv"), pd.Series(pd.to_datetime(["2024-01-01"] * 3), name="y"))
