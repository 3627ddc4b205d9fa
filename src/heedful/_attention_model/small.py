"""Small models: of each query's model, the few columns that say most of it among the rows attended to.

A query's model is a sum of one function per column of the table: slope times value, or what the levels of a category
have, and its multiple of the column's curve. A small model is a sum of multiples of some of these functions, fitted by
least squares to the whole sum over the training rows, weighted by attention, and at the query, which counts as much as
all of them. Columns are added one by one, each time the one that leaves least.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from heedful._attention_model.attribution import curve_parts, systematic
from heedful._attention_model.pool import Pool
from heedful._attention_model.queries import Answer, Ask, QueryBatch, known_attention
from heedful._models.protocol import FittedModels, Run, View
from heedful.attention import Attention

if TYPE_CHECKING:
    from heedful._attention_model.fitted import FittedAttention

# Rows with less than this part of the largest weight of a query are not looked at.
FAINT = 1e-4
# A column whose function varies by less than this part of the sum's variance, or is a sum of others, is not added.
NOTHING = 1e-12
# Training rows, each left out, on which it is measured what small models cost.
MOST_TRIED = 300


class SmallModels(NamedTuple):
    """Small models of queries: what the functions of columns are multiplied by (n_query, n_outputs, n_columns).

    ``link`` (n_query, n_outputs) is what a small model says of its query before it is moved to the prediction,
    ``fidelity`` (n_query,) the part of the variance of the query's model among the rows attended to that it has then.
    """

    factor: np.ndarray
    link: np.ndarray
    fidelity: np.ndarray


class Price(NamedTuple):
    """Mean losses of training rows, each left out: of the whole models, of small ones, and of the global model."""

    error: float
    small_error: float
    baseline_error: float


def fit_small(
    models: FittedModels,
    attention: Attention,
    view: View,
    coef: np.ndarray,
    multiple: np.ndarray,
    link: np.ndarray,
    most: int,
) -> SmallModels:
    """Return small models of queries with slopes (n_query, n_outputs, n_names) and multiples of the curves."""
    rows = models.rows
    train, curves = models.train_design(), curve_parts(models, view)
    train_curves = curve_parts(models, View(rows.codes, train, None, np.empty((0, 0))))
    starts = np.flatnonzero(np.diff(rows.model_sources, prepend=-1))
    factor = np.zeros((*link.shape, starts.size))
    alone, fidelity = np.empty(link.shape), np.ones(len(link))
    for q in range(len(link)):
        weight = attention.row(q)
        near = np.flatnonzero(weight > FAINT * weight.max())
        weight = weight[near] / weight[near].sum()
        added = functions(train[near], train_curves[near], coef[q], multiple[q], starts)
        own = functions(view.design[[q]], curves[[q]], coef[q], multiple[q], starts)[:, 0]
        mean = np.einsum("i,kij->kj", weight, added)
        away = (added - mean[:, None]) * np.sqrt(weight)[:, None]
        apart = own - mean
        # with the query as half of the weight the mean is halfway to it
        factor[q] = choose_columns(np.concatenate([away, apart[:, None] / np.sqrt(2)], axis=1) / np.sqrt(2), most)
        total, rest = np.sum(away.sum(axis=2) ** 2), 1.0 - factor[q]
        gap = (rest * apart).sum(axis=1)
        if total > 0.0:
            fidelity[q] = 1.0 - (np.sum(np.einsum("kij,kj->ki", away, rest) ** 2) + gap @ gap) / total
        alone[q] = link[q] - gap / 2
    return SmallModels(factor, alone, fidelity)


def functions(
    design: np.ndarray, curves: np.ndarray, coef: np.ndarray, multiple: np.ndarray, starts: np.ndarray
) -> np.ndarray:
    """Return what columns of the table add in one query's model (n_outputs, n_rows, n_columns)."""
    added = np.add.reduceat(coef[:, None, :] * design, starts, axis=2)
    if curves.shape[1]:
        added += np.einsum("kl,ijl->kij", multiple, curves)
    return added


def choose_columns(functions: np.ndarray, most: int) -> np.ndarray:
    """Return the multiples of few functions nearest to the sum of all, from their values (n_outputs, n_rows, p)."""
    n_outputs, _, size = functions.shape
    total, left = functions.sum(axis=2), functions.copy()
    square = np.einsum("kij,kij->kj", functions, functions)
    least = NOTHING * max(float(np.sum(total**2)), float(square.sum()))
    chosen: list[int] = []
    for _ in range(min(most, size)):
        own, pull = np.einsum("kij,kij->kj", left, left), np.einsum("kij,ki->kj", left, total)
        usable = own > np.maximum(least, NOTHING * square)
        gain = np.where(usable, pull**2 / np.where(usable, own, 1.0), 0.0).sum(axis=0)
        gain[chosen] = 0.0
        best = int(np.argmax(gain))
        if gain[best] <= least:
            break
        chosen.append(best)
        for output in np.flatnonzero(usable[:, best]):
            unit = left[output, :, best] / np.sqrt(own[output, best])
            left[output] -= np.outer(unit, unit @ left[output])
    factor = np.zeros((n_outputs, size))
    for k in range(n_outputs):
        inside = functions[k][:, chosen]
        factor[k, chosen] = np.linalg.lstsq(inside.T @ inside, inside.T @ total[k], rcond=1e-10)[0]
    return factor


def price_of(fitted: "FittedAttention", most: int, run: Run) -> Price:
    """Return what small models cost on training rows, each left out of the rows attended to."""
    models = fitted.models
    number, share = systematic(fitted.rows.weight, MOST_TRIED)
    train = Pool(models.train_codes(), models.train_given(fitted.problem), models.given_columns).take(number)
    view = fitted.read_rows(train).view
    batch = QueryBatch(view, [number] * len(fitted.grid.groups), number)
    found = fitted.ask(batch, Ask(coef=True, attention=True), run)
    family = fitted.problem.family.part(number).scaled(0.0, 1.0)
    small = fit_answer(fitted, found, view, most)
    values = (found.value, family.values(small.link), found.base)
    return Price(*(float(share @ family.losses(family.observed(value)).value) for value in values))


def fit_answer(fitted: "FittedAttention", found: Answer, view: View, most: int) -> SmallModels:
    """Return small models of the blended models of an answer."""
    mixing, n_names = found.mixing[:, None, None], len(fitted.models.names)
    both = (1 - mixing) * fitted.base_coef + mixing * found.coef
    coef, multiple = np.split(both, [n_names], axis=2)
    link = fitted.problem.family.link_of(found.value)
    return fit_small(fitted.models, known_attention(found), view, coef, multiple, link, most)
