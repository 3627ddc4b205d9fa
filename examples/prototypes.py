"""Few flowers that stand for all: prototypes of the iris table, none of whose flowers is far from one."""

import pandas as pd
from sklearn.datasets import load_iris

from heedful.cluster import ProtoClust, cut


def main() -> None:
    """Cluster 150 flowers, show the prototypes, then ask for closer ones."""
    iris = load_iris(as_frame=True)
    species = iris.target.map(dict(enumerate(iris.target_names)))
    model = ProtoClust(n_clusters=3).fit(iris.data)
    shown = iris.data.iloc[model.prototypes_].rename(columns=lambda name: name.removesuffix(" (cm)"))
    counts = pd.Series(model.labels_).value_counts().sort_index()
    print(f"{len(iris.data)} flowers in 3 clusters, measured in cm; each prototype is one of the flowers:")
    print(
        shown.assign(
            species=species[model.prototypes_],
            flowers=counts.to_numpy(),
            farthest=model.heights_.round(2),
        ).to_string()
    )
    print("\nspecies in each cluster (the clustering never saw them):")
    print(pd.crosstab(model.labels_, species, rownames=["cluster"]).to_string())

    print("\nhow many prototypes it takes for every flower to have one within ...")
    for height in (2.5, 1.5, 1.0, 0.7):
        _, prototypes, _ = cut(model.linkage_, model.merge_prototypes_, height=height)
        print(f"  {height} cm: {prototypes.size}")


if __name__ == "__main__":
    main()
