"""
Time series with two hidden regimes
===================================

The sign of an effect depends on a regime that no column records. The regime shows only in the past: a dial turns
upwards in one regime and downwards in the other, and its current position says nothing. Lagged differences of the dial
as context for the similarity solve it, while the local models use current values only.

Table: simulated series (``make_regimes``), where the true regime and coefficients are known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import TimeSeriesSplit

from heedful import AttentionLasso
from heedful.context import lag_features
from heedful.datasets import make_regimes
from heedful.similarity import ForestProximity

# %%
# ``lag_features`` adds columns of each row's past. The similarity with context uses these, the one without context uses
# the current values. Both are tuned by forward cross-validation and tested on the last 30 % of each series.

SERIES, SHARE = 3, 0.7
NOW = ["dial", "x2", "x3", "x4"]
HOW = {"similarity": ForestProximity(100), "cv": TimeSeriesSplit(5), "random_state": 0}
errors, shown = [], []
for seed in range(SERIES):
    sim = make_regimes(random_state=seed)
    frame = lag_features(pd.DataFrame(sim.X, columns=NOW), "dial", 4, differences=True)
    context = [name for name in frame if name.startswith("dial")]
    y, first = sim.y[frame.index], int(SHARE * len(frame))
    train, test = frame[:first], frame[first:]
    without, within = (
        AttentionLasso(features={"similarity": seen, "model": NOW}, **HOW).fit(train, y[:first])
        for seen in (NOW, context)
    )
    local = within.local_models(test)
    predicted = (within.baseline_.predict(test[NOW]), without.predict(test), local.prediction)
    errors.append([np.mean((y[first:] - values) ** 2) for values in predicted])
    effect = within.local_effects(test, columns=["x2"])["effect"].droplevel("feature")
    shown.append((effect, sim.coef[test.index, 1], sim.latent[test.index], within.baseline_.coef_[1]))
print(f"mean squared error on the last {len(test)} of {len(frame)} rows, mean over {SERIES} series:")
names = ("global lasso", "attention without context", "attention with context")
for name, error in zip(names, np.mean(errors, axis=0), strict=True):
    print(f"  {name:26s} {error:.2f}")

# %%
# The effect of x2 along the first series. The true effect is 1 in one regime and -1 in the other; the estimates switch
# with it. The global lasso averages the two.

figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
effect, truth, regime, lasso = shown[0]
ax.fill_between(
    effect.index, -1.6, 1.6, where=regime == 1, color="#E69F00", alpha=0.2, step="mid", label="regime: dial turns up"
)
ax.step(effect.index, truth, "k:", where="mid", label="truth")
ax.scatter(effect.index, effect, s=12, color="#0072B2", label="estimate")
ax.axhline(lasso, color="grey", linestyle="--", linewidth=1, label="global lasso")
ax.set(xlabel="time", ylabel="effect of x2", ylim=(-1.6, 1.6))
ax.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
