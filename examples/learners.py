"""Attention around boosters and forests: a minority of the rows has a model of its own, and nobody tells which.

The noise is low (`snr=10`); at the default of 2.5 the gains are smaller, and on some draws there are none.
"""

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from heedful import AttentionRegressor, LeafAttentionRegressor, TreeAttentionRegressor
from heedful.datasets import make_subgroups

SHARED = {"n_jobs": -1, "random_state": 0}


def main() -> None:
    """Compare each kind of attention with the plain model that it is built on, then group the queries."""
    train, test = make_subgroups(400, shift=3.0, snr=10.0, random_state=0).split()
    forest = RandomForestRegressor(60, min_samples_leaf=5, **SHARED).fit(train.X, train.y)
    models = {
        "one LightGBM per row": AttentionRegressor(tuning_rows=100, **SHARED),
        "leaves of the forest weighed anew": LeafAttentionRegressor(forest, **SHARED),
        "trees of LightGBM weighed anew": TreeAttentionRegressor(**SHARED),
    }
    print(f"{len(train.y)} rows to learn from, {len(test.y)} to predict; squared error in % of the variance of y:")
    explained = {}
    for name, model in models.items():
        explained[name] = model.fit(train.X, train.y).explain(test.X, test.y)
        losses = (explained[name].loss, explained[name].baseline_loss)
        error, plain = (100 * loss.mean() / test.y.var() for loss in losses)
        print(f"  {name:34s} {error:.1f}   {type(model.baseline_).__name__} alone {plain:.1f}")
    show_groups(explained["one LightGBM per row"], test.latent)


def show_groups(e, latent: np.ndarray) -> None:
    """Print groups of queries whose models use like features."""
    groups = e.clusters(3)
    print(f"\ngroups by the importance of features, {100 * latent.mean():.0f} % of all rows are of the minority:")
    for number, row in groups.coef.iterrows():
        members = (groups.labels == number).to_numpy()
        features = ", ".join(f"{name} {share:.2f}" for name, share in row.nlargest(3).items())
        print(f"  {members.sum():3d} rows, {100 * latent[members].mean():3.0f} % minority: {features}")


if __name__ == "__main__":
    main()
