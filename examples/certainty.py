"""
Which features matter for this row?
===================================

A single lasso coefficient does not say how certain it is, and in a blend of many lassos hardly any coefficient is
exactly 0. ``coef_intervals`` gives an interval for each local coefficient, and how often resampling selects the
feature. Here two hidden groups depend on different features.

Table: a simulation (``make_mixture``), where the true coefficients of each row are known.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso
from heedful.datasets import make_mixture

# %%
# How many of the 90 % intervals contain the true coefficient? And how well do selection frequencies above 0.9 find the
# true features, beside taking all coefficients that are not 0?

ROWS, QUERIES = 500, 100
train, test = make_mixture(ROWS + QUERIES, 20, separation=5.0, random_state=1).split(ROWS)
model = AttentionLasso(random_state=0).fit(train.X, train.y)
found = model.coef_intervals(test.X, coverage=0.9)
truth = test.coef.ravel()
inside = found["low"].le(truth) & found["high"].ge(truth)
print(f"90 % intervals contain {100 * inside.mean():.1f} % of the true local coefficients")
print("selection by             true features found   false features per row")
for name, chosen in (("frequency > 0.9", found["frequency"] > 0.9), ("coefficient not 0", found["coef"] != 0)):
    true, false = 100 * chosen[truth != 0].mean(), chosen[truth == 0].sum() / QUERIES
    print(f"  {name:22s} {true:17.1f} % {false:20.1f}")

# %%
# One held-out row of each group. Crosses are true coefficients; intervals are blue if the feature is selected in more
# than 90 % of the resamples.

figure, axes = plt.subplots(1, 2, figsize=(8, 5), layout="constrained", sharey=True)
for group, ax in enumerate(axes):
    query = int(np.flatnonzero(test.latent == group)[0])
    own, places = found.loc[query], np.arange(20)
    sure = own["frequency"].to_numpy() > 0.9
    colours = np.where(sure, "#0072B2", "#BFBFBF")
    ax.hlines(places, own["low"], own["high"], color=colours, linewidth=4)
    ax.scatter(test.coef[query], places, marker="x", color="black", zorder=3, label="true coefficient")
    ax.axvline(0, color="grey", linewidth=0.8)
    ax.set(yticks=places, yticklabels=own.index, xlabel="coefficient")
    ax.set_title(f"a row of hidden group {group + 1}", fontsize=10)
axes[0].invert_yaxis()
figure.legend(*axes[1].get_legend_handles_labels(), frameon=False, loc="outside upper right")
