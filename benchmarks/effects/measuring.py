"""One draw: the errors of a method's effects, and what its intervals hold."""

from functools import cache

import numpy as np

from benchmarks import study
from benchmarks.effects.methods import METHODS, ONE, Answer
from heedful.datasets import make_effects

# Rows that tell the average effect of a setup.
MANY = 1_000_000


@cache
def true_average(setup: str) -> float:
    """Return the average effect of a setup."""
    return float(make_effects(setup, MANY, random_state=0).effect.mean())


def one_draw(setup: str, n: int, n_test: int, seed: int, *, name: str) -> study.Scores:
    """Return the error of a method's effects on fresh rows, and how many true ones its intervals hold."""
    train, test = make_effects(setup, n + n_test, random_state=seed).split(n)
    answer = METHODS[name].ask(train, test.X, seed)
    found = {name: judge(answer, test.effect)}
    if answer.average is not None:
        effect, low, high = answer.average
        found[ONE] = judge(Answer(np.full(n_test, effect)), test.effect)
        found[ONE] |= {"average inside": float(low <= true_average(setup) <= high), "average width": high - low}
    return found


def judge(answer: Answer, truth: np.ndarray) -> dict[str, float]:
    """Return root mean squared error, and of intervals how many hold the truth and how wide they are."""
    found = {"error": float(np.sqrt(np.mean((answer.effect - truth) ** 2)))}
    if answer.interval is not None:
        low, high = answer.interval.T
        found |= {"inside": float(np.mean((low <= truth) & (truth <= high))), "width": float(np.mean(high - low))}
    return found
