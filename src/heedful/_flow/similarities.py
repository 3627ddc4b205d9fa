"""Similarities fitted to the training rows: what each sees of them, and what it is fitted to."""

from collections.abc import Iterator

import numpy as np

from heedful._flow.heads import Grid, Queries
from heedful._flow.kinds import FittedModels, Run, ScoredRows
from heedful._flow.table import TrainingTable
from heedful.similarity import Similarity, target_of


def check_columns(rows: TrainingTable, similarities: list[Similarity]) -> None:
    """Raise, before any work, if a similarity names columns that it cannot use."""
    for similarity in similarities:
        names = rows.seen_names(similarity.takes)
        similarity.with_columns(names)
        similarity.check_columns(names, rows.seen_numbers())


def fit_similarities(
    models: FittedModels, similarities: list[Similarity], seed: np.random.RandomState, run: Run
) -> list[Similarity]:
    """Return the similarities fitted to the training rows; those that see the same rows share them."""
    rows = models.rows
    copies = [entry.seeded(run.n_jobs, int(seed.randint(np.iinfo(np.int32).max))) for entry in similarities]
    copies = [entry.with_columns(rows.seen_names(entry.takes)) for entry in copies]
    for entry in copies:
        entry._verbose = run.verbose
    fits = zip(copies, seen_rows(models, copies), similarity_targets(models, copies), strict=True)
    return [entry.fit(table, target, rows.weight) for entry, table, target in fits]


def seen_rows(models: FittedModels, similarities: list[Similarity]) -> list[np.ndarray]:
    """Return the training rows as each similarity sees them."""
    return models.seen(models.train_view(), [entry.takes for entry in similarities])


def similarity_targets(models: FittedModels, similarities: list[Similarity]) -> Iterator[np.ndarray]:
    """Yield what each similarity is fitted to: the response, its residuals from the global model, or its scores.

    One at a time: scores are as large as the table.
    """
    ways = {"response": models.similarity_target, "residual": models.residuals, "scores": models.scores}
    return (ways[target_of(entry)]() for entry in similarities)


def score_training_rows(models: FittedModels, grid: Grid, number: np.ndarray) -> Iterator[ScoredRows]:
    """Yield the scores of some training rows by each similarity, with its first weighting."""
    for group, rows in zip(grid.groups, seen_rows(models, grid.similarities), strict=True):
        queries = Queries(number, rows[number], number if group.similarity.leaves_out else None)
        yield ScoredRows(group.score(queries), group.weightings[0])
