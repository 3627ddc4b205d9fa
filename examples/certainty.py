"""
Which features matter to a row, for certain
===========================================

A lasso's coefficient is shrunk, and of a blend of many hardly any is 0. Intervals and selection frequencies tell what
the rows attended to say for certain. Here two hidden groups have features of their own.

Table: a simulation with a known truth, `make_mixture`.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso
from heedful.datasets import make_mixture

# %%
# Intervals for every local coefficient, held against the true ones.

ROWS, QUERIES = 500, 100
train, test = make_mixture(ROWS + QUERIES, 20, separation=5.0, random_state=1).split(ROWS)
model = AttentionLasso(random_state=0).fit(train.X, train.y)
found = model.coef_intervals(test.X, coverage=0.9)
truth = test.coef.ravel()
inside = found["low"].le(truth) & found["high"].ge(truth)
print(f"90 % intervals hold {100 * inside.mean():.1f} % of the true local coefficients")
for name, chosen in (("frequency > 0.9", found["frequency"] > 0.9), ("not 0 in the model", found["coef"] != 0)):
    true, false = 100 * chosen[truth != 0].mean(), chosen[truth == 0].sum() / QUERIES
    print(f"  {name:20s} {true:5.1f} % of the features that matter, {false:4.1f} others a query")

# %%
# One query of each group: intervals, the true coefficients as crosses, and dark where a feature is selected in more
# than nine of ten draws.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained", sharey=True)
for group, ax in enumerate(axes):
    query = int(np.flatnonzero(test.latent == group)[0])
    own, places = found.loc[query], np.arange(20)
    sure = own["frequency"].to_numpy() > 0.9
    colours = np.where(sure, "#0072B2", "#BFBFBF")
    ax.hlines(places, own["low"], own["high"], color=colours, linewidth=4)
    ax.scatter(test.coef[query], places, marker="x", color="black", zorder=3, label="truth")
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.set(yticks=places, yticklabels=own.index, xlabel="coefficient")
    ax.set_title(f"a query of hidden group {group}", fontsize=9)
    ax.invert_yaxis()
axes[1].legend(frameon=False, loc="lower right")
