"""Right-censored survival: two hidden groups in which the same measurements mean the opposite."""

import numpy as np

from heedful import AttentionCox
from heedful.datasets import make_survival


def main() -> None:
    """Fit one half, rank the other, and draw survival curves as numbers."""
    train, test = make_survival(600, 10, random_state=0).split()
    print(f"{len(train.y)} patients to learn from, {100 * np.mean(~train.y['event']):.0f} % censored")
    model = AttentionCox(random_state=0, n_jobs=-1).fit(train.X, train.y)
    plain = AttentionCox(mixing=0.0, random_state=0, n_jobs=-1).fit(train.X, train.y)
    print(f"concordance {model.score(test.X, test.y):.3f}, one Cox lasso {plain.score(test.X, test.y):.3f}")
    same = train.latent == test.latent[:, None]
    own = 100 * (model.attention(test.X).toarray() * same).sum(axis=1).mean()
    print(f"attention on rows of the query's own hidden group: {own:.0f} %, by chance {100 * same.mean():.0f} %")
    times = np.quantile(train.y["time"], [0.25, 0.5, 0.75])
    print("\nprobability of being without event at the quartiles of time, for the lowest and the highest hazard:")
    order = np.argsort(model.predict(test.X))
    print(model.predict_survival_function(test.X[order[[0, -1]]], times).round(3).to_string())


if __name__ == "__main__":
    main()
