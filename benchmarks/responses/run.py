"""Classes and survival: log loss, AUC and concordance beside the usual models, and one Newton step beside convergence.

    python benchmarks/responses/run.py [--splits 5] [--smoke]

Prints the tables and writes them to results.md beside this file. ``--smoke`` runs one split of small generated tables
and writes nothing. Every split halves the rows at random, classes in equal shares.
"""

import argparse
import datetime as dt
import platform
import time
from collections.abc import Callable
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import sklearn
from lightgbm import LGBMClassifier
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

import heedful
from heedful import AttentionCox, AttentionLassoClassifier
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


def classify(X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, tuple[float, float]]:
    """Return log loss and AUC of each method on one split."""
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
    return {name: losses(y_second, chance) for name, chance in chances.items()}


def step_or_converge(X: np.ndarray, y: np.ndarray, seed: int, n_query: int) -> dict[str, float]:
    """Compare predictions by one Newton step with those of converged local models: same heads, same shares."""
    first, second, y_first, y_second = train_test_split(X, y, test_size=0.5, random_state=seed, stratify=y)
    second, y_second = second[:n_query], y_second[:n_query]
    labels = np.unique(y)
    model = AttentionLassoClassifier(random_state=seed, n_jobs=-1).fit(first, y_first)
    found = {}
    for name, exact in (("one step", False), ("converged", True)):
        model.set_params(exact=exact)
        model.predict_proba(second[:5])
        start = time.perf_counter()
        chance = model.predict_proba(second)
        found[f"log loss, {name}"] = log_loss(y_second, chance, labels=labels)
        found[f"ms a query, {name}"] = 1e3 * (time.perf_counter() - start) / len(second)
        found[name] = model.local_models(second).local_coef.to_numpy()
    step, exact = found.pop("one step"), found.pop("converged")
    size = np.abs(exact).sum(axis=1)
    away = np.abs(step - exact).sum(axis=1)
    found["coefficients apart, %"] = 100 * np.median(away[size > 0] / size[size > 0]) if (size > 0).any() else 0.0
    return found


def survive(n: int, seed: int) -> dict[str, float]:
    """Return the concordance of each method on one draw of two hidden groups."""
    train, test = make_survival(n, 10, random_state=seed).split()
    many = AttentionCox(random_state=seed, n_jobs=-1).fit(train.X, train.y)
    one = AttentionCox(heads="single", random_state=seed, n_jobs=-1).fit(train.X, train.y)
    plain = AttentionCox(mixing=0.0, random_state=seed, n_jobs=-1).fit(train.X, train.y)
    scores = {"many heads": many, "one head": one, "Cox lasso": plain}
    found = {name: model.score(test.X, test.y) for name, model in scores.items()}
    found["many heads, converged"] = many.set_params(exact=True).score(test.X, test.y)
    return found


def cells(values: pd.DataFrame, digits: int) -> list[str]:
    """Return mean (standard error) of each column."""
    if len(values) == 1:
        return [f"{value:.{digits}f}" for value in values.iloc[0]]
    return [f"{values[c].mean():.{digits}f} ({values[c].sem():.{digits}f})" for c in values]


def markdown(title: str, columns: list[str], rows: list[list[str]]) -> str:
    """Return one table."""
    lines = [f"| {title} | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def class_tables(tables: dict[str, Table], splits: int) -> str:
    """Return log losses and AUCs."""
    loss_rows, auc_rows, columns = [], [], []
    for name, draw in tables.items():
        found = [classify(*draw(seed), seed) for seed in range(splits)]
        columns = list(found[0])
        loss_rows.append([name, *cells(pd.DataFrame([{c: f[c][0] for c in columns} for f in found]), 4)])
        auc_rows.append([name, *cells(pd.DataFrame([{c: f[c][1] for c in columns} for f in found]), 4)])
        print("| " + " | ".join(loss_rows[-1]), flush=True)
    return markdown("log loss", columns, loss_rows) + "\n\n" + markdown("AUC", columns, auc_rows)


def study(tables: dict[str, Table], steps: dict[str, tuple[Table, int]], n_survival: int, splits: int) -> str:
    """Return all tables."""
    parts = [class_tables(tables, splits)]
    rows, columns = [], []
    for name, (draw, n_query) in steps.items():
        found = pd.DataFrame([step_or_converge(*draw(seed), seed, n_query) for seed in range(splits)])
        columns = list(found)
        rows.append([name, *(f"{value:.4f}" if "loss" in c else f"{value:.2f}" for c, value in found.mean().items())])
    parts.append(markdown("one step or converged", columns, rows))
    found = pd.DataFrame([survive(n_survival, seed) for seed in range(splits)])
    name = f"two hidden groups, {n_survival // 2} + {n_survival // 2} rows"
    parts.append(markdown("concordance", list(found), [[name, *cells(found, 3)]]))
    return "\n\n".join(parts)


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--smoke", action="store_true")
    options = parser.parse_args()
    if options.smoke:
        small = simulated(160, 18)
        print(study({"small": small}, {"small": (small, 20)}, 160, 1))
        return
    steps = {
        "breast cancer": (TABLES["breast cancer"], 300),
        "wine": (TABLES["wine"], 300),
        "setting 3, logistic": (simulated(600, 30), 300),
    }
    about = (
        f"Mean (standard error) of {options.splits} random halves, seeds 0 to {options.splits - 1}; every method with "
        f"its defaults (forest: 500 trees). {dt.date.today()}, heedful {heedful.__version__}, scikit-learn "
        f"{sklearn.__version__}, lightgbm {lightgbm.__version__}, Python {platform.python_version()}. Run again: "
        "`make responses`. How shares are priced and guarded was chosen while looking at tables like these, these "
        "among them, so expect a little less on others."
    )
    text = f"# Classes and survival\n\n{about}\n\n{study(TABLES, steps, 600, options.splits)}\n"
    print(text)
    (Path(__file__).parent / "results.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
