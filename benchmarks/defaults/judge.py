"""How candidates for a default are judged: by rows of a training half that had no say in their shares."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from heedful import AttentionLasso
from heedful._flow import fit as fitting
from heedful._flow.fitted import FittedAttention
from heedful._flow.kinds import Run
from heedful._flow.shares import OutOfFold
from heedful._flow.tune import tune

FOLDS = 5
LASSO, DEFAULT = "lasso", "as it is"


def try_heads(X: pd.DataFrame, y: np.ndarray, seed: int) -> tuple[FittedAttention, OutOfFold]:
    """Return the fitted heads of the default estimator, and what they and the lasso predict of unseen rows."""
    kept = []

    def look(fitted: FittedAttention, out_of_bag: bool, run: Run) -> OutOfFold:
        kept.append((fitted, predict(fitted, out_of_bag, run)))
        return kept[0][1]

    predict = fitting.predict_out_of_fold
    with mock.patch.object(fitting, "predict_out_of_fold", look):
        AttentionLasso(random_state=seed, n_jobs=1).fit(X, y)
    return kept[0]


@contextmanager
def constants_of(constants: dict[str, Any]) -> Iterator[None]:
    """Set the constants that a candidate changes, by their full names."""
    with ExitStack() as stack:
        for target, value in constants.items():
            stack.enter_context(mock.patch(target, value))
        yield


def left_out_error(oof: OutOfFold, constants: dict[str, Any], seed: int, *, many: bool = True) -> float:
    """Return the mean squared error of rows that had no say in the shares."""
    loss = np.empty(oof.weight.size)
    for train, test in KFold(FOLDS, shuffle=True, random_state=seed).split(loss):
        with constants_of(constants):
            share = tune(oof.part(train), many, None, np.random.RandomState(seed)).share
        there = oof.part(test)
        blend = (1 - share.sum()) * there.baseline + there.heads @ share
        loss[test] = there.family.losses(blend).value
    return float(np.average(loss, weights=oof.weight))


def gains(errors: pd.DataFrame) -> pd.DataFrame:
    """Return by how many per cent of the lasso's error each candidate is below the default, one row per split."""
    percent = 100 * (1 - errors.div(errors[LASSO], axis=0))
    return percent.drop(columns=[LASSO, DEFAULT]).sub(percent[DEFAULT], axis=0)


def tell(name: str, gain: pd.Series) -> list[str]:
    """Return a line of the table: mean gain, on how many tables it is beyond two standard errors, and each table's."""
    tables = gain.groupby("table")
    mean, error = tables.mean(), tables.sem()
    better, worse = (mean > 2 * error).sum(), (mean < -2 * error).sum()
    return [name, f"{mean.mean():+.2f}", str(better), str(worse), *(f"{value:+.1f}" for value in mean)]
