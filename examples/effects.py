"""
Treatment effects: who benefits?
================================

Estimate the effect of a treatment for each row, its average with an interval, and test whether effects differ between
rows at all. Before that, check overlap: can the data answer the question?

Table: a simulation (``make_effects``), where the true effect of each row is known; a hidden minority responds
differently.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionEffect, plot
from heedful.datasets import make_effects

# %%
# First check overlap: did similar rows get different treatments? Then look at the average effect and at the test for
# heterogeneity.

train, test = make_effects("groups", 2000, random_state=0).split(1000)
model = AttentionEffect(random_state=0).fit(train.X, train.y, treatment=train.treatment)
overlap, differ = model.overlap(), model.heterogeneity()
print(overlap.verdict)
print(model.average_effect())
print(f"true average effect: {train.effect.mean():.3f}")
print(differ.verdict)

# %%
# Estimated against true effects of held-out rows.

found = model.effect(test.X)
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for group, (name, colour) in enumerate((("majority", "#0072B2"), ("hidden minority", "#E69F00"))):
    rows = test.group == group
    ax.scatter(test.effect[rows], found[rows], s=8, color=colour, label=name)
ax.axline((0, 0), slope=1, color="black", linewidth=0.8)
ax.set(xlabel="true effect", ylabel="estimated effect")
ax.legend(frameon=False, markerscale=2)

# %%
# Errors beside two simpler estimates: a lasso of effects, and the same average effect for all rows.

others = {
    "attention": found,
    "the global effect lasso": model.baseline_.predict(test.X),
    "the average effect": np.full(len(test.y), model.average_effect().effect),
}
for name, effect in others.items():
    print(f"root mean squared error of {name}: {np.sqrt(np.mean((effect - test.effect) ** 2)):.3f}")

# %%
# Left: balance of treated and untreated rows, before and after weighting. Right: how much the mean response gains if
# the rows with the largest predicted effects are treated first, on held-out rows.

figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
plot.balance(overlap, ax=axes[0])
plot.gain_curve(differ, ax=axes[1])

# %%
# Held-out rows in fifths by predicted effect, with the average effect of each fifth and its 90 % interval.

print(differ.groups.round(2))
