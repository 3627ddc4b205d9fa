"""
Spatial data: using the neighbours of a pixel
=============================================

In images of tissue, hidden regions decide the effect of each feature. A pixel's own values do not reveal its region,
but those of its neighbours do. As context for the similarity, they lower the error. Whole images are held out, both
for the test and in cross-validation.

Table: simulated images (``make_tissue``), where the true region and coefficients of each pixel are known.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso
from heedful.context import neighbor_features
from heedful.datasets import make_tissue
from heedful.similarity import ForestProximity

# %%
# ``neighbor_features`` adds columns that describe the neighbours of a pixel. Only the similarity uses them; the local
# models use the pixel's own features.

N_TRAIN, SIZE = 8, 16
sim = make_tissue(12, SIZE, random_state=0)
own = [name for name in sim.X.columns if name.startswith("x")]
table = neighbor_features(sim.X, own, ["row", "column"], by="image", grid=True)
around = [name for name in table.columns if "_near_" in name]
train = table["image"] < N_TRAIN
print(f"{train.sum()} training pixels in {N_TRAIN} images, {(~train).sum()} test pixels in 4 others")
models = {}
for name, seen in {"attention without context": own, "attention with context": own + around}.items():
    features = {"similarity": seen, "model": own}
    models[name] = AttentionLasso(similarity=ForestProximity(100), features=features, cv=5, random_state=0)
    models[name].fit(table[train], sim.y[train], groups=table.loc[train, "image"])
plain = models["attention without context"].baseline_
lasso = np.mean((sim.y[~train] - plain.predict(table.loc[~train, own])) ** 2)
print(f"  {'global lasso':26s} mean squared error {lasso:.2f}")
for name, model in models.items():
    error = np.mean((sim.y[~train] - model.predict(table[~train])) ** 2)
    print(f"  {name:26s} mean squared error {error:.2f} ({100 * (error / lasso - 1):+.1f} %)")

# %%
# A held-out image: its hidden regions, the true effect of x1 in each pixel, and the estimated effect with and without
# context.

one = table["image"] == N_TRAIN
effects = {name: model.local_effects(table[one], columns=["x1"])["effect"].to_numpy() for name, model in models.items()}
pictures = {"true effect of x1": sim.coef[one, 0], "estimated with context": effects["attention with context"]}
pictures["estimated without context"] = effects["attention without context"]
figure, axes = plt.subplots(2, 2, figsize=(6.5, 5.6), layout="constrained")
axes = axes.ravel()
axes[0].imshow(sim.latent[one].reshape(SIZE, SIZE), cmap="cividis")
axes[0].set_title("hidden region", fontsize=10)
most = np.abs(sim.coef[one, 0]).max()
for ax, (title, values) in zip(axes[1:], pictures.items(), strict=True):
    shown = ax.imshow(values.reshape(SIZE, SIZE), cmap="RdBu_r", vmin=-most, vmax=most)
    ax.set_title(title, fontsize=10)
figure.colorbar(shown, ax=axes, shrink=0.8, label="effect of x1")
for ax in axes:
    ax.set(xticks=[], yticks=[])
