"""
Writing your own similarity
===========================

A similarity is a class with two methods, ``fit`` and ``scores``. This one compares rows by their distance on a map, and
only rows of the same kind.

Table: simulated prices of flats. The effect of size on the price depends on the place and on the kind of flat.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionLasso
from heedful.similarity import Similarity

# %%
# ``scores`` returns one row per query and one column per training row. Larger scores mean more similar, and minus
# infinity excludes a training row.


class MapSimilarity(Similarity):
    """Score two rows by minus their distance on a map; exclude rows of another kind."""

    # one column per feature, categories as numbers, missing cells as NaN
    takes = "codes"

    def __init__(self, place=(0, 1), kind=2):
        self.place = place
        self.kind = kind

    def fit(self, X, y=None, sample_weight=None):
        self.X_ = np.asarray(X)
        return self

    def scores(self, X):
        place, kind = list(self.place), self.kind
        away = np.linalg.norm(X[:, None, place] - self.X_[:, place], axis=2)
        return np.where(X[:, None, kind] == self.X_[:, kind], -away, -np.inf)

    @property
    def temperatures_(self):
        """Distances that count as near."""
        return (1.0, 0.3, 0.1)


# %%
# Use it like any other similarity. heedful tunes the temperature and how much weight the local models get. A *head* is
# one similarity with its temperature and penalty, and its share is its weight in the blend. The maps show the effect of
# size for flats of kind 0.


def main():
    """Fit, compare with the global lasso, and draw true and estimated effects of size on the map."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(0, 3, (500, 2)), rng.integers(0, 2, 500), rng.normal(size=500)])
    y = (np.sin(2 * X[:, 0]) + 2 * X[:, 2]) * X[:, 3] + 0.1 * rng.normal(size=500)
    features = {"similarity": [0, 1, 2], "model": [3]}
    model = AttentionLasso(similarity=MapSimilarity(), features=features, random_state=0).fit(X[:300], y[:300])
    plain = model.baseline_.score(X[300:, 3:], y[300:])
    print(f"R2 on held-out flats {model.score(X[300:], y[300:]):.2f}, global lasso {plain:.2f}")
    print(model.heads_.query("share > 0")[["similarity", "temperature", "share"]].round(2).to_string(index=False))

    east, north = (part.ravel() for part in np.meshgrid(np.linspace(0, 3, 40), np.linspace(0, 3, 40)))
    grid = np.column_stack([east, north, np.zeros(east.size), np.ones(east.size)])
    fitted = model.local_effects(grid, columns=[3])["effect"].to_numpy()
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
    for ax, title, values in zip(axes, ("true", "estimated"), (np.sin(2 * east), fitted), strict=True):
        shown = ax.imshow(values.reshape(40, 40), origin="lower", extent=(0, 3, 0, 3), cmap="RdBu_r", vmin=-1, vmax=1)
        ax.set(xlabel="east", ylabel="north")
        ax.set_title(f"{title} effect of size", fontsize=10)
    figure.colorbar(shown, ax=axes)


if __name__ == "__main__":
    main()
