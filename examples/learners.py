"""
Any learner: boosters and forests with attention
================================================

A minority of the rows has a model of its own, and nobody tells which. Attention around a booster fits one for every
query; around leaves or trees of a model that is there already it only weighs them anew.

Table: a simulation with a known truth, `make_subgroups`. The noise is low (`snr=10`); at the default of 2.5 the gains
are smaller, and on some draws there are none.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from heedful import AttentionRegressor, LeafAttentionRegressor, LocalLearner, TreeAttentionRegressor
from heedful.datasets import make_subgroups

# %%
# Each kind of attention beside the plain model that it is built on.

train, test = make_subgroups(400, shift=3.0, snr=10.0, random_state=0).split()
forest = RandomForestRegressor(60, min_samples_leaf=5, random_state=0).fit(train.X, train.y)
models = {
    "one LightGBM per row": AttentionRegressor(local=LocalLearner(tuning_rows=100), random_state=0),
    "leaves of the forest weighed anew": LeafAttentionRegressor(forest, random_state=0),
    "trees of LightGBM weighed anew": TreeAttentionRegressor(random_state=0),
}
print(f"{len(train.y)} rows to learn from, {len(test.y)} to predict; squared error in % of the variance of y:")
explained, errors = {}, {}
for name, model in models.items():
    explained[name] = model.fit(train.X, train.y).explain(test.X, test.y)
    losses = (explained[name].loss, explained[name].baseline_loss)
    errors[name] = [100 * loss.mean() / test.y.var() for loss in losses]
    print(f"  {name:34s} {errors[name][0]:.1f}   {type(model.baseline_).__name__} alone {errors[name][1]:.1f}")

# %%
# What the boosters of single rows use: importances differ between groups of queries that were found by them, and the
# groups are nearly the hidden ones.

groups = explained["one LightGBM per row"].clusters(3)
figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), layout="constrained")
for at, (ours, plain) in enumerate(errors.values()):
    axes[0].plot([plain, ours], [at, at], color="#BFBFBF", zorder=1)
    axes[0].scatter([plain], [at], color="#D55E00", label="plain" if at == 0 else None)
    axes[0].scatter([ours], [at], color="#0072B2", label="with attention" if at == 0 else None)
axes[0].set(
    yticks=range(3), yticklabels=errors, xlabel="squared error, % of the variance", xlim=(0, None), ylim=(-0.5, 2.5)
)
axes[0].legend(frameon=False)
shown = groups.coef.loc[:, groups.coef.max() > 0.06]
image = axes[1].imshow(shown.T, aspect="auto", cmap="viridis")
shares = [100 * test.latent[(groups.labels == number).to_numpy()].mean() for number in shown.index]
axes[1].set(
    xticks=range(len(shares)),
    xticklabels=[f"{share:.0f} % minority" for share in shares],
    yticks=range(shown.shape[1]),
    yticklabels=shown.columns,
)
figure.colorbar(image, label="importance")
print("share of the minority in each group:", np.round(shares).tolist())
