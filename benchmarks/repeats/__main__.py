"""Tables whose rows repeat: what is learned of them, and whether the held-out error is that of new rows.

    python -m benchmarks.repeats [--runs 20] [--jobs -1] [--fresh] [--smoke]

Tables of factors alone, each also with a column of noise, so that no two rows are equal; and visits of patients whose
response is noise. Writes results.md beside this file; of fewer draws, and with ``--smoke``, under build/. Each draw is
kept in splits.jsonl, so an interrupted run goes on where it stopped.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import statsmodels.api as sm
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor
from sklearn.metrics import log_loss, mean_poisson_deviance

from benchmarks import pages, study
from heedful import AttentionCox, AttentionEffect, AttentionGLM, AttentionLasso, AttentionLassoClassifier

RUNS, N_NEW, N_PATIENTS, N_VISITS = 20, 4000, 40, 30
OURS, NOISE, PLAIN = "heedful", "heedful with a column of noise", "one linear model of the dummies"
# Per cent that rows may cost by repeating, that the linear model may be better, that the held-out error may be off.
COST, BEHIND, OFF = 2.0, 1.0, 5.0
# R's Titanic: class, sex, age, how many died and how many survived.
TITANIC = (
    ("1st", "male", "child", 0, 5),
    ("2nd", "male", "child", 0, 11),
    ("3rd", "male", "child", 35, 13),
    ("1st", "female", "child", 0, 1),
    ("2nd", "female", "child", 0, 13),
    ("3rd", "female", "child", 17, 14),
    ("1st", "male", "adult", 118, 57),
    ("2nd", "male", "adult", 154, 14),
    ("3rd", "male", "adult", 387, 75),
    ("crew", "male", "adult", 670, 192),
    ("1st", "female", "adult", 4, 140),
    ("2nd", "female", "adult", 13, 80),
    ("3rd", "female", "adult", 89, 76),
    ("crew", "female", "adult", 3, 20),
)


class Draw(NamedTuple):
    """Rows to learn from and new rows, each a table and a response; of a trial, who was treated."""

    train: tuple[pd.DataFrame, np.ndarray]
    new: tuple[pd.DataFrame, np.ndarray]
    treated: np.ndarray | None = None


def factors(rng: np.random.Generator, n_rows: int, n_levels: int) -> tuple[np.ndarray, pd.DataFrame]:
    """Return three factors as numbers and as text."""
    levels = rng.integers(0, n_levels, (n_rows, 3))
    return levels, pd.DataFrame(np.array(list("abc"))[levels], columns=["f", "g", "h"])


def draw_titanic(n_rows: int, seed: int) -> Draw:
    """Return the passengers, some to learn from and the others."""
    people = [(*row[:3], number) for row in TITANIC for number in (0, 1) for _ in range(row[3 + number])]
    frame = pd.DataFrame(people, columns=["class", "sex", "age", "y"]).sample(frac=1, random_state=seed)
    X, y = frame.drop(columns="y").reset_index(drop=True), frame["y"].to_numpy()
    return Draw((X[:n_rows], y[:n_rows]), (X[n_rows:], y[n_rows:]))


def draw(respond: Callable[..., Any], n_levels: int, n_rows: int, seed: int) -> Draw:
    """Return factors and a response to them."""
    rng = np.random.default_rng(seed)
    parts = []
    for size in (n_rows, N_NEW):
        levels, X = factors(rng, size, n_levels)
        parts.append((X, respond(rng, levels)))
    return Draw(*parts)


def parity(rng: np.random.Generator, levels: np.ndarray) -> np.ndarray:
    """Return whether the sum is odd, wrong in 15 of 100 rows."""
    return (levels.sum(axis=1) + (rng.random(len(levels)) < 0.15)) % 2


def claims(rng: np.random.Generator, levels: np.ndarray) -> np.ndarray:
    """Return counts whose rates are products of factors."""
    return rng.poisson(np.exp(-0.5 + 0.5 * (levels[:, 0] == 1) + 0.8 * (levels[:, 1] == 2) - 0.4 * levels[:, 2]))


def months(rng: np.random.Generator, levels: np.ndarray) -> np.ndarray:
    """Return events and whole months, at most two years."""
    hazard = np.exp(0.6 * (levels[:, 0] == 1) - 0.7 * (levels[:, 1] == 2) + 0.3 * levels[:, 2]) / 12
    time = np.ceil(rng.exponential(1 / hazard))
    return np.column_stack([time <= 24, np.minimum(time, 24)])


def draw_trial(n_rows: int, seed: int) -> Draw:
    """Return a trial of a treatment that helps one group and harms another; new rows have their true effects."""
    rng = np.random.default_rng(seed)
    levels, X = factors(rng, n_rows, 3)
    treated, effect = rng.integers(0, 2, n_rows), true_effects(levels)
    y = levels[:, 1] + effect * treated + np.rint(rng.normal(size=n_rows))
    cells = np.stack(np.meshgrid(*[range(3)] * 3), axis=-1).reshape(-1, 3)
    new = pd.DataFrame(np.array(list("abc"))[cells], columns=X.columns)
    return Draw((X, y), (new, true_effects(cells)), treated)


def true_effects(levels: np.ndarray) -> np.ndarray:
    """Return 2 for the first level of the first factor, -1 for the others."""
    return np.where(levels[:, 0] == 0, 2.0, -1.0)


def partial_loss(y: np.ndarray, log_hazard: np.ndarray) -> float:
    """Return minus Breslow's partial log likelihood per event."""
    event, time = y[:, 0] > 0, y[:, 1]
    order = np.argsort(-time, kind="stable")
    at_risk = np.cumsum(np.exp(log_hazard[order]))
    last = np.searchsorted(-time[order], -time, side="right") - 1
    return float(np.mean(np.log(at_risk[last][event]) - log_hazard[event]))


def fit_ours(kind: str, draw: Draw, seed: int) -> tuple[float, float]:
    """Return the error of new rows, and the held-out error in its unit; NaN where they cannot be compared."""
    (X, y), (X_new, y_new) = draw.train, draw.new
    if kind == "classes":
        model = AttentionLassoClassifier(random_state=seed).fit(X, y)
        return float(log_loss(y_new, model.predict_proba(X_new))), model.held_out_error_["attention"]
    if kind == "counts":
        model = AttentionGLM(random_state=seed).fit(X, y)
        return float(mean_poisson_deviance(y_new, model.predict(X_new))), 2 * model.held_out_error_["attention"]
    if kind == "survival":
        model = AttentionCox(random_state=seed).fit(X, y)
        return partial_loss(y_new, model.predict(X_new)), np.nan
    effects = AttentionEffect(random_state=seed).fit(X, y, draw.treated, propensity=np.full(len(y), 0.5))
    return float(np.sqrt(np.mean((effects.effect(X_new) - y_new) ** 2))), np.nan


def fit_plain(kind: str, draw: Draw) -> float:
    """Return the error that one linear model of the dummies has on new rows."""
    both = pd.get_dummies(pd.concat([draw.train[0], draw.new[0]]), drop_first=True).to_numpy(float)
    (y, y_new), n_rows = (draw.train[1], draw.new[1]), len(draw.train[0])
    X, X_new = both[:n_rows], both[n_rows:]
    if kind == "classes":
        model = LogisticRegression(C=np.inf, max_iter=1000).fit(X, y)
        return float(log_loss(y_new, model.predict_proba(X_new)))
    if kind == "counts":
        return float(mean_poisson_deviance(y_new, PoissonRegressor(alpha=0).fit(X, y).predict(X_new)))
    if kind == "survival":
        return partial_loss(y_new, X_new @ sm.PHReg(y[:, 1], X, status=y[:, 0]).fit().params)
    arms = [LinearRegression().fit(X[draw.treated == arm], y[draw.treated == arm]).predict(X_new) for arm in (0, 1)]
    return float(np.sqrt(np.mean((arms[1] - arms[0] - y_new) ** 2)))


def with_noise(draw: Draw, seed: int) -> Draw:
    """Return a draw with one more column that is noise."""
    rng = np.random.default_rng(1000 + seed)
    parts = [(X.assign(noise=rng.normal(size=len(X))), y) for X, y in (draw.train, draw.new)]
    return Draw(*parts, draw.treated)


def trust_visits(visits: str, n_visits: int, seed: int) -> study.Scores:
    """Return the guard of a fit to patients whose response is noise."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(N_PATIENTS, 5)), rng.normal(size=N_PATIENTS)
    patient = np.repeat(np.arange(N_PATIENTS), n_visits)
    if visits == "differ":
        X, y = X[patient] + 0.1 * rng.normal(size=(patient.size, 5)), y[patient] + 0.3 * rng.normal(size=patient.size)
    elif visits == "share columns":
        X, y = X[patient], y[patient] + 0.3 * rng.normal(size=patient.size)
    else:
        X, y = X[patient], y[patient]
    model = AttentionLasso(cv=10, random_state=seed).fit(X, y, groups=patient)
    gain = 1 - (model.held_out_error_["attention"] / model.held_out_error_["baseline"]) ** 2
    return {"guard": {"value": model.guard_}, "gain": {"value": 100 * gain}}


def one_draw(kind: str, make: Any, arguments: tuple, seed: int) -> study.Scores:
    """Return the errors of a draw, or the guard of visits."""
    if kind == "visits":
        return trust_visits(make, *arguments, seed)
    drawn = make(*arguments, seed)
    own, unseen = fit_ours(kind, drawn, seed)
    beside, _ = fit_ours(kind, with_noise(drawn, seed), seed)
    errors = {OURS: own, NOISE: beside, PLAIN: fit_plain(kind, drawn), "held out": unseen}
    return {name: {"value": float(value)} for name, value in errors.items() if np.isfinite(value)}


STUDY = study.Study(Path(__file__).parent, one_draw, ("heedful", "scikit-learn", "statsmodels"))
FACTORS = {
    "Titanic, log loss": "classes",
    "parity of three binary columns, log loss": "classes",
    "claims on three factors, deviance": "counts",
    "survival in whole months, partial likelihood": "survival",
    "effects in a trial on three factors, root mean squared error": "effects",
}
VISITS = ("one visit each", "equal visits", "visits that share columns", "visits that differ")


def make_tables(options: argparse.Namespace) -> dict[str, study.Table]:
    """Return what draws each case."""
    n = options.rows
    made = [
        (draw_titanic, (1100 if not options.smoke else n,)),
        (draw, (parity, 2, n)),
        (draw, (claims, 3, n)),
        (draw, (months, 3, n)),
        (draw_trial, (n,)),
    ]
    tables: dict[str, study.Table] = {
        title: (kind, *how) for (title, kind), how in zip(FACTORS.items(), made, strict=True)
    }
    ways = [("equal", 1), ("equal", options.visits), ("share columns", options.visits), ("differ", options.visits)]
    return tables | {title: ("visits", way, (number,)) for title, (way, number) in zip(VISITS, ways, strict=True)}


def read_figures(means: pd.DataFrame, guards: pd.Series) -> list[str]:
    """Return what the figures say."""
    sentences = []
    for title, row in means.iterrows():
        cost, behind = (100 * (row[OURS] / row[name] - 1) for name in (NOISE, PLAIN))
        text = (
            f"{title}: {cost:+.1f} % against the same table with a column of noise (bar {COST:+g}: "
            f"{'met' if cost <= COST else 'missed'}), {behind:+.1f} % against {PLAIN}."
        )
        if np.isfinite(row["held out"]):
            off = 100 * (row["held out"] / row[OURS] - 1)
            text += f" The held-out error is {off:+.1f} % off (bar {OFF:g}: {'met' if abs(off) <= OFF else 'missed'})."
        sentences.append(text)
    spread = float(np.ptp(guards))
    return [*sentences, f"Visits: mean guards differ by {spread:.2f} at most (bar 0.1)."]


def write_page(results: pd.DataFrame) -> str:
    """Return the page: errors of tables of factors, the guard of visits, and what they say."""
    values = results["value"]
    errors = values.loc[list(FACTORS), [OURS, NOISE, PLAIN, "held out"]]
    promised = errors[[OURS, "held out"]].dropna().rename(columns={OURS: "new rows", "held out": "held-out rows"})
    visits = values.loc[list(VISITS), ["guard", "gain"]].rename(columns={"gain": "gain claimed, per cent"})
    about = (
        f"Mean (standard error) of {results.index.unique('seed').size} draws, seeds from 0: errors of new rows, and "
        "what held-out training rows promise where the two can be compared. "
        f"{pages.stamp(*STUDY.packages)}. This page is rewritten by `make repeats`; the README explains the cases."
    )
    means = errors.groupby("table", sort=False).mean()
    sentences = read_figures(means, visits["guard"].groupby("table").mean())
    tables = (
        study.summarise(errors.drop(columns="held out"), "error of new rows", 3),
        study.summarise(promised, "error of heedful", 3),
        study.summarise(visits, "40 patients, pure noise", 2),
    )
    return pages.join("Rows that repeat", about, *tables, pages.bullets(sentences))


def main() -> None:
    """Run the study."""
    options = study.read_options(__doc__, RUNS, rows=(1000, 150), visits=(N_VISITS, 3))
    study.publish(STUDY.home, options, write_page(study.run(STUDY, make_tables(options), options)))


if __name__ == "__main__":
    main()
