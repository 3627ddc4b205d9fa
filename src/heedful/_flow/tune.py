"""Choose shares: fit them to predictions of held-out rows, then shrink them by the guard."""

from typing import NamedTuple

import numpy as np

from heedful._flow.guard import cross_fit, guard_factor
from heedful._flow.shares import OutOfFold, fit_both, fit_listed, fit_one, head_errors, repeats

# Smaller shares go to the other heads: they would cost as much in every prediction.
SMALLEST = 0.02
NOTHING = np.empty(0)
# What is left of sums of shares that are all.
ROUNDING = 1e-12


class Tuned(NamedTuple):
    """Share and error of each head, how far the guard lets the blend through, and the blend's predictions.

    These are made with shares fitted without the row; empty if nothing was tried. ``additive`` and ``smooth`` are
    the shares of these models in the global model, the rest is the lasso's.
    """

    share: np.ndarray
    error: np.ndarray
    guard: float
    blend: np.ndarray = NOTHING
    additive: float = 0.0
    smooth: float = 0.0

    @property
    def mixing(self) -> float:
        """Total share of the heads; rounding must not make it more than all, or leave a trace of the baseline."""
        total = float(self.share.sum())
        return total if total < 1.0 - ROUNDING else 1.0


def tune(oof: OutOfFold, many: bool, mixing: float | None, seed: np.random.RandomState) -> Tuned:
    """Fit the shares of many heads or of the best one; ``mixing`` fixes their sum, and then no guard is asked."""
    error, kept = head_errors(oof), ~repeats(oof)
    if many and not kept.all():
        shaped = oof.shaped[kept] if oof.shaped.size else oof.shaped
        tuned = tune(oof._replace(heads=oof.heads[:, kept], shaped=shaped), many, mixing, seed)
        share = np.zeros(kept.size)
        share[kept] = tuned.share
        return tuned._replace(share=share, error=error)
    fit = fit_both if many else fit_one
    mean_share, blend = cross_fit(oof, lambda part: fit(part, mixing), seed)
    if mixing is not None:
        return Tuned(prune(fit(oof, mixing)), error, 1.0, blend)
    factor = guard_factor(oof, blend)
    share = factor * (prune(mean_share) if many else fit(oof, None))
    return Tuned(share, error, factor, oof.baseline + factor * (blend - oof.baseline))


def choose_mixing(oof: OutOfFold, mixings: tuple[float, ...], seed: np.random.RandomState) -> Tuned:
    """Choose the head and mixing of a list with the smallest error, as the paper does; no guard is asked."""
    error = head_errors(oof)

    def fit(part: OutOfFold) -> np.ndarray:
        return fit_listed(part, mixings)

    return Tuned(fit(oof), error, 1.0, cross_fit(oof, fit, seed)[1])


def prune(share: np.ndarray) -> np.ndarray:
    """Return shares of the same sum without small ones."""
    large = np.where(share >= min(SMALLEST, share.max(initial=0.0)), share, 0.0)
    return large * (share.sum() / large.sum()) if large.any() else large


def tune_with_others(
    oof: OutOfFold, others: dict[str, np.ndarray], seed: np.random.RandomState
) -> tuple[Tuned, OutOfFold]:
    """Tune shares with other global models as more heads; return them, and the baseline that these are then a part of.

    ``others`` are what these models predict of the rows (n_rows, n_values).

    What the heads leave is the lasso's, the additive and the smooth model's: together they are the global model.
    """
    n_heads, values = oof.heads.shape[1], np.column_stack([oof.family.observed(part) for part in others.values()])
    shaped = np.append(oof.shaped, np.zeros(len(others), dtype=bool))
    tuned = tune(oof._replace(heads=np.column_stack([oof.heads, values]), shaped=shaped), True, None, seed)
    rest = 1.0 - tuned.share[:n_heads].sum()
    share = np.clip(tuned.share[n_heads:] / rest, 0.0, 1.0) if rest > 0 else np.zeros(len(others))
    named = dict(zip(others, share.tolist(), strict=True))
    tuned = tuned._replace(share=tuned.share[:n_heads], error=tuned.error[:n_heads], **named)
    return tuned, oof._replace(baseline=(1 - share.sum()) * oof.baseline + values @ share)
