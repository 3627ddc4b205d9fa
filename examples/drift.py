"""
Drift: a booster repaired day by day
====================================

A booster was trained weeks ago and may not be refitted. On day 40 the effect of one feature turns in a quarter of the
rows. The corrector sees each day's labels in the evening; it says how far the model is off, for which rows, and shows
which recent rows a correction is made of.

Table: a simulation with a known truth, `make_stream`.
"""

import lightgbm
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from heedful import DriftCorrector
from heedful.datasets import make_stream

# %%
# Day after day: predict, see the labels, update.

DAYS, ROWS, TRAINED, CHANGE = 80, 25, 30, 40
sim = make_stream(DAYS, ROWS, kind="sudden", change_day=CHANGE, random_state=0)
days = [np.flatnonzero(sim.latent == day) for day in range(DAYS)]
first = np.concatenate(days[:TRAINED])
model = lightgbm.LGBMRegressor(n_jobs=1, verbose=-1).fit(sim.X[first], sim.y[first])
corrector = DriftCorrector(model, window=20 * ROWS, random_state=0).fit(sim.X[days[TRAINED]], sim.y[days[TRAINED]])
errors = np.full((DAYS, 2), np.nan)
for day in range(TRAINED + 1, DAYS):
    X, y = sim.X[days[day]], sim.y[days[day]]
    errors[day] = [np.mean((y - part.predict(X)) ** 2) for part in (model, corrector)]
    corrector.update(X, y)

print("mean squared error of the days, model and corrected model:")
for name, part in (("before the change", slice(TRAINED + 1, CHANGE)), ("after it", slice(CHANGE, DAYS))):
    before, after = errors[part].mean(axis=0)
    print(f"  {name:18s} {before:.2f}  {after:.2f}")

# %%
# The errors of the days, as means of five, and the segment that the corrector has found by itself: rows with large
# corrections, by the two features that make the segment.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.4), layout="constrained")
smooth = pd.DataFrame(errors, columns=["model as it was", "corrected"]).rolling(5, min_periods=1, center=True).mean()
for name, colour in (("model as it was", "#D55E00"), ("corrected", "#0072B2")):
    axes[0].plot(smooth[name], color=colour, label=name)
axes[0].axvline(CHANGE, color="black", linestyle="--", linewidth=0.8)
axes[0].set(xlabel="day", ylabel="mean squared error", xlim=(TRAINED, DAYS - 1), ylim=(0, None))
axes[0].legend(frameon=False)
last = np.concatenate(days[-10:])
moved = corrector.predict(sim.X[last]) - model.predict(sim.X[last])
dots = axes[1].scatter(*sim.X[last, :2].T, c=moved, s=14, cmap="RdBu_r", vmin=-2, vmax=2)
axes[1].plot([0, 0, 3], [3, 0, 0], color="black", linewidth=0.8)
axes[1].set(xlabel="x0", ylabel="x1")
figure.colorbar(dots, label="correction")

# %%
# What the last 20 days say beside the days between training and the change, which the model did not learn from, and the
# recent rows behind the largest correction.

own = np.concatenate(days[TRAINED:CHANGE])
report = corrector.drift_report(reference=(sim.X[own], sim.y[own]))
print(report.verdict)
print(report.columns.round(2).to_string())
print(report.summary["value"].map("{:.3g}".format).to_string())
print(report.features.head(3).round(2).to_string())
print(corrector.explain(sim.X[last[[np.argmax(np.abs(moved))]]]).top_rows(4).round(2).to_string())
