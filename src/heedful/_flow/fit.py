"""The flow: from a training table to a fitted attention model, by way of baseline, similarities, heads and shares."""

from functools import partial
from typing import NamedTuple

import numpy as np

from heedful import _blocks
from heedful._flow.adaptive import gather_errors, gather_evidence
from heedful._flow.fitted import FittedAttention
from heedful._flow.guard import heads_alone
from heedful._flow.heads import make_grid
from heedful._flow.held_out import held_out_losses, held_out_residuals, held_out_values
from heedful._flow.kinds import FittedModels, ModelKind, Run
from heedful._flow.out_of_fold import predict_out_of_fold
from heedful._flow.settings import Settings
from heedful._flow.shares import OutOfFold, Whole
from heedful._flow.similarities import check_columns, fit_similarities, score_training_rows
from heedful._flow.table import TrainingTable
from heedful._flow.tune import Tuned, choose_mixing, tune, tune_with_others
from heedful._folds import BASELINE_FOLDS, Split, even_folds, random_splits
from heedful._responses import Response


class Seeds(NamedTuple):
    """Where folds and similarities, and where the halves of the guard are drawn from."""

    folds: np.random.RandomState
    halves: np.random.RandomState


def fit_global(
    rows: TrainingTable,
    response: Response,
    kind: ModelKind,
    settings: Settings,
    n_folds: int | None,
    seed: np.random.RandomState,
    run: Run,
) -> tuple[FittedModels, list[Split]]:
    """Return the fitted global model and its folds; ``n_folds`` None stands for the baseline's own number."""
    check_columns(rows, settings.similarities)
    size, strata = rows.weight.size, response.strata(rows.y)
    splits = rows.splits or random_splits(size, n_folds or BASELINE_FOLDS, seed, strata)
    with _blocks.one_blas_thread():
        return kind.fit(rows, response, splits, run), splits


def fit_heads(
    models: FittedModels, settings: Settings, splits: list[Split], seeds: Seeds, run: Run, *, few: bool = False
) -> FittedAttention:
    """Fit similarities, try the heads on rows that were left out, and choose their shares."""
    with _blocks.one_blas_thread():
        similarities = fit_similarities(models, settings.similarities, seeds.folds, run)
        grid = make_grid(
            similarities,
            settings.temperatures,
            settings.ratios,
            anchor_weights=models.anchor_weights(similarities),
            many=settings.many,
            few=few,
            shapes=models.shapes is not None,
        )
        fixed = settings.mixing is not None and (grid.n_heads == 1 or settings.mixing == 0)
        problem = models.make_problem(grid.variants, fixed, seeds.folds)
        problem = models.narrow(problem, splits, partial(score_training_rows, models, grid))
        fitted = FittedAttention(models, problem, grid, splits)
        if fixed:
            unknown = np.full(grid.n_heads, np.nan)
            fitted.tuned = Tuned(np.full(grid.n_heads, settings.mixing), unknown, 1.0)
        else:
            oof = predict_out_of_fold(fitted, settings.out_of_bag, run)
            choose_shares(fitted, oof, settings, seeds.halves, run)
        models.finish()
    return fitted


def choose_shares(
    fitted: FittedAttention, oof: OutOfFold, settings: Settings, seed: np.random.RandomState, run: Run
) -> None:
    """Fit shares to predictions of held-out rows, and keep what adaptive mixing and intervals need."""
    models, rows = fitted.models, fitted.models.rows
    others = models.others_left_out() if settings.mixing is None and settings.mixings is None else {}
    known = oof.known(*(values[oof.number] for values in others.values()))
    whole = None if oof.whole is None else Whole(*(values[known] for values in oof.whole))
    oof = oof.part(known)._replace(whole=whole)
    others = {name: values[oof.number] for name, values in others.items()}
    plain = oof
    if others:
        tuned, oof = tune_with_others(oof, others, seed)
    elif settings.mixings is not None:
        even = rows.weight if settings.out_of_bag else even_folds(rows.weight, fitted.splits)
        tuned = choose_mixing(oof._replace(weight=even[oof.number]), settings.mixings, seed)
    else:
        tuned = tune(oof, settings.many, settings.mixing, seed)
    if settings.mixing is None:
        tuned = shrink(models, tuned, oof.baseline)
    fitted.tuned = tuned
    fitted.unseen = held_out_losses(plain, tuned.blend)
    fitted.held_out = held_out_values(plain, tuned, others)
    if settings.adaptive and tuned.share.any():
        if settings.mixings is None:
            fitted.evidence = gather_evidence(oof, tuned.share, rows.weight, tuned.mixing / tuned.guard)
        else:
            fitted.evidence = gather_errors(oof, tuned.share, rows.weight.size, (0.0, *settings.mixings))
    if settings.intervals:
        blend, splits = adapt_blend(fitted, oof, run), [] if settings.out_of_bag else fitted.splits
        fitted.residuals = held_out_residuals(fitted.response, rows.y, oof.number, blend, splits)


def shrink(models: FittedModels, tuned: Tuned, baseline: np.ndarray) -> Tuned:
    """Return shares as the models use them, and the blend that goes with these."""
    share = models.shrink(tuned.share)
    factor = share.sum() / tuned.share.sum() if tuned.share.any() else 1.0
    return tuned._replace(share=share, blend=baseline + factor * (tuned.blend - baseline))


def adapt_blend(fitted: FittedAttention, oof: OutOfFold, run: Run) -> np.ndarray:
    """Return the blend of held-out rows, with their own mixings if each query has one."""
    if fitted.evidence is None or not fitted.leaves_out:
        return fitted.tuned.blend
    mixing = fitted.adapt_left_out(oof.number, run)
    return (1 - mixing) * oof.baseline + mixing * heads_alone(oof, fitted.tuned.share)
