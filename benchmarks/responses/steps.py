"""One Newton step beside converged local models: loss of unseen rows, CPU seconds, how far coefficients are apart."""

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks import pages, study
from benchmarks.simulations import make_binary
from heedful import AttentionCox, AttentionGLM, AttentionLassoClassifier, LocalLasso
from heedful.datasets import make_claims, make_survival

# From a seed to training rows, responses and arguments of fit, and the same of unseen rows
Draw = Callable[[int], tuple[tuple[Any, Any, dict], tuple[Any, Any, dict]]]


def halved(X: Any, y: np.ndarray, seed: int) -> tuple:
    """Return two halves with equal shares of classes."""
    first, second, y_first, y_second = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    return (first, y_first, {}), (second, y_second, {})


def bundled(load: Callable) -> Draw:
    """Return a table of scikit-learn's, cut in halves anew for every seed."""
    X, y = load(return_X_y=True)
    return lambda seed: halved(X, y, seed)


def binary(n: int, p: int) -> Draw:
    """Return the paper's setting 3 through a logistic link."""

    def draw(seed: int) -> tuple:
        data = make_binary(n, p, random_state=seed)
        return halved(data.X, data.y, seed)

    return draw


def survival(n: int) -> Draw:
    """Return survival times of two hidden groups."""

    def draw(seed: int) -> tuple:
        train, test = make_survival(n, 10, random_state=seed).split()
        return (train.X, train.y, {}), (test.X, test.y, {})

    return draw


def counts(n: int) -> Draw:
    """Return claims of policies that were in force for part of a year."""

    def draw(seed: int) -> tuple:
        data = make_claims(n, random_state=seed)
        rows = np.array_split(np.random.default_rng(seed).permutation(n), 2)
        return tuple((data.X.iloc[part], data.counts[part], {"exposure": data.exposure[part]}) for part in rows)

    return draw


STEPS: dict[str, tuple[Any, Draw]] = {
    "breast cancer": (AttentionLassoClassifier, bundled(load_breast_cancer)),
    "iris": (AttentionLassoClassifier, bundled(load_iris)),
    "wine": (AttentionLassoClassifier, bundled(load_wine)),
    "setting 3, logistic, 300 + 300 rows": (AttentionLassoClassifier, binary(600, 30)),
    "survival, 300 + 300 rows": (AttentionCox, survival(600)),
    "claims, 500 + 500 rows": (AttentionGLM, counts(1000)),
}
SMALL = {"small": (AttentionLassoClassifier, binary(160, 18))}
# The ways, and what `exact` is in each
WAYS, EXACT = ("one step", "converged", "converged, tuned so"), (False, True, "tuning")


def loss_of(model: Any, X: Any, y: Any, given: dict) -> float:
    """Return the log loss of classes; one less the concordance of survival, or the share of the deviance explained."""
    if isinstance(model, AttentionLassoClassifier):
        return log_loss(y, model.predict_proba(X), labels=model.classes_)
    return 1.0 - model.score(X, y, **given)


def step_or_converge(kind: Any, draw: Draw, seed: int) -> study.Scores:
    """Return loss, CPU seconds of fit and predict of each way, and how far its coefficients are from one step's."""
    (X, y, given), (unseen, truth, there) = draw(seed)
    found, shown = {}, {}
    # what must be compiled is no part of the seconds
    kind(local=LocalLasso(exact=True), random_state=seed, n_jobs=1).fit(X, y, **given).local_models(unseen[:3])
    for way, exact in zip(WAYS, EXACT, strict=True):
        # as many columns as one step has
        model = kind(local=LocalLasso(exact=exact, n_screened=40), random_state=seed, n_jobs=1)
        start = time.process_time()
        model.fit(X, y, **given)
        fitted = time.process_time()
        loss = loss_of(model, unseen, truth, there)
        predicted = time.process_time()
        found[way] = {"loss": loss, "fit": fitted - start, "predict": predicted - fitted, "mixing": model.mixing_}
        shown[way] = model.local_models(unseen).local_coef.to_numpy()
    size, away = np.abs(shown[WAYS[1]]).sum(axis=1), np.abs(shown[WAYS[0]] - shown[WAYS[1]]).sum(axis=1)
    apart = 100 * np.median(away[size > 0] / size[size > 0]) if (size > 0).any() else 0.0
    alone = kind(mixing=0.0, local=LocalLasso(shapes=False), random_state=seed, n_jobs=1).fit(X, y, **given)
    found["one model for all rows"] = {"loss": loss_of(alone, unseen, truth, there), "apart": apart}
    return found


def tabulate_steps(found: pd.DataFrame) -> str:
    """Return what each way loses, and what it costs beside one step."""
    loss, apart = found["loss"], found["apart"].iloc[:, 0]
    names = ["one model for all rows", *WAYS]
    rows = [
        [
            title,
            *(pages.format_mean(own[name], 4) for name in names),
            *against_one_step(own),
            f"{apart[title].mean():.0f}",
        ]
        for title, own in loss.groupby("table")
    ]
    head = ["loss of unseen rows", *names, "converged less one step", "tuned so less one step", "coefficients apart, %"]
    return pages.draw_table(head, rows)


def against_one_step(loss: pd.DataFrame) -> Iterable[str]:
    """Return the paired difference of each way to one step."""
    return [pages.format_mean(loss[way] - loss[WAYS[0]], 4, "+") for way in WAYS[1:]]


def tabulate_seconds(found: pd.DataFrame) -> str:
    """Return the CPU seconds of one step, and how many times as many the others take."""
    rows = []
    for title, own in found[["fit", "predict"]].groupby("table"):
        cells = [title]
        for part in ("fit", "predict"):
            mean = own[part].mean()
            cells += [f"{mean[WAYS[0]]:.2f}", *(f"{mean[way] / max(mean[WAYS[0]], 1e-3):.1f}" for way in WAYS[1:])]
        rows.append(cells)
    head = ["CPU seconds", "fit, one step", "times, converged", "times, tuned so"]
    return pages.draw_table([*head, "predict, one step", "times, converged", "times, tuned so"], rows)
