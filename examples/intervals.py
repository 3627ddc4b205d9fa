"""
Prediction intervals when noise differs between groups
======================================================

A hidden minority of the rows has its own coefficients and twice the noise. Split conformal intervals have the same
width for all rows: too narrow for the minority, too wide for the rest. The intervals of ``predict_interval`` adapt.
They scale each residual by its expected size, which is predicted from the columns of a row and from the residuals of
the training rows it attends to.

Table: a simulation (``make_subgroups``) where it is known which rows are in the minority.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso
from heedful.datasets import make_subgroups

# %%
# Split conformal trains on half of the rows and takes the width from the residuals of the other half.

ROWS, NEW_ROWS, COVERAGE = 500, 1000, 0.9
rng = np.random.default_rng(0)
sim = make_subgroups(ROWS + NEW_ROWS, shift=3.0, random_state=rng)
minority = sim.latent == 1
y = sim.signal + sim.noise * np.where(minority, 2.0, 1.0) * rng.normal(size=ROWS + NEW_ROWS)
X, X_new, y_new, minority_new = sim.X[:ROWS], sim.X[ROWS:], y[ROWS:], minority[ROWS:]

model = AttentionLasso(random_state=0).fit(X, y[:ROWS])
half = ROWS // 2
textbook = AttentionLasso(random_state=0).fit(X[:half], y[:half])
residuals = np.sort(np.abs(y[half:ROWS] - textbook.predict(X[half:])))
width = residuals[int(np.ceil((residuals.size + 1) * COVERAGE)) - 1]
found = {
    "adaptive": model.predict_interval(X_new, COVERAGE),
    "split conformal": textbook.predict(X_new)[:, None] + [-width, width],
}

# %%
# Coverage on held-out rows, by hidden group.

parts = {"all rows": np.full(NEW_ROWS, True), "majority": ~minority_new, "minority": minority_new}
held = {}
print(f"{100 * COVERAGE:.0f} % intervals of {NEW_ROWS} held-out rows: coverage in % (mean width)")
for name, ends in found.items():
    inside, widths = (ends[:, 0] <= y_new) & (y_new <= ends[:, 1]), np.diff(ends).ravel()
    held[name] = [100 * inside[rows].mean() for rows in parts.values()]
    cells = [f"{part} {100 * inside[rows].mean():.1f} ({widths[rows].mean():.1f})" for part, rows in parts.items()]
    print(f"  {name:16s} {'   '.join(cells)}")

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for at, (name, values) in enumerate(held.items()):
    ax.plot(list(parts), values, "os"[at], markersize=8, color=("#0072B2", "#D55E00")[at], label=name)
ax.axhline(100 * COVERAGE, color="black", linestyle="--", linewidth=0.8, label="nominal")
ax.set(ylabel="coverage, %", ylim=(50, 100), xlim=(-0.5, 2.5))
ax.legend(frameon=False, loc="lower left")

# %%
# Adaptive intervals of 60 held-out rows of each group, with the observed responses as points. Intervals of the minority
# are wider.

figure, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
groups = (("majority", ~minority_new, "#56B4E9", 0), ("minority", minority_new, "#E69F00", 65))
for name, rows, colour, start in groups:
    some = np.flatnonzero(rows)[:60]
    low, high = found["adaptive"][some].T
    ax.vlines(start + np.arange(60), low, high, color=colour, linewidth=3, label=name)
    ax.scatter(start + np.arange(60), y_new[some], s=8, color="black", zorder=3)
ax.set(xlabel="held-out rows", ylabel="response", xticks=[])
ax.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1))
