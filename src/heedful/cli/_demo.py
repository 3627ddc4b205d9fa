"""``heedful demo``: local lassos against one lasso on a real table, the proline content of 178 wines.

The wines come from three cultivars. No model knows which; the attention finds out.
"""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split
from tqdm import tqdm

from heedful import AttentionLasso


def run(arguments: Namespace) -> dict[str, Any]:
    """Compare models of the proline of wines on random halves, then open one prediction."""
    wine = load_wine(as_frame=True)
    table = wine.data.rename(columns={"od280/od315_of_diluted_wines": "od280/od315"})
    X, y = table.drop(columns="proline"), table["proline"]
    gains = []
    for seed in tqdm(range(arguments.splits), desc="halves", disable=not arguments.verbose):
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
        model = AttentionLasso(random_state=seed, n_jobs=arguments.jobs).fit(X_train, y_train)
        forest = RandomForestRegressor(500, random_state=seed, n_jobs=arguments.jobs).fit(X_train, y_train)
        models = {"lasso": model.baseline_, "attention lasso": model, "random forest": forest}
        error = pd.Series({name: np.mean((y_test - one.predict(X_test)) ** 2) for name, one in models.items()})
        gains.append(100 * (1 - error.drop("lasso") / error["lasso"]))
    gain = pd.DataFrame(gains)
    query = X_test.index[3]
    explanation = model.explain(X_test.loc[[query]])
    same_cultivar = wine.target[X_test.index].to_numpy()[:, None] == wine.target[y_train.index].to_numpy()
    return {
        "rows": len(X),
        "columns": X.shape[1],
        "splits": arguments.splits,
        "gain": {name: {"mean": gain[name].mean(), "error": gain[name].sem()} for name in gain},
        "mixing": model.mixing_,
        "heads": model.heads_.query("share > 0"),
        "own_cultivar": float((model.attention(X_test).toarray() * same_cultivar).sum(axis=1).mean()),
        "query": int(query),
        "predicted": explanation.prediction[query],
        "measured": y_test[query],
        "start": explanation.start[query],
        "fidelity": explanation.fidelity[query],
        "small_model": explanation.small_models().loc[query].reset_index(),
        "top_features": explanation.top_features(5).loc[query].reset_index(),
        "top_rows": explanation.top_rows(5).loc[query].reset_index(),
    }


def lines(summary: dict[str, Any]) -> Iterator[str]:
    """Yield the gains, and the explanation of one prediction."""
    yield (f"Predict proline (mg/l) of {summary['rows']} wines from {summary['columns']} other measurements, "
        f"{summary['splits']} random halves\n")  # fmt: skip
    yield "squared error compared with one lasso for all wines, mean (standard error):"
    for name, gain in summary["gain"].items():
        yield f"  {name:16s} {gain['mean']:+5.1f} % better ({gain['error']:.1f})"
    yield _format_table(
        f"heads with weight in the last half (total {summary['mixing']:.2f}, the rest is the global lasso):",
        summary["heads"],
    )
    yield f"\nweight of wines of the query's own cultivar, which no model knows: {summary['own_cultivar']:.0%}"
    yield f"\nwine {summary['query']}: predicted {summary['predicted']:.0f}, measured {summary['measured']:.0f}"
    start, fidelity = f"{summary['start']:.0f}", f"{summary['fidelity']:.2f}"
    title = f"its small model: {start} at the reference, and these terms (fidelity {fidelity}):"
    yield _format_table(title, summary["small_model"])
    yield _format_table("largest contributions:", summary["top_features"])
    yield _format_table("wines with the largest weights:", summary["top_rows"])


def _format_table(title: str, table: pd.DataFrame) -> str:
    return f"\n{title}\n{table.round(2).to_string(index=False)}"
