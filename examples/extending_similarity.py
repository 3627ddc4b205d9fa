"""A similarity of one's own in one file: rows are alike if they are near each other on a map and of the same kind."""

import numpy as np

from heedful import AttentionLasso
from heedful.similarity import Similarity


class MapSimilarity(Similarity):
    """Score two rows by minus their distance on a map; rows of another kind are masked."""

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


def main():
    """Fit a price that depends on the size of a flat, differently from place to place and from kind to kind."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(0, 3, (500, 2)), rng.integers(0, 2, 500), rng.normal(size=500)])
    y = (np.sin(2 * X[:, 0]) + 2 * X[:, 2]) * X[:, 3] + 0.1 * rng.normal(size=500)
    features = {"similarity": [0, 1, 2], "model": [3]}
    model = AttentionLasso(similarity=MapSimilarity(), features=features, random_state=0).fit(X[:300], y[:300])
    print(f"R2 {model.score(X[300:], y[300:]):.2f}, one lasso {model.baseline_.score(X[300:, 3:], y[300:]):.2f}")
    print(model.heads_.query("share > 0")[["similarity", "temperature", "share"]].round(2).to_string(index=False))


if __name__ == "__main__":
    main()
