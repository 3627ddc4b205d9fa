"""From a training table to a fitted attention model: baseline, similarities, heads, shares."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from heedful import _blocks
from heedful._attention_model.fitted import FittedAttention, HeldOutValues, UnseenResiduals
from heedful._attention_model.settings import Settings
from heedful._models.protocol import FittedModels, Look, ModelKind, Run
from heedful._responses import Measured, Response, split_offset
from heedful._solver import Classes, Family
from heedful._training_table import TrainingTable
from heedful._tuning.adaptive import gather_errors, gather_evidence
from heedful._tuning.grid import Grid, Queries, make_grid
from heedful._tuning.guard import heads_alone, mean_gain
from heedful._tuning.out_of_fold import predict_by_folds, predict_out_of_bag
from heedful._tuning.shares import OutOfFold, Whole
from heedful._tuning.tune import Tuned, choose_mixing, tune
from heedful.baseline._folds import BASELINE_FOLDS, Split, even_folds, random_splits
from heedful.similarity import Similarity
from heedful.similarity._protocol import target_of

# Probabilities of several classes by all heads are kept until shares are known, unless there are more numbers of them.
MOST_KEPT = 25_000_000


class Seeds(NamedTuple):
    """Where folds and similarities, and where the halves of the guard are drawn from."""

    folds: np.random.RandomState
    halves: np.random.RandomState


def fit_attention(
    rows: TrainingTable,
    response: Response,
    kind: ModelKind,
    settings: Settings,
    n_folds: int | None,
    seed: np.random.RandomState,
    run: Run,
) -> FittedAttention:
    """Fit the global model, then attention to it; ``n_folds`` None stands for the baseline's own number."""
    with _blocks.one_blas_thread():
        check_columns(rows, settings.similarities)
        size, strata = rows.weight.size, response.strata(rows.y)
        splits = rows.splits or random_splits(size, n_folds or BASELINE_FOLDS, seed, strata)
        models = kind.fit(rows, response, splits, run)
        return fit_heads(models, settings, splits, Seeds(seed, seed), run, few=kind.few_heads)


def fit_heads(
    models: FittedModels, settings: Settings, splits: list[Split], seeds: Seeds, run: Run, *, few: bool = False
) -> FittedAttention:
    """Fit similarities, try the heads on rows that were left out, and choose their shares."""
    similarities = fit_similarities(models, settings.similarities, seeds.folds, run)
    pulls = models.pulls(similarities)
    grids = (settings.temperatures, settings.ratios)
    shapes = models.shapes is not None
    grid = make_grid(similarities, *grids, pulls=pulls, many=settings.many, few=few, shapes=shapes)
    fixed = settings.mixing is not None and (grid.n_heads == 1 or settings.mixing == 0)
    problem = models.make_problem(grid.variants, fixed, seeds.folds)
    problem = models.narrow(problem, splits, partial(look, models, grid))
    fitted = FittedAttention(models, problem, grid, splits)
    if fixed:
        unknown = np.full(grid.n_heads, np.nan)
        fitted.tuned = Tuned(np.full(grid.n_heads, settings.mixing), unknown, 1.0)
    else:
        choose_shares(fitted, settings, seeds.halves, run)
    models.finish()
    return fitted


def check_columns(rows: TrainingTable, entries: list[Similarity]) -> None:
    """Raise, before any work, if a similarity names columns that it cannot use."""
    for entry in entries:
        names = rows.seen_names(entry.takes)
        entry.with_columns(names)
        entry.check_columns(names, rows.seen_numbers())


def fit_similarities(
    models: FittedModels, entries: list[Similarity], seed: np.random.RandomState, run: Run
) -> list[Similarity]:
    """Return the similarities fitted to the training rows; those that see the same rows share them."""
    rows = models.rows
    copies = [entry.seeded(run.n_jobs, int(seed.randint(np.iinfo(np.int32).max))) for entry in entries]
    copies = [entry.with_columns(rows.seen_names(entry.takes)) for entry in copies]
    for entry in copies:
        entry._verbose = run.verbose
    seen = models.seen(models.train_view(), [entry.takes for entry in copies])
    fits = zip(copies, seen, similarity_targets(models, copies), strict=True)
    return [entry.fit(own, target, rows.weight) for entry, own, target in fits]


def look(models: FittedModels, grid: Grid, number: np.ndarray) -> Iterator[Look]:
    """Return how training rows look at the others by each similarity, under its first weighting."""
    seen = models.seen(models.train_view(), [entry.takes for entry in grid.similarities])
    for group, rows in zip(grid.groups, seen, strict=True):
        queries = Queries(number, rows[number], number if group.similarity.leaves_out else None)
        yield Look(group.score(queries), group.weightings[0])


def similarity_targets(models: FittedModels, similarities: list[Similarity]) -> list[np.ndarray]:
    """Return what each similarity is fitted to: the response, what the baseline leaves of it, or its scores."""
    ways = {"response": models.similarity_target, "residual": models.residuals, "scores": models.scores}
    wanted = [target_of(entry) for entry in similarities]
    found = {target: ways[target]() for target in set(wanted)}
    return [found[target] for target in wanted]


def predict_unseen(fitted: FittedAttention, out_of_bag: bool, run: Run) -> OutOfFold:
    """Return what heads and global models that did not see a training row predict of it."""
    models, problem, grid, family = fitted.models, fitted.problem, fitted.grid, fitted.problem.family
    whole = family.n_values > 2 and problem.weight.size * grid.n_heads * family.n_values <= MOST_KEPT
    if out_of_bag:
        heads = predict_out_of_bag(grid, problem, fitted.splits, run, whole=whole)
    else:
        seen = models.seen(models.train_view(), [entry.takes for entry in grid.similarities])
        targets = similarity_targets(models, grid.similarities)
        heads = predict_by_folds(grid, problem, fitted.splits, seen, targets, run, whole=whole)
    baseline = models.left_out(problem, out_of_bag, run)
    every = Whole(heads, baseline) if whole else None
    observed = (family.observed(heads) if whole else heads, family.observed(baseline))
    return OutOfFold(*observed, family, models.rows.weight, grid.shaped, models.rows.groups, every)


def choose_shares(fitted: FittedAttention, settings: Settings, seed: np.random.RandomState, run: Run) -> None:
    """Try every head on rows it has not seen, fit shares, and keep what adaptive mixing and intervals need."""
    oof = predict_unseen(fitted, settings.out_of_bag, run)
    others = fitted.models.others_left_out() if settings.mixing is None and settings.mixings is None else {}
    unseen = [oof.family.observed(values) for values in others.values()]
    known = np.flatnonzero(np.isfinite(np.column_stack([oof.heads, oof.baseline, *unseen])).all(axis=1))
    baseline = oof.baseline
    if others:
        tuned, oof = tune_with_others(oof, dict(zip(others, unseen, strict=True)), known, seed)
    elif settings.mixings is not None:
        even = oof.weight if settings.out_of_bag else even_folds(oof.weight, fitted.splits)
        tuned = choose_mixing(oof._replace(weight=even).part(known), settings.mixings, seed)
    else:
        tuned = tune(oof.part(known), settings.many, settings.mixing, seed)
    if settings.mixing is None:
        tuned = shrink(fitted.models, tuned, oof.baseline[known])
    fitted.tuned = tuned
    plain = oof._replace(baseline=baseline)
    fitted.unseen = unseen_losses(plain.part(known), tuned.blend)
    fitted.held_out = keep_held_out(plain, tuned, known, others)
    if settings.adaptive and tuned.share.any():
        local = heads_alone(oof, tuned.share)
        if settings.mixings is None:
            overall = tuned.mixing / tuned.guard
            fitted.evidence = gather_evidence(oof.baseline, local, oof.family, oof.weight, overall)
        else:
            fitted.evidence = gather_errors(oof.baseline, local, oof.family, (0.0, *settings.mixings))
    if settings.intervals and isinstance(fitted.response, Measured):
        keep_residuals(fitted, fitted.response, oof, known, settings.out_of_bag, run)


def shrink(models: FittedModels, tuned: Tuned, baseline: np.ndarray) -> Tuned:
    """Return shares as the models use them, and the blend that goes with these."""
    share = models.shrink(tuned.share)
    factor = share.sum() / tuned.share.sum() if tuned.share.any() else 1.0
    return tuned._replace(share=share, blend=baseline + factor * (tuned.blend - baseline))


def unseen_losses(oof: OutOfFold, blend: np.ndarray) -> dict[str, float]:
    """Return mean losses of rows that models, and for the blend shares too, did not see, and how sure they differ.

    Losses are those that are reported; the standard error is that of the difference.
    """
    weight = oof.weight / oof.weight.sum()
    parts = {"attention": blend, "baseline": oof.baseline}
    means = {name: float(weight @ oof.family.reported(values)) for name, values in parts.items()}
    return means | {"standard_error": mean_gain(oof, blend, reported=True)[1]}


def keep_held_out(
    oof: OutOfFold, tuned: Tuned, known: np.ndarray, others: dict[str, np.ndarray]
) -> HeldOutValues | None:
    """Return what models that did not see the rows ``known`` predict of them; None if several classes are too many.

    Shares are those in which a row had no say; with three classes or more those of the model.
    """
    family = oof.family.part(known)
    if family.n_values <= 2:
        return HeldOutValues(known, values_of(family, tuned.blend), values_of(family, oof.baseline[known]))
    if oof.whole is None:
        return None
    heads, plain = (part[known] for part in oof.whole)
    rest = (1 - tuned.additive - tuned.smooth) * plain
    for name, values in others.items():
        rest = rest + getattr(tuned, name) * values[known]
    own = (1 - tuned.mixing) * rest + np.einsum("ihk,h->ik", heads, tuned.share)
    return HeldOutValues(known, own, plain)


def values_of(family: Family, observed: np.ndarray) -> np.ndarray:
    """Return values (n_rows, n_values) by what the loss looks at: a number, or the chance of the one of two classes."""
    if not isinstance(family, Classes):
        return observed[:, None]
    second = np.where(family.y == 1, observed, 1.0 - observed)
    return np.column_stack([1.0 - second, second])


def tune_with_others(
    oof: OutOfFold, others: dict[str, np.ndarray], known: np.ndarray, seed: np.random.RandomState
) -> tuple[Tuned, OutOfFold]:
    """Tune shares with other global models as more heads; return them, and the baseline that these are then a part of.

    What the heads leave is the lasso's, the additive and the smooth model's: together they are the global model.
    """
    n_heads, values = oof.heads.shape[1], np.column_stack(list(others.values()))
    shaped = np.append(oof.shaped, np.zeros(len(others), dtype=bool))
    tuned = tune(oof._replace(heads=np.column_stack([oof.heads, values]), shaped=shaped).part(known), True, None, seed)
    rest = 1.0 - tuned.share[:n_heads].sum()
    share = np.clip(tuned.share[n_heads:] / rest, 0.0, 1.0) if rest > 0 else np.zeros(len(others))
    named = dict(zip(others, share.tolist(), strict=True))
    tuned = tuned._replace(share=tuned.share[:n_heads], error=tuned.error[:n_heads], **named)
    return tuned, oof._replace(baseline=(1 - share.sum()) * oof.baseline + values @ share)


def keep_residuals(
    fitted: FittedAttention, response: Measured, oof: OutOfFold, known: np.ndarray, out_of_bag: bool, run: Run
) -> None:
    """Keep the residuals of the rows ``known``, which the blend did not see, for intervals."""
    blend = fitted.tuned.blend
    if fitted.evidence is not None and fitted.leaves_out:
        part, mixing = oof.part(known), fitted.adapt_left_out(known, run)
        blend = (1 - mixing) * part.baseline + mixing * heads_alone(part, fitted.tuned.share)
    residual, expected = np.full((2, oof.weight.size), np.nan)
    encoded = fitted.models.rows.y[known]
    residual[known] = response.residuals(encoded, blend)
    offset = split_offset(encoded, fitted.response.n_encoded)[1]
    expected[known] = fitted.response.expected(blend[:, None], offset)[:, 0]
    fitted.residuals = UnseenResiduals(residual, [] if out_of_bag else fitted.splits, expected)
