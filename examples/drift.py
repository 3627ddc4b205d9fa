"""
Correcting a booster after drift
================================

A LightGBM model was trained weeks ago and cannot be retrained. On day 40 the effect of one feature reverses in a
quarter of the rows. ``DriftCorrector`` sees the labels at the end of each day and corrects the predictions of the next.
Its drift report says how far the model is off and for which rows.

Table: a simulation (``make_stream``), where the time and place of the change are known.
"""

import textwrap

import lightgbm
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from heedful import DriftCorrector
from heedful.datasets import make_stream

# %%
# Each day: predict, see the labels, update.

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

print("mean squared error          model  corrected")
for name, part in (("before the change", slice(TRAINED + 1, CHANGE)), ("after the change", slice(CHANGE, DAYS))):
    before, after = errors[part].mean(axis=0)
    print(f"  {name:25s} {before:5.2f}  {after:9.2f}")

# %%
# Daily errors, smoothed over five days. The dashed line is the day of the change.

figure, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
smooth = pd.DataFrame(errors, columns=["LightGBM", "corrected"]).rolling(5, min_periods=1, center=True).mean()
for name, colour in (("LightGBM", "#D55E00"), ("corrected", "#0072B2")):
    ax.plot(smooth[name], color=colour, label=name)
ax.axvline(CHANGE, color="black", linestyle="--", linewidth=0.8)
ax.set(xlabel="day", ylabel="mean squared error", xlim=(TRAINED, DAYS - 1), ylim=(0, None))
ax.legend(frameon=False)

# %%
# Which rows are corrected? The true segment, within the black lines, is where x0 and x1 are positive. No one told the
# corrector, but its corrections are large there and small elsewhere.

last = np.concatenate(days[-10:])
moved = corrector.predict(sim.X[last]) - model.predict(sim.X[last])
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
dots = ax.scatter(*sim.X[last, :2].T, c=moved, s=18, cmap="RdBu_r", vmin=-2, vmax=2, edgecolor="0.7", linewidth=0.3)
ax.plot([0, 0, 3], [3, 0, 0], color="black", linewidth=0.8)
ax.set(xlabel="x0", ylabel="x1")
figure.colorbar(dots, label="correction", extend="both")

# %%
# The drift report compares the last 20 days with the days between training and the change, which the model was not
# trained on. The last table has the recent rows that the largest correction is based on.

own = np.concatenate(days[TRAINED:CHANGE])
report = corrector.drift_report(reference=(sim.X[own], sim.y[own]))
print(textwrap.fill(report.verdict, 100))
print(report.columns.round(2).to_string())
print(report.summary["value"].map("{:.3g}".format).to_string())
print(report.features.head(3).round(2).to_string())
print(corrector.explain(sim.X[last[[np.argmax(np.abs(moved))]]]).top_rows(4).round(2).to_string())
