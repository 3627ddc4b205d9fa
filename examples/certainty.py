"""Which features matter to a row, and how sure is that: two hidden groups, each with features of its own.

A lasso's coefficient is shrunk, and of a blend of many hardly any is 0. Intervals and selection frequencies tell what
the rows attended to say for certain.
"""

import numpy as np

from heedful import AttentionLasso
from heedful.datasets import make_mixture

ROWS, QUERIES = 500, 100


def main() -> None:
    """Print how many true coefficients are held, and which features are selected."""
    train, test = make_mixture(ROWS + QUERIES, 20, separation=5.0, random_state=1).split(ROWS)
    model = AttentionLasso(n_jobs=-1, random_state=0).fit(train.X, train.y)
    found = model.coef_intervals(test.X, coverage=0.9)

    truth = test.coef.ravel()
    inside = found["low"].le(truth) & found["high"].ge(truth)
    print(f"90 % intervals hold {100 * inside.mean():.1f} % of the true local coefficients")
    for name, chosen in (("frequency > 0.9", found["frequency"] > 0.9), ("not 0 in the model", found["coef"] != 0)):
        true, false = 100 * chosen[truth != 0].mean(), chosen[truth == 0].sum() / QUERIES
        print(f"  {name:20s} {true:5.1f} % of the features that matter, {false:4.1f} others a query")

    for group in (0, 1):
        query = int(np.flatnonzero(test.latent == group)[0])
        own = found.loc[query].assign(truth=test.coef[query])
        print(f"\na query of group {group}:\n{own[own['frequency'] > 0.9].round(2)}")


if __name__ == "__main__":
    main()
