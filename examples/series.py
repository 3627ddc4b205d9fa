"""A series with two hidden regimes: which one it is in shows only in the recent past of a row.

A dial turns upwards in one regime and downwards in the other; where it stands says nothing. All models use the values
of the row alone. The similarity of the last one is shown which way the dial has been turning.
"""

import numpy as np
import pandas as pd
from sklearn.model_selection import TimeSeriesSplit

from heedful import AttentionLasso
from heedful.context import lag_features
from heedful.datasets import make_regimes
from heedful.similarity import ForestProximity

SERIES, SHARE = 3, 0.7
NOW = ["dial", "x2", "x3", "x4"]


def main() -> None:
    """Compare on the last rows of several series, then show the models of both regimes."""
    errors, models = [], []
    for seed in range(SERIES):
        sim = make_regimes(random_state=seed)
        frame = lag_features(pd.DataFrame(sim.X, columns=NOW), "dial", 4, differences=True)
        context = [name for name in frame if name.startswith("dial")]
        y, first = sim.y[frame.index], int(SHARE * len(frame))
        train, test, y_test = frame[:first], frame[first:], y[first:]
        without, within = (fit(train, y[:first], seen) for seen in (NOW, context))
        local = within.local_models(test)
        predicted = (within.baseline_.predict(test[NOW]), without.predict(test), local.prediction)
        errors.append([np.mean((y_test - values) ** 2) for values in predicted])
        models.append(local.coef.assign(turns=np.where(sim.latent[test.index] == 1, "upwards", "downwards")))
    print(f"mean squared error on the last {len(test)} of {len(frame)} rows, {SERIES} series:")
    names = ("lasso", "attention without context", "attention with context")
    for name, error in zip(names, np.mean(errors, axis=0), strict=True):
        print(f"  {name:26s} {error:.2f}")
    print("\nmean coefficients by the way the dial turns, which no model knows; the truth is 1 and -1 for x2 and x3:")
    print(pd.concat(models).groupby("turns").mean().round(2).to_string())


def fit(train: pd.DataFrame, y: np.ndarray, seen: list[str]) -> AttentionLasso:
    """Fit with a similarity that sees some columns, tuned on rows that come after those it was fitted on."""
    options = {"features": {"similarity": seen, "model": NOW}, "cv": TimeSeriesSplit(5)}
    return AttentionLasso(similarity=ForestProximity(100), **options, n_jobs=-1, random_state=0).fit(train, y)


if __name__ == "__main__":
    main()
