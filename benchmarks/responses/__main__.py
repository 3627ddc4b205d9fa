"""Classes and survival: log loss, AUC and concordance beside the usual models, and one Newton step beside convergence.

    python -m benchmarks.responses [--runs 5] [--fresh] [--smoke]

Writes results.md beside this file; of fewer than five splits, and with ``--smoke``, under build/. Every split
halves the rows at random, classes in equal shares, and is kept in splits.jsonl, so an interrupted run goes on where
it stopped.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from benchmarks import pages, study
from benchmarks.responses.steps import SMALL as SMALL_STEPS, STEPS, step_or_converge, tabulate_seconds, tabulate_steps
from benchmarks.simulations import make_binary
from heedful import AttentionCox, AttentionLassoClassifier, LocalLasso
from heedful.datasets import make_survival

Table = Callable[[int], tuple[np.ndarray, np.ndarray]]


def bundled(load: Callable) -> Table:
    """Return a table that is the same for every seed."""
    return lambda _seed: load(return_X_y=True)


def simulated(n: int, p: int) -> Table:
    """Return the paper's setting 3 through a logistic link, drawn anew for every seed."""

    def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
        data = make_binary(n, p, random_state=seed)
        return data.X, data.y

    return draw


TABLES = {
    "breast cancer": bundled(load_breast_cancer),
    "digits": bundled(load_digits),
    "wine": bundled(load_wine),
    "iris": bundled(load_iris),
    "setting 3, logistic, 300 + 300 rows": simulated(600, 30),
    "setting 3, logistic, 1000 + 1000 rows": simulated(2000, 30),
}


def losses(y: np.ndarray, chance: np.ndarray) -> tuple[float, float]:
    """Return log loss and AUC, for several classes the mean of each against the rest."""
    chance = np.clip(chance, 1e-15, 1.0)
    chance = chance / chance.sum(axis=1, keepdims=True)
    auc = roc_auc_score(y, chance[:, 1]) if chance.shape[1] == 2 else roc_auc_score(y, chance, multi_class="ovr")
    return log_loss(y, chance), auc


def classify(draw: Table, seed: int) -> study.Scores:
    """Return log loss and AUC of each method on one split."""
    X, y = draw(seed)
    first, second, y_first, y_second = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    many = AttentionLassoClassifier(random_state=seed, n_jobs=-1).fit(first, y_first)
    others = {
        "one head": AttentionLassoClassifier(heads="single", random_state=seed, n_jobs=-1),
        "adaptive": AttentionLassoClassifier(mixing="adaptive", random_state=seed, n_jobs=-1),
        "forest": RandomForestClassifier(500, random_state=seed, n_jobs=-1),
        "LightGBM": LGBMClassifier(verbose=-1, n_jobs=2, random_state=seed),
    }
    chances = {"many heads": many.predict_proba(second), "L1 logistic": many.baseline_.predict_proba(second)}
    chances |= {name: model.fit(first, y_first).predict_proba(second) for name, model in others.items()}
    return {
        name: dict(zip(("log loss", "AUC"), losses(y_second, chance), strict=True)) for name, chance in chances.items()
    }


def survive(n: int, seed: int) -> study.Scores:
    """Return the concordance of each method on one draw of two hidden groups."""
    train, test = make_survival(n, 10, random_state=seed).split()
    methods = {
        "many heads": {},
        "one head": {"heads": "single"},
        "Cox lasso": {"mixing": 0.0},
        "many heads, converged": {"local": LocalLasso(exact=True)},
    }
    models = {name: AttentionCox(random_state=seed, n_jobs=-1, **how) for name, how in methods.items()}
    return {name: {"concordance": model.fit(train.X, train.y).score(test.X, test.y)} for name, model in models.items()}


HERE, PACKAGES = Path(__file__).parent, ("heedful", "scikit-learn", "lightgbm")
STUDIES = {
    "classes": study.Study(HERE, classify, PACKAGES),
    "steps": study.Study(HERE, step_or_converge, PACKAGES),
    "survival": study.Study(HERE, survive, PACKAGES),
}
SMALL = simulated(160, 18)
ABOUT_STEPS = (
    "Local models by one Newton step, the default, beside converged ones (`LocalLasso(exact=True)`), with shares tuned "
    "on one step or on converged heads. Loss: log loss of classes, one less the concordance of survival, one less the "
    "share of the deviance of counts that is explained. Differences are paired. CPU seconds are of one thread. "
    "Coefficients apart: median over queries of the L1 norm of the difference between the local coefficients of one "
    "step and the converged ones, in units of the latter."
)


def write_about(options: argparse.Namespace) -> str:
    """Return what leads to the page."""
    return (
        f"Mean (standard error) of {options.runs} random halves, seeds 0 to {options.runs - 1}; every method with its "
        f"defaults (forest: 500 trees). {pages.stamp(*PACKAGES)}. Run again: `make responses`. How shares are priced "
        "and guarded was chosen while looking at tables like these, these among them, so expect a little less on "
        "others."
    )


def main() -> None:
    """Run the study."""
    sizes = {"classes": (TABLES, {"small": SMALL}), "steps": (STEPS, SMALL_STEPS), "rows": (600, 160)}
    options = study.read_options(__doc__, 5, alone=True, **sizes)
    half = options.rows // 2
    tables = {
        "classes": {title: (draw,) for title, draw in options.classes.items()},
        "steps": options.steps,
        "survival": {f"two hidden groups, {half} + {half} rows": (options.rows,)},
    }
    found = {part: study.run(STUDIES[part], tables[part], options, part) for part in STUDIES}
    about = write_about(options)
    parts = [study.summarise(found["classes"][what], what, 4) for what in ("log loss", "AUC")]
    parts += [study.summarise(found["survival"]["concordance"], "concordance", 3)]
    parts += [ABOUT_STEPS, tabulate_steps(found["steps"]), tabulate_seconds(found["steps"])]
    study.publish(HERE, options, pages.join("Classes and survival", about, *parts))


if __name__ == "__main__":
    main()
