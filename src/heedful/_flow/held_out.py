"""What models that did not see the training rows predict of them: kept for intervals and for users to read."""

from typing import NamedTuple

import numpy as np

from heedful._flow.guard import mean_gain
from heedful._flow.shares import OutOfFold
from heedful._flow.tune import Tuned
from heedful._folds import Split
from heedful._responses import Response, split_offset


class HeldOutResiduals(NamedTuple):
    """Residuals of training rows by models that did not see them, and what these expected; NaN where there is none.

    With ``splits`` a row is compared with those of its training part only.
    """

    residual: np.ndarray
    splits: list[Split]
    expected: np.ndarray


class HeldOutValues(NamedTuple):
    """What models that did not see training rows, by number, predict of them: with attention and for all rows."""

    number: np.ndarray
    own: np.ndarray
    plain: np.ndarray


def held_out_losses(oof: OutOfFold, blend: np.ndarray) -> dict[str, float]:
    """Return mean losses of rows that models, and for the blend shares too, did not see, and how sure they differ.

    Losses are those that are reported; the standard error is that of the difference.
    """
    weight = oof.weight / oof.weight.sum()
    parts = {"attention": blend, "baseline": oof.baseline}
    means = {name: float(weight @ oof.family.reported(values)) for name, values in parts.items()}
    return means | {"standard_error": mean_gain(oof, blend, reported=True)[1]}


def held_out_values(oof: OutOfFold, tuned: Tuned, others: dict[str, np.ndarray]) -> HeldOutValues | None:
    """Return predictions of held-out rows; None if several classes are too many.

    Shares are fitted without the row; for multiclass classification they are those of the model.
    """
    family = oof.family
    if family.n_values <= 2:
        return HeldOutValues(oof.number, family.values_of(tuned.blend), family.values_of(oof.baseline))
    if oof.whole is None:
        return None
    heads, plain = oof.whole
    rest = (1 - tuned.additive - tuned.smooth) * plain
    for name, values in others.items():
        rest = rest + getattr(tuned, name) * values
    own = (1 - tuned.mixing) * rest + np.einsum("ihk,h->ik", heads, tuned.share)
    return HeldOutValues(oof.number, own, plain)


def held_out_residuals(
    response: Response, y: np.ndarray, known: np.ndarray, blend: np.ndarray, splits: list[Split]
) -> HeldOutResiduals | None:
    """Return residuals and expectations of the rows ``known`` by their held-out predictions; None if there are none."""
    if not response.has_intervals:
        return None
    residual, expected = np.full((2, len(y)), np.nan)
    residual[known] = response.conformity(y[known], blend)
    offset = split_offset(y[known], response.n_encoded)[1]
    expected[known] = response.expected(blend[:, None], offset)[:, 0]
    return HeldOutResiduals(residual, splits, expected)
