"""
Treatment effects: who gains
============================

What does a treatment do to each row, what changes its effect, and can the numbers mean an effect at all?

Table: a simulation with a known truth, `make_effects`: a hidden minority responds in its own way.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionEffect, plot
from heedful.datasets import make_effects

# %%
# First look whether like rows got different treatments; then at the average, and at whether effects differ.

train, test = make_effects("groups", 2000, random_state=0).split(1000)
model = AttentionEffect(random_state=0).fit(train.X, train.y, treatment=train.treatment)
overlap, differ = model.overlap(), model.heterogeneity()
print(overlap.verdict)
print(model.average_effect())
print(f"true average effect: {train.effect.mean():.3f}")
print(differ.verdict)

# %%
# Left: are treated and untreated rows alike, before and after weighting? Middle: what treating those with the largest
# effects first gains, on held-out rows. Right: estimated effects against true ones.

found = model.effect(test.X)
figure, axes = plt.subplots(1, 3, figsize=(12, 3.5), layout="constrained")
plot.balance(overlap, ax=axes[0])
plot.gain_curve(differ, ax=axes[1])
axes[2].scatter(test.effect, found, s=5, c=test.group, cmap="cividis")
axes[2].axline((0, 0), slope=1, color="black", linewidth=0.8)
axes[2].set(xlabel="true effect", ylabel="estimated effect")

# %%
# How far off, beside one lasso of effects and one effect for all?

others = {
    "attention": found,
    "one effect lasso": model.baseline_.predict(test.X),
    "one effect": np.full(len(test.y), model.average_effect().effect),
}
for name, effect in others.items():
    print(f"root mean squared error of {name}: {np.sqrt(np.mean((effect - test.effect) ** 2)):.3f}")

# %%
# Held-out rows in fifths by their predicted effect: their average effects with 90 % intervals.

print(differ.groups.round(2))
