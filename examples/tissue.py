"""
Space: regions that only the neighbours tell
============================================

Hidden regions of a tissue decide what a pixel's features do; no pixel tells its region, but its surroundings do. Whole
images are held out, in the test and in the folds.

Table: a simulation with a known truth, `make_tissue`.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso
from heedful.context import neighbor_features
from heedful.datasets import make_tissue
from heedful.similarity import ForestProximity

# %%
# Columns that describe the surroundings of a pixel are for the similarity; models use the pixel's own features only.

N_TRAIN, SIZE = 8, 16
sim = make_tissue(12, SIZE, random_state=0)
own = [name for name in sim.X.columns if name.startswith("x")]
table = neighbor_features(sim.X, own, ["row", "column"], by="image", grid=True)
around = [name for name in table.columns if "_near_" in name]
train = table["image"] < N_TRAIN
print(f"{train.sum()} pixels of {N_TRAIN} images to learn from, {(~train).sum()} of 4 others to predict")
models = {}
for name, seen in {"attention without context": own, "attention with context": own + around}.items():
    features = {"similarity": seen, "model": own}
    models[name] = AttentionLasso(similarity=ForestProximity(100), features=features, cv=5, random_state=0)
    models[name].fit(table[train], sim.y[train], groups=table.loc[train, "image"])
plain = models["attention without context"].baseline_
lasso = np.mean((sim.y[~train] - plain.predict(table.loc[~train, own])) ** 2)
print(f"  {'lasso':26s} squared error {lasso:.2f}")
for name, model in models.items():
    error = np.mean((sim.y[~train] - model.predict(table[~train])) ** 2)
    print(f"  {name:26s} squared error {error:.2f}  gain over the lasso {100 * (1 - error / lasso):+.1f} %")

# %%
# An image that was not seen: its hidden regions, the true effect of x1 in each pixel, and the fitted ones.

one = table["image"] == N_TRAIN
effects = {name: model.local_effects(table[one], columns=["x1"])["effect"].to_numpy() for name, model in models.items()}
pictures = {"true effect of x1": sim.coef[one, 0], "with context": effects["attention with context"]}
pictures["without context"] = effects["attention without context"]
figure, axes = plt.subplots(1, 4, figsize=(12, 3), layout="constrained")
axes[0].imshow(sim.latent[one].reshape(SIZE, SIZE), cmap="tab10")
axes[0].set_title("hidden region", fontsize=9)
most = np.abs(sim.coef[one, 0]).max()
for ax, (title, values) in zip(axes[1:], pictures.items(), strict=True):
    shown = ax.imshow(values.reshape(SIZE, SIZE), cmap="RdBu_r", vmin=-most, vmax=most)
    ax.set_title(title, fontsize=9)
figure.colorbar(shown, ax=axes, shrink=0.8)
for ax in axes:
    ax.set(xticks=[], yticks=[])
