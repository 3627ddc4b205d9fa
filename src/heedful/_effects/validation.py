"""Effects of rows that models have not seen, block by block: models of the blocks before one predict its effects.

Everything that chooses sees the blocks before: models of outcome and treatment, forests, penalties, shares. Given these
blocks, what the next one says is noise around its true effects, so that sums over blocks are a martingale and tests
have the level that they name (Luedtke and van der Laan 2016; Wager 2024). In K-fold cross-validation each pair of folds
enters twice, once each way, and such sums have about twice the variance that they seem to have.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from heedful._effects.nuisance import Nuisance, Rows
from heedful._effects.scores import EffectRows, read_rows
from heedful._folds import Split, group_splits, random_splits

# The first of so many parts of the rows only learn; each of the others is a block. The first block has so many folds.
PARTS, LEARN, FOLDS = 4, 2, 3
# A table needs so many observations, or groups, and each block so many of both arms.
FEWEST, FEWEST_OF_ARM = 40, 2
# Effects that differ by less, relative to their size, are taken for equal.
EQUAL = 1e-10

FitEffects = Callable[[np.ndarray, pd.DataFrame], Callable[[np.ndarray], np.ndarray]]


class Validation(NamedTuple):
    """Rows of all blocks but the first, and what models of the blocks before theirs say of them.

    ``rows.effect`` is one effect for all rows of those blocks, which doubly robust scores start from. ``predicted`` is
    the effect that they predict of the row, in standard deviations within its block.
    """

    rows: EffectRows
    predicted: np.ndarray
    block: np.ndarray


def validate(rows: Rows, nuisance: Nuisance, seed: np.random.RandomState, fit: FitEffects) -> Validation | None:
    """Return effects of blocks by models of those before; None if there are too few rows.

    ``fit`` learns effects from some observations and what is known of them, and returns what predicts others.
    """
    blocks = draw_blocks(rows, seed)
    if blocks is None:
        return None
    rows = rows._replace(splits=block_splits(rows, blocks, seed))
    if not nuisance.knows_both(rows):
        return None
    known = nuisance.expect_observations(rows)
    predicted, level = np.zeros((2, len(known)))
    for k, block in enumerate(blocks[1:], 1):
        past = np.sort(np.concatenate(blocks[:k]))
        predicted[block] = standardise(fit(past, known.iloc[past])(block))
        level[block] = one_effect(known.iloc[past], rows.observations.weight[past])
    late = np.concatenate(blocks[1:])
    number = np.repeat(np.arange(len(blocks) - 1), [block.size for block in blocks[1:]])
    groups = None if rows.groups is None else rows.groups[late]
    y, treatment, outcome, propensity = known.iloc[late].to_numpy().T
    weight = rows.observations.weight[late]
    held_out = read_rows(y, treatment, outcome, propensity, level[late], weight=weight, groups=groups)
    return Validation(held_out, predicted[late], number)


def draw_blocks(rows: Rows, seed: np.random.RandomState) -> list[np.ndarray] | None:
    """Return observations in blocks, of which the first has half of all; None if there are too few.

    Arms are spread evenly; groups of rows stay together.
    """
    treatment = rows.treatment
    if (treatment.size if rows.groups is None else np.unique(rows.groups).size) < FEWEST:
        return None
    if rows.groups is None:
        splits = random_splits(treatment.size, PARTS, seed, arms_of(rows, rows.order))
        parts = [rows.order[part.test] for part in splits]
    else:
        parts = [part.test for part in group_splits(rows.groups, PARTS, seed)]
    blocks = [np.concatenate(parts[:LEARN]), *parts[LEARN:]]
    binary = np.unique(treatment).size == 2
    counts = [np.unique(treatment[block], return_counts=True)[1] for block in blocks]
    enough = all(count.size > 1 and (not binary or count.min() >= FEWEST_OF_ARM) for count in counts)
    return blocks if enough else None


def arms_of(rows: Rows, part: np.ndarray) -> np.ndarray | None:
    """Return the arms of observations, whichever is called the treatment; None for amounts."""
    if np.unique(rows.treatment).size > 2:
        return None
    return (rows.treatment != rows.treatment[rows.order[0]])[part].astype(np.float64)


def block_splits(rows: Rows, blocks: list[np.ndarray], seed: np.random.RandomState) -> list[Split]:
    """Return splits by which each block is expected by models of those before, and the first by folds of itself."""
    first = blocks[0]
    if rows.groups is None:
        folds = random_splits(first.size, FOLDS, seed, arms_of(rows, first))
    else:
        folds = group_splits(rows.groups[first], FOLDS, seed)
    splits = [Split(first[train], first[test]) for train, test in folds]
    return splits + [Split(np.concatenate(blocks[:k]), block) for k, block in enumerate(blocks[1:], 1)]


def standardise(values: np.ndarray) -> np.ndarray:
    """Return values of mean 0 and variance 1; 0 where they do not differ."""
    away = values - values.mean()
    scale = np.sqrt(np.mean(away**2))
    return away / scale if scale > EQUAL * np.abs(values).max(initial=0.0) else np.zeros(values.size)


def one_effect(known: pd.DataFrame, weight: np.ndarray) -> float:
    """Return the one effect of all rows that fits best."""
    left = (known["treatment"] - known["propensity"]).to_numpy()
    return float((weight * left) @ (known["outcome"] - known["expected_outcome"]).to_numpy() / ((weight * left) @ left))
