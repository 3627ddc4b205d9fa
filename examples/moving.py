"""
Bike rentals: effects that change with the season
=================================================

A warm hour brings more riders in winter and fewer in summer. A kernel in time gives more weight to training rows of
nearby days, so that the effect of temperature can change through the year. Cross-validation tunes the width of the
kernel.

Table: simulated hours of a bike rental over a year, where the true effects are known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.dates import DateFormatter

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
# Train on days 1 to 19 of each month and predict the others. We compare the global lasso, attention by forest proximity
# alone, and forest proximity times a kernel in time.

ROWS = 800
known = time.day < 20
train, test = (np.sort(rng.choice(np.flatnonzero(part), ROWS, replace=False)) for part in (known, ~known))
near = NearSimilarity("forest", "time")
ways = {"lasso": ("forest", 0.0), "attention": ("forest", "auto"), "kernel": (near, "auto")}
models = {}
print(f"mean squared error of log(1 + rentals), {ROWS} hours of held-out days:")
for name, (similarity, mixing) in ways.items():
    models[name] = AttentionLasso(similarity=similarity, mixing=mixing, random_state=0).fit(X.iloc[train], y[train])
    error = np.mean((y[test] - models[name].predict(X.iloc[test])) ** 2)
    print(f"  {name:10s} {error:.3f}")

# %%
# The estimated effect of a degree at each held-out hour: positive in winter, negative in summer. With the kernel in
# time the estimates are closer to the truth. The global lasso has one effect for the whole year.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
when = time[test]
looks = (("attention", "#BFBFBF", "attention"), ("kernel", "#0072B2", "attention with kernel in time"))
for name, colour, label in looks:
    effect = models[name].local_effects(X.iloc[test], columns=["degrees"])["effect"]
    ax.scatter(when, effect, s=6, color=colour, label=label)
lasso = models["lasso"].local_effects(X.iloc[test[:1]], columns=["degrees"])["effect"].iloc[0]
ax.axhline(lasso, color="black", linestyle="--", linewidth=1, label="global lasso")
ax.plot(time[::24], 0.1 * season[::24], color="#D55E00", linewidth=1, label="truth")
ax.set(ylabel="effect of a degree on log(1 + rentals)")
ax.xaxis.set_major_formatter(DateFormatter("%b"))
ax.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1), markerscale=2)

# %%
# The weight of each kernel width in the blend, as tuned by cross-validation; the rest of the weight is on global
# models. A width of ``inf`` means no kernel.

shares = models["kernel"].heads_.groupby("width")["share"].sum().rename(index="{:.0f}".format)
print(shares.round(2).to_string())
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.bar(shares.index, shares, color="#0072B2")
ax.set(xlabel="width of the kernel in days", ylabel="weight in the blend")
