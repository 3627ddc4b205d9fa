"""
Time: what warmth does to bike rentals
======================================

Hours of a bike rental over a year: what warmth and wind do turns with the season, and some days are missing. The forest
alone may split on the time. A kernel in time lets near days count more, and left-out rows choose its width.

Table: a simulation with a known truth, drawn below.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from heedful import AttentionLasso
from heedful.similarity import NearSimilarity

# %%
# Working days have two peaks, free days one. A degree brings 10 % more riders in midwinter and 10 % fewer in midsummer.

rng = np.random.default_rng(0)
time = pd.date_range("2023-01-01", periods=365 * 24, freq="h")
hour, free = time.hour.to_numpy(), np.asarray(time.day_of_week >= 5)
season = np.cos(2 * np.pi * (time.day_of_year - 15) / 365).to_numpy()
degrees = (
    np.repeat(rng.normal(scale=5.5, size=365), 24) - 3 * np.cos(np.pi * (hour - 3) / 12) + rng.normal(size=hour.size)
)
wind = np.repeat(rng.normal(scale=2.0, size=365), 24) + rng.normal(size=hour.size)
work = np.maximum(np.exp(-(((hour - 8) / 2) ** 2)), np.exp(-(((hour - 17.5) / 3) ** 2)))
pattern = 2.5 * np.where(free, np.exp(-(((hour - 14) / 6) ** 2)), work)
rentals = rng.poisson(np.exp(3 + pattern + season * (0.1 * degrees - 0.2 * wind)) * rng.gamma(20, 1 / 20, hour.size))
X = pd.DataFrame({"time": time, "hour": hour, "free": free * 1, "degrees": degrees, "wind": wind})
y = np.log1p(rentals)

# %%
# Days from the 20th of each month on are not seen in `fit`.

ROWS = 800
known = time.day < 20
train, test = (np.sort(rng.choice(np.flatnonzero(part), ROWS, replace=False)) for part in (known, ~known))
ways = {"lasso": ("forest", 0.0), "attention": ("forest", "auto"), "kernel": (NearSimilarity("forest", "time"), "auto")}
models = {}
print(f"mean squared error of log(1 + rentals), {ROWS} hours of days that were not seen:")
for name, (similarity, mixing) in ways.items():
    models[name] = AttentionLasso(similarity=similarity, mixing=mixing, random_state=0).fit(X.iloc[train], y[train])
    error = np.mean((y[test] - models[name].predict(X.iloc[test])) ** 2)
    print(f"  {name:10s} {error:.3f}")

# %%
# The effect of warmth at each hour, through the year: in winter a warm hour brings riders, in summer it keeps them at
# home. One lasso has one number for both.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained", width_ratios=[1.6, 1])
when = time[test]
for name, colour in (("attention", "#BFBFBF"), ("kernel", "#0072B2")):
    effect = models[name].local_effects(X.iloc[test], columns=["degrees"])["effect"]
    axes[0].scatter(when, effect, s=5, color=colour, label=name)
lasso = models["lasso"].local_effects(X.iloc[test[:1]], columns=["degrees"])["effect"].iloc[0]
axes[0].axhline(lasso, color="black", linestyle="--", linewidth=0.8, label="lasso")
axes[0].set(ylabel="effect of a degree")
axes[0].tick_params(axis="x", rotation=30)
axes[0].legend(frameon=False)

# right: how wide the kernel is; left-out rows gave these shares to widths in days, inf is no kernel
shares = models["kernel"].heads_.groupby("width")["share"].sum()
axes[1].bar([f"{width:g}" for width in shares.index], shares, color="#0072B2")
axes[1].set(xlabel="width of the kernel, days", ylabel="share of the prediction")
print(shares.round(2).to_string())
