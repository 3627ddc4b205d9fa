"""
Time: what warmth does to bike rentals
======================================

Hours of a bike rental over a year: what warmth and wind do turns with the season, and some days are missing. The forest
alone may split on the time. A kernel in time lets near days count more, and left-out rows choose its width.

Table: a simulation with a known truth, `make_hourly`.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso
from heedful.datasets import make_hourly
from heedful.similarity import NearSimilarity

# %%
# Days from the 20th of each month on are not seen in `fit`.

ROWS = 800
sim = make_hourly(365, start="2023-01-01", random_state=0)
known = (sim.X["time"].dt.day < 20).to_numpy()
rng = np.random.default_rng(0)
train, test = (np.sort(rng.choice(np.flatnonzero(part), ROWS, replace=False)) for part in (known, ~known))
y = np.log1p(sim.y)
ways = {"lasso": ("forest", 0.0), "attention": ("forest", "auto"), "kernel": (NearSimilarity("forest", "time"), "auto")}
models = {}
print(f"mean squared error of log(1 + rentals), {ROWS} hours of days that were not seen:")
for name, (similarity, mixing) in ways.items():
    models[name] = AttentionLasso(similarity=similarity, mixing=mixing, random_state=0).fit(sim.X.iloc[train], y[train])
    error = np.mean((y[test] - models[name].predict(sim.X.iloc[test])) ** 2)
    print(f"  {name:10s} {error:.3f}")

# %%
# The effect of warmth at each hour, through the year: in winter a warm hour brings riders, in summer it keeps them at
# home. One lasso has one number for both.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained", width_ratios=[1.6, 1])
when = sim.X["time"].iloc[test]
for name, colour in (("attention", "#BFBFBF"), ("kernel", "#0072B2")):
    effect = models[name].local_effects(sim.X.iloc[test], columns=["degrees"])["effect"]
    axes[0].scatter(when, effect, s=5, color=colour, label=name)
lasso = models["lasso"].local_effects(sim.X.iloc[test[:1]], columns=["degrees"])["effect"].iloc[0]
axes[0].axhline(lasso, color="black", linestyle="--", linewidth=0.8, label="lasso")
axes[0].set(ylabel="effect of a degree")
axes[0].tick_params(axis="x", rotation=30)
axes[0].legend(frameon=False)

# right: how wide the kernel is; left-out rows gave these shares to widths in days, inf is no kernel
shares = models["kernel"].heads_.groupby("width")["share"].sum()
axes[1].bar([f"{width:g}" for width in shares.index], shares, color="#0072B2")
axes[1].set(xlabel="width of the kernel, days", ylabel="share of the prediction")
print(shares.round(2).to_string())
