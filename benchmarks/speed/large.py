"""A model of a large table with nothing to tune."""

from benchmarks.speed.parts import make_table
from heedful import AttentionLasso, LocalLasso
from heedful.similarity import ForestProximity


def large_model(n: int, p: int, trees: int) -> AttentionLasso:
    """Return a fitted model of one head."""
    X, y = make_table(n, p)
    forest = ForestProximity(trees, min_samples_leaf=5)
    settings = {"temperature": 0.1, "local": LocalLasso(alpha_ratio=1.0), "mixing": 1.0}
    return AttentionLasso(heads="single", similarity=forest, n_jobs=-1, random_state=0, **settings).fit(X, y)
