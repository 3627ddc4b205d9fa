"""Heads of one similarity, fitted to queries: what the loss looks at in each, and their blend."""

import numpy as np

from heedful._flow.heads import Grid, HeadGroup, Queries
from heedful._flow.kinds import Run, Variants, View
from heedful._flow.predict import Heads, Prediction, QueryBatch, Wanted, predict_blocks
from heedful._folds import random_splits
from heedful._kernels.shapes import Rule
from heedful._models.linear_fits import make_problem
from heedful.attention import attend
from heedful.attention._weighting import Weighting
from heedful.baseline import CoxBaseline, LassoBaseline, LogisticBaseline
from heedful.similarity import GaussianSimilarity
from reference.cases import family_table

MODELS = {"gaussian": LassoBaseline, "binomial": LogisticBaseline, "multinomial": LogisticBaseline, "cox": CoxBaseline}
SOFTMAX = [Weighting("softmax", 0.5), Weighting("softmax", 2.0)]
ALPHAS = np.array([np.inf, 0.1, 0.05])


def train_queries(x, number):
    """Return training rows, each to be left out: a similarity sees nothing of them but their number."""
    return Queries(x[number], number[:, None], number)


def head_values(group, problem, queries, happened, wanted) -> np.ndarray:
    """Return the part of each head's prediction that the loss looks at (n_query, n_weighting, n_ratio)."""
    nobody = np.zeros(wanted.shape)
    fits = problem.fit(group.score(queries), queries.x, group.weightings, wanted, nobody, group.anchor(queries))
    return happened.observed(fits.values)


def blend_heads(group, problem, queries, shares, *, n_jobs=1) -> Prediction:
    """Return the heads (n_weighting, n_ratio) blended by their shares, as predictions come by them."""
    size, nothing = len(queries.seen), np.empty((0, 0))
    view = View(nothing, nothing, queries.x, np.zeros((size, problem.family.n_values)))
    grid, share = (
        Grid([group], Variants(np.ones(shares.shape[1]), np.zeros(shares.shape[1], dtype=bool))),
        shares.ravel(),
    )
    heads = Heads(grid, problem, share, share, 1.0, 1.0, None)
    batch = QueryBatch(view, [queries.seen], queries.number)
    return predict_blocks(batch, heads, Wanted(coef=True, attention=True), Run(n_jobs))


class FamilyCase:
    """Training rows on the baseline's scale, a similarity of them, and the local problem near the baseline."""

    def __init__(self, rng, kind, n=60, p=3):
        X, y, self.what, (weight, *_) = family_table(rng, "binomial" if kind == "gaussian" else kind, n, p)
        self.kind, self.weight = kind, weight + 0.5
        self.y = X[:, 0] * X[:, 1] if kind == "gaussian" else y
        splits = random_splits(n, 5, 0)
        self.base = MODELS[kind](0.1).fit(X, self.y, sample_weight=self.weight, splits=splits)
        self.x = self.base.fit_.scale.rows(X)
        width = self.x.shape[1]
        rule = Rule(self.base.fit_.scale.pad(np.ones(p)), False, np.zeros(width), 1e-10, 10_000)
        shared = self.base.fit_.family, self.weight, self.base.fit_.model, rule, ALPHAS
        self.problem, self.n, self.p = make_problem(self.x, *shared), n, p
        self.similarity = GaussianSimilarity(standardize=False).fit(self.x[:, :p])
        self.group = HeadGroup(self.similarity, SOFTMAX)
        self.queries = Queries(self.x[:7], self.x[:7, :p])
        self.happened = self.base.fit_.family.part(np.arange(7))

    def values(self, wanted=None, problem=None):
        """Return the values of the first seven rows, as if they were new, that the loss looks at."""
        wanted = np.ones((2, 3), dtype=bool) if wanted is None else wanted
        return head_values(self.group, problem or self.problem, self.queries, self.happened, wanted)

    def blend(self, shares, problem=None, queries=None, n_jobs=1):
        """Return the heads blended by their shares (2, 3)."""
        return blend_heads(self.group, problem or self.problem, queries or self.queries, shares, n_jobs=n_jobs)

    def attention(self, w):
        """Return the weights of the queries under one weighting, without curvatures."""
        return attend(self.similarity.scores(self.x[:7, : self.p]), SOFTMAX[w].temperature, self.weight).toarray()

    def exact(self):
        """Return the problem for fits to convergence."""
        return self.problem.to_convergence()

    def observed(self, links):
        """Return the values that the loss looks at, for links (n_query, n_weighting, n_ratio, n_outputs)."""
        return self.happened.observed(self.problem.family.values(links))
