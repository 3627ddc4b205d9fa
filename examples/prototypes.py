"""
Hierarchical clustering with prototypes
=======================================

In minimax linkage each cluster has a prototype: a real observation, from which no member of the cluster is farther
than the cluster's height. ``ProtoClust`` works on any table, without a model.

Table: 150 iris flowers (``load_iris`` of scikit-learn).
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import dendrogram
from sklearn.datasets import load_iris

from heedful.cluster import ProtoClust, cut

# %%
# Three clusters, their prototypes, and how they compare with the species, which the clustering did not use.

iris = load_iris(as_frame=True)
flowers = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
species = iris.target.map(dict(enumerate(iris.target_names)))
model = ProtoClust(n_clusters=3).fit(flowers)
shown = flowers.iloc[model.prototypes_].assign(farthest=model.heights_.round(2))
print(shown.assign(species=species[model.prototypes_]).to_string())
print(pd.crosstab(model.labels_, species, rownames=["cluster"]).to_string())

# %%
# The clusters in two of the four measurements. Stars are the prototypes.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
hues = np.array(["#0072B2", "#E69F00", "#009E73"])
ax.scatter(flowers["petal length"], flowers["petal width"], s=16, color=hues[model.labels_])
for row, hue in zip(model.prototypes_, hues, strict=True):
    at = flowers.iloc[row]
    ax.scatter(at["petal length"], at["petal width"], s=180, marker="*", color=hue, edgecolor="black", zorder=3)
ax.set(xlabel="petal length, cm", ylabel="petal width, cm")

# %%
# Left: the dendrogram. Right: how many prototypes are needed so that each flower has one within a given distance.

figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
dendrogram(model.linkage_, ax=axes[0], no_labels=True, color_threshold=0, above_threshold_color="#737373")
axes[0].set(ylabel="height, cm", xlabel="flowers")
heights = np.linspace(0.3, 3, 28)
counts = [cut(model.linkage_, model.merge_prototypes_, height=height)[1].size for height in heights]
axes[1].step(heights, counts, color="#0072B2")
axes[1].set(xlabel="largest distance to a prototype, cm", ylabel="prototypes needed", yscale="log")
axes[1].set_yticks([2, 5, 10, 20, 50], labels=["2", "5", "10", "20", "50"])
axes[1].minorticks_off()
