"""
Attention around boosters and forests
=====================================

A hidden minority of the rows has its own coefficients. Attention lowers the errors of three tree models a little: a
LightGBM model fitted for each row with attention weights, a random forest whose leaves are reweighted for each row, and
a LightGBM model whose trees are reweighted.

Table: a simulation (``make_subgroups``) with little noise (``snr=10``). With the default noise (``snr=2.5``) the gains
are smaller, and in some draws there are none.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from heedful import AttentionRegressor, LeafAttentionRegressor, LocalLearner, TreeAttentionRegressor
from heedful.datasets import make_subgroups

# %%
# The error of each model with attention, and of the same learner without.

train, test = make_subgroups(400, shift=3.0, snr=10.0, random_state=0).split()
forest = RandomForestRegressor(60, min_samples_leaf=5, random_state=0).fit(train.X, train.y)
models = {
    "one LightGBM per row": AttentionRegressor(local=LocalLearner(tuning_rows=100), random_state=0),
    "forest, leaves reweighted": LeafAttentionRegressor(forest, random_state=0),
    "LightGBM, trees reweighted": TreeAttentionRegressor(random_state=0),
}
print(f"{len(train.y)} training rows, {len(test.y)} held-out rows; squared error in % of the variance:")
explained, errors = {}, {}
for name, model in models.items():
    explained[name] = model.fit(train.X, train.y).explain(test.X, test.y)
    losses = (explained[name].loss, explained[name].baseline_loss)
    errors[name] = [100 * loss.mean() / test.y.var() for loss in losses]
    print(f"  {name:28s} {errors[name][0]:.1f}   {type(model.baseline_).__name__} alone {errors[name][1]:.1f}")

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for at, (ours, plain) in enumerate(errors.values()):
    ax.plot([plain, ours], [at, at], color="#BFBFBF", zorder=1)
    ax.scatter([plain], [at], color="#D55E00", label="without attention" if at == 0 else None)
    ax.scatter([ours], [at], color="#0072B2", label="with attention" if at == 0 else None)
ax.set(yticks=range(3), yticklabels=errors, xlabel="squared error, % of the variance", xlim=(20, 27), ylim=(2.5, -0.5))
ax.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1))

# %%
# Which features do the LightGBM models of single rows use? We cluster the rows by their feature importances. The
# clusters turn out to be close to the hidden groups.

groups = explained["one LightGBM per row"].clusters(3)
shown = groups.coef[groups.coef.max().nlargest(6).index]
shares = [100 * test.latent[(groups.labels == number).to_numpy()].mean() for number in shown.index]
print("share of the hidden minority in each cluster, %:", np.round(shares).tolist())
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
image = ax.imshow(shown.T, aspect="auto", cmap="viridis")
ax.set(
    xticks=range(len(shares)),
    xticklabels=[f"cluster {n}\n{share:.0f} % minority" for n, share in zip(shown.index, shares, strict=True)],
    yticks=range(shown.shape[1]),
    yticklabels=shown.columns,
)
figure.colorbar(image, label="importance")
