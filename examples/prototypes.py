"""
Prototypes: few flowers that stand for all
==========================================

Hierarchical clustering by minimax linkage: every cluster has a prototype, a real flower, and no member is farther from
it than the cluster's height. It can be used on its own, without any model.

Table: 150 iris flowers, which are installed with scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import dendrogram
from sklearn.datasets import load_iris

from heedful.cluster import ProtoClust, cut

# %%
# Three clusters. The clustering never saw the species.

iris = load_iris(as_frame=True)
flowers = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
species = iris.target.map(dict(enumerate(iris.target_names)))
model = ProtoClust(n_clusters=3).fit(flowers)
shown = flowers.iloc[model.prototypes_].assign(farthest=model.heights_.round(2))
print(shown.assign(species=species[model.prototypes_]).to_string())
print(pd.crosstab(model.labels_, species, rownames=["cluster"]).to_string())

# %%
# Left: the tree. Middle: the flowers with their prototypes and how far each cluster reaches. Right: how many prototypes
# it takes for every flower to have one near.

figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
dendrogram(model.linkage_, ax=axes[0], no_labels=True, color_threshold=0, above_threshold_color="#737373")
axes[0].set(ylabel="height, cm")
hues = np.array(["#0072B2", "#E69F00", "#009E73"])
axes[1].scatter(flowers["petal length"], flowers["petal width"], s=10, color=hues[model.labels_])
for row, hue in zip(model.prototypes_, hues, strict=True):
    at = flowers.iloc[row]
    axes[1].scatter(at["petal length"], at["petal width"], s=90, marker="*", color=hue, edgecolor="black", zorder=3)
axes[1].set(xlabel="petal length, cm", ylabel="petal width, cm")
heights = np.linspace(0.3, 3, 28)
counts = [cut(model.linkage_, model.merge_prototypes_, height=height)[1].size for height in heights]
axes[2].step(heights, counts, color="#0072B2")
axes[2].set(xlabel="every flower has a prototype within, cm", ylabel="prototypes needed", yscale="log")
