"""Compare errors with and without the smooth model and the forests of scores, on two simulations.

The first response is a smooth function. In the second, one column decides the sign of another column's slope.
"""

import argparse

import numpy as np
import pandas as pd

from heedful import AttentionLasso, LocalLasso
from heedful.similarity import default_forests

ROWS, NEW_ROWS = 500, 2000


def make_smooth(rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """Return Friedman's function of five of ten columns, plus noise with standard deviation 1."""
    X = rng.random((ROWS + NEW_ROWS, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(10)]), y + rng.normal(size=len(X))


def make_switch(rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a response whose slope in b is 2 if a is positive, otherwise -1; its mean does not depend on a."""
    X = rng.normal(size=(ROWS + NEW_ROWS, 20))
    y = np.where(X[:, 0] > 0, 2.0, -1.0) * X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=len(X))
    return pd.DataFrame(X, columns=["a", "b", "c", *(f"noise{j}" for j in range(17))]), y


def compare(X: pd.DataFrame, y: np.ndarray) -> tuple[dict[str, float], AttentionLasso]:
    """Return the mean squared errors of the lasso and four models on new rows, and the last model."""
    on_response = [forest for forest in default_forests() if forest.target != "scores"]
    models = {
        "neither": AttentionLasso(similarity=on_response, local=LocalLasso(smooth=False), n_jobs=-1, random_state=0),
        "smooth": AttentionLasso(similarity=on_response, n_jobs=-1, random_state=0),
        "scores": AttentionLasso(local=LocalLasso(smooth=False), n_jobs=-1, random_state=0),
        "default": AttentionLasso(n_jobs=-1, random_state=0),
    }
    errors = {}
    for name, model in models.items():
        model.fit(X[:ROWS], y[:ROWS])
        errors[name] = float(np.mean((model.predict(X[ROWS:]) - y[ROWS:]) ** 2))
    return {"lasso": float(np.mean((model.baseline_.predict(X[ROWS:]) - y[ROWS:]) ** 2)), **errors}, model


def main() -> None:
    """Print errors on both simulations, and how often the estimated effect of b has the right sign."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    rng = np.random.default_rng(0)
    smooth, _ = compare(*make_smooth(rng))
    X, y = make_switch(rng)
    switch, model = compare(X, y)
    print(pd.DataFrame({"smooth": smooth, "switch": switch}).T.round(2).to_string())
    new = X[ROWS : ROWS + 300]
    effect = model.local_effects(new, columns=["b"])["effect"].to_numpy()
    right = np.mean(np.sign(effect) == np.where(new["a"] > 0, 1, -1))
    print(f"the estimated effect of b has the right sign for {right:.0%} of 300 new rows")


if __name__ == "__main__":
    main()
