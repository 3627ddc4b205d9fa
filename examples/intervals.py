"""
Intervals for hidden groups
===========================

A minority of the rows has a model of its own and twice the noise, and nobody tells which rows these are. Split
conformal gives every prediction an interval of one width, too narrow for the minority and too wide for the rest.
Here each residual is divided by how large it was expected to be, by its columns and by the rows it attends to.

Table: a simulation with a known truth, `make_subgroups`.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso
from heedful.datasets import make_subgroups

# %%
# Intervals by spread, and by the textbook: half of the rows to fit, the residuals of the others for the width.

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
    "by spread": model.predict_interval(X_new, COVERAGE),
    "split conformal": textbook.predict(X_new)[:, None] + [-width, width],
}

# %%
# How many of the new rows lie inside, by hidden group?

parts = {"all rows": np.full(NEW_ROWS, True), "majority": ~minority_new, "minority": minority_new}
held = {}
print(f"{100 * COVERAGE:.0f} % intervals of {NEW_ROWS} new rows, coverage in % (mean width):")
for name, ends in found.items():
    inside, widths = (ends[:, 0] <= y_new) & (y_new <= ends[:, 1]), np.diff(ends).ravel()
    held[name] = [100 * inside[rows].mean() for rows in parts.values()]
    cells = [f"{part} {100 * inside[rows].mean():.1f} ({widths[rows].mean():.1f})" for part, rows in parts.items()]
    print(f"  {name:16s} {'   '.join(cells)}")

# %%
# Left: coverage. Right: intervals of 60 rows of each group, by spread; black points are what came.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained", width_ratios=[1, 2])
for at, (name, values) in enumerate(held.items()):
    axes[0].plot(list(parts), values, "os"[at], color=("#0072B2", "#D55E00")[at], label=name)
axes[0].axhline(100 * COVERAGE, color="black", linestyle="--", linewidth=0.8)
axes[0].set(ylabel="inside, %", ylim=(50, 100), xlim=(-0.5, 2.5))
axes[0].legend(frameon=False, loc="lower left")
for rows, colour, start in ((~minority_new, "#56B4E9", 0), (minority_new, "#E69F00", 65)):
    some = np.flatnonzero(rows)[:60]
    low, high = found["by spread"][some].T
    axes[1].vlines(start + np.arange(60), low, high, color=colour, linewidth=3)
    axes[1].scatter(start + np.arange(60), y_new[some], s=6, color="black", zorder=3)
axes[1].set(xlabel="60 rows of the majority, then 60 of the minority", ylabel="response", xticks=[])
