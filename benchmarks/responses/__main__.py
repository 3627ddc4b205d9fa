"""Classes and survival: log loss, AUC and concordance beside the usual models, and one Newton step beside convergence.

    python -m benchmarks.responses [--runs 5] [--fresh] [--smoke]

Writes results.md beside this file; of fewer than five splits, and with ``--smoke``, under build/. Every split
halves the rows at random, classes in equal shares, and is kept in build/responses, so an interrupted run goes on where
it stopped.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from benchmarks import pages, study
from heedful import AttentionCox, AttentionLassoClassifier, LocalLasso
from heedful.datasets import make_binary, make_survival

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


def step_or_converge(draw: Table, n_query: int, seed: int) -> study.Scores:
    """Compare predictions by one Newton step with those of converged local models: same heads, same shares."""
    X, y = draw(seed)
    first, second, y_first, y_second = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    second, y_second = second[:n_query], y_second[:n_query]
    labels = np.unique(y)
    found = {}
    for name, exact in (("one step", False), ("converged", True)):
        # tuning takes one step in both fits, so they choose the same heads and shares
        model = AttentionLassoClassifier(local=LocalLasso(exact=exact), random_state=seed, n_jobs=-1)
        model.fit(first, y_first).predict_proba(second[:5])
        start = time.perf_counter()
        chance = model.predict_proba(second)
        found[f"log loss, {name}"] = log_loss(y_second, chance, labels=labels)
        found[f"ms a query, {name}"] = 1e3 * (time.perf_counter() - start) / len(second)
        found[name] = model.local_models(second).local_coef.to_numpy()
    step, exact = found.pop("one step"), found.pop("converged")
    size = np.abs(exact).sum(axis=1)
    away = np.abs(step - exact).sum(axis=1)
    found["coefficients apart, %"] = 100 * np.median(away[size > 0] / size[size > 0]) if (size > 0).any() else 0.0
    return {"": found}


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
STEPS = {
    "breast cancer": (TABLES["breast cancer"], 300),
    "wine": (TABLES["wine"], 300),
    "setting 3, logistic": (simulated(600, 30), 300),
}


def tabulate_steps(found: pd.DataFrame) -> str:
    """Return a markdown table: one step beside convergence, means over splits."""
    means = found.droplevel(1, axis=1).groupby("table").mean()
    rows = [
        [title, *(f"{value:.4f}" if "loss" in name else f"{value:.2f}" for name, value in row.items())]
        for title, row in means.iterrows()
    ]
    return pages.draw_table(["one step or converged", *means], rows)


def main() -> None:
    """Run the study."""
    sizes = {"classes": (TABLES, {"small": SMALL}), "steps": (STEPS, {"small": (SMALL, 20)}), "rows": (600, 160)}
    options = study.read_options(__doc__, 5, alone=True, **sizes)
    half = options.rows // 2
    tables = {
        "classes": {title: (draw,) for title, draw in options.classes.items()},
        "steps": options.steps,
        "survival": {f"two hidden groups, {half} + {half} rows": (options.rows,)},
    }
    found = {part: study.run(STUDIES[part], tables[part], options, part) for part in STUDIES}
    about = (
        f"Mean (standard error) of {options.runs} random halves, seeds 0 to {options.runs - 1}; every method with its "
        f"defaults (forest: 500 trees). {pages.stamp(*PACKAGES)}. Run again: `make responses`. How shares are priced "
        "and guarded was chosen while looking at tables like these, these among them, so expect a little less on "
        "others."
    )
    parts = [study.summarise(found["classes"][what], what, 4) for what in ("log loss", "AUC")]
    parts += [tabulate_steps(found["steps"]), study.summarise(found["survival"]["concordance"], "concordance", 3)]
    study.publish(HERE, options, pages.join("Classes and survival", about, *parts))


if __name__ == "__main__":
    main()
