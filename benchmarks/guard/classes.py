"""Small samples of classes: does the guard keep what is blended from being worse than the L1 logistic model."""

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from benchmarks import pages, study
from benchmarks.league.tables import cut_at_median
from benchmarks.simulations import make_binary
from benchmarks.tables import halves
from heedful import AttentionLassoClassifier
from heedful._flow import guard, tune
from heedful._flow.shares import OutOfFold

SIZES, OTHERS, FEWEST_OTHERS = (60, 90, 130, 200), 300, 40
# How many mistakes a guard thinks may not have been seen, and from which gain on, in standard errors, it lets anything
# through
GUARDS = {
    "as for numbers": (0.0, -1.0),
    "half a mistake unseen": (0.5, -1.0),
    "one mistake unseen": (1.0, -1.0),
    "two mistakes unseen": (2.0, -1.0),
    "nothing up to 0 errors": (0.0, 0.0),
    "one unseen, nothing up to 0": (1.0, 0.0),
}
PLAIN, DEFAULT = "as for numbers", "one mistake unseen"
# A loss on other rows of more than 1 % is beyond noise if it is more than two standard errors of theirs
NOISE, SMALL = 2.0, 1.01
# Training rows, their classes, other rows and theirs
Sample = tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]
Draw = Callable[[int, int], Sample]


def named(X: Any) -> pd.DataFrame:
    """Return a frame with names of columns that are text."""
    return X if isinstance(X, pd.DataFrame) else pd.DataFrame(X).add_prefix("x")


def table(X: Any, y: np.ndarray) -> Draw:
    """Return samples of the training half of a table, and the other rows of that half."""
    X = named(X)

    def draw(size: int, seed: int) -> Sample:
        half = halves(len(y), seed)[0]
        size = min(size, half.size - FEWEST_OTHERS)
        train, test = half[:size], half[size : size + OTHERS]
        return X.iloc[train], y[train], X.iloc[test], y[test]

    return draw


def simulated(make: Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]) -> Draw:
    """Return samples of a simulation, and other rows of it."""

    def draw(size: int, seed: int) -> Sample:
        X, y = make(size + OTHERS, np.random.default_rng(seed))
        return named(X[:size]), y[:size], named(X[size:]).reset_index(drop=True), y[size:]

    return draw


def draw_classes(link: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return classes with these log probabilities, up to a constant of each row."""
    return np.argmax(link + rng.gumbel(size=link.shape), axis=1)


def linear(n_classes: int, strength: float) -> Draw:
    """Return classes of a linear model of four of eight columns: heads have nothing to find."""

    def make(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X, coef = rng.normal(size=(n, 8)), strength * rng.normal(size=(4, n_classes))
        return X, draw_classes(X[:, :4] @ coef, rng)

    return simulated(make)


def regions(n_classes: int) -> Draw:
    """Return classes of two linear models, one on each side of a column."""

    def make(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        X, coef = rng.normal(size=(n, 6)), 2.0 * rng.normal(size=(2, 4, n_classes))
        links = np.einsum("ij,gjk->gik", X[:, :4], coef)
        return X, draw_classes(np.where(X[:, [0]] > 0, *links), rng)

    return simulated(make)


def like(load: Callable) -> Draw:
    """Return normal classes with means and covariances of those of a training half."""
    X, y = load(return_X_y=True)

    def draw(size: int, seed: int) -> Sample:
        half = halves(len(y), seed)[0]
        classes = [X[half][y[half] == k] for k in range(y.max() + 1)]

        def make(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
            own = rng.choice(len(classes), n, p=[len(rows) / half.size for rows in classes])
            every = [rng.multivariate_normal(rows.mean(axis=0), np.cov(rows.T), n) for rows in classes]
            return np.stack(every)[own, np.arange(n)], own

        return simulated(make)(size, seed)

    return draw


def setting_3(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the paper's setting 3 through a logistic link."""
    data = make_binary(n, 18, random_state=int(rng.integers(1 << 30)))
    return data.X, data.y


def simulations() -> dict[str, tuple[Draw]]:
    """Return what can be drawn without data."""
    draws = {
        "like iris": like(load_iris),
        "like wine": like(load_wine),
        "linear, 2 classes, weak": linear(2, 0.7),
        "linear, 2 classes, strong": linear(2, 3.0),
        "linear, 3 classes, weak": linear(3, 0.7),
        "linear, 3 classes, strong": linear(3, 3.0),
        "two regions, 2 classes": regions(2),
        "two regions, 3 classes": regions(3),
        "setting 3": simulated(setting_3),
    }
    return {title: (draw,) for title, draw in draws.items()}


def tables_of(numbers: dict[str, study.Table], thirds: tuple[str, ...]) -> dict[str, tuple[Draw]]:
    """Return samples of scikit-learn's tables, and of numbers cut at their median or in thirds."""
    X, y = load_digits(return_X_y=True)
    found = {
        "breast cancer": table(*load_breast_cancer(return_X_y=True)),
        "digits 0 to 3": table(X[y < 4], y[y < 4]),
        "digits 3 and 8": table(X[np.isin(y, (3, 8))], (y[np.isin(y, (3, 8))] == 8).astype(int)),
    }
    found |= {title: table(*own) for title, own in cut_at_median(numbers, thirds).items()}
    for title in thirds:
        X, y = numbers[title]
        found[f"{title}, thirds"] = table(X, np.searchsorted(np.quantile(y, (1 / 3, 2 / 3)), y))
    return {title: (draw,) for title, draw in found.items()}


def one_sample(draw: Draw, seed: int) -> study.Scores:
    """Return for each guard how far it goes, and what that costs other rows in units of the baseline's log loss."""
    X, y, others, truth = draw(SIZES[seed % len(SIZES)], seed)
    known = np.isin(truth, y)
    others, truth = others[known], truth[known]
    tried: list[OutOfFold] = []
    choose = tune.tune

    def look(oof: OutOfFold, *how: Any) -> tune.Tuned:
        tried.append(oof)
        return choose(oof, *how)

    with mock.patch.object(tune, "tune", look), mock.patch.object(tune, "guard_factor", return_value=1.0):
        model = AttentionLassoClassifier(random_state=seed, n_jobs=1).fit(X, y)
    blend, plain = model._fitted.tuned.blend, model._fitted.models.view(others).base
    place = np.searchsorted(model.classes_, truth)[:, None]
    whole, base = (np.take_along_axis(part, place, axis=1)[:, 0] for part in (model.predict_proba(others), plain))
    found = {}
    for name, constants in GUARDS.items():
        factor = factor_of(tried[0], blend, *constants)
        gain = np.log(base + factor * (whole - base)) - np.log(base)
        error = gain.std() / np.sqrt(gain.size)
        found[name] = {
            "factor": factor,
            "ratio": 1.0 - gain.mean() / -np.log(base).mean(),
            "errors": float(gain.mean() / error) if error > 0 else 0.0,
        }
    return found


def factor_of(oof: OutOfFold, blend: np.ndarray, unseen: float, nothing: float) -> float:
    """Return the factor of a guard with these constants."""
    with mock.patch.multiple(guard, UNSEEN_MISTAKES=unseen, NOTHING=nothing):
        return guard.guard_factor(oof, blend)


def tell(found: pd.DataFrame) -> str:
    """Return one row for each guard."""
    rows = []
    for name in found["factor"].columns:
        factor, ratio, errors = (found[what, name] for what in ("factor", "ratio", "errors"))
        lost, full = (ratio > SMALL) & (errors < -NOISE), factor >= 1
        rows.append(
            [
                name + (" (default)" if name == DEFAULT else ""),
                f"{100 * (1 - np.exp(np.log(ratio).mean())):.1f}",
                f"{100 * (ratio > SMALL).mean():.1f}",
                f"{100 * lost.mean():.1f}",
                f"{100 * (ratio.max() - 1):.0f}",
                f"{100 * (ratio[ratio > 1] - 1).mean() if (ratio > 1).any() else 0:.1f}",
                f"{full.sum()}",
                f"{100 * lost[full].mean() if full.any() else 0:.1f}",
            ]
        )
    head = ["guard", "typical gain, %", "worse by 1 %", "and beyond noise, %", "worst, %"]
    return pages.draw_table([*head, "lost where worse, %", "trusted in full", "of these worse beyond noise, %"], rows)


def describe_tables(found: pd.DataFrame) -> str:
    """Return the typical gain and the worst sample of each table, with the guard of numbers and the default."""
    names, rows = [PLAIN, DEFAULT], []
    for title, own in found.groupby("table"):
        ratio = own["ratio"][names]
        gain = 100 * (1 - np.exp(np.log(ratio).mean()))
        worst = 100 * (ratio.max() - 1)
        rows.append([title, *(f"{value:.1f}" for value in (*gain, *worst))])
    head = ["typical gain, as for numbers, %", "default, %", "worst loss, as for numbers, %", "default, %"]
    return pages.draw_table(["classes", *head], rows)
