"""The whole attention lasso with one head, written plainly: forest, softmax, lassos, share, guard, adaptive mixing.

Rows are in order of their response and have weights of any size. A forest is grown by the package; which rows share its
leaves, and all that follows, is worked out here one row after the other.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.model_selection import KFold

from reference.forest import bucket_counts, shared_leaves
from reference.lasso import penalty_scale, weighted_lasso
from reference.weights import softmax_weights


def deviation(X, weight):
    """Return the weighted standard deviation of each column."""
    return penalty_scale(X, weight, "local")


def penalties(X, y, weight):
    """Return 100 penalties from the one that silences every column on."""
    share = weight / weight.sum()
    slope = (share * (y - share @ y)) @ (X - share @ X) / deviation(X, weight)
    return np.abs(slope).max() * np.geomspace(1.0, 1e-4, 100)


class Flow:
    """Fitted by loops; ``similarity`` is a forest to grow."""

    def __init__(self, X, y, weight, similarity, temperature, seed):
        order = np.argsort(y)
        self.X, self.y, self.weight = X[order], y[order], weight[order] / weight.mean()
        self.temperature, self.n = temperature, y.size
        drawn = np.random.RandomState(seed)
        self.alpha = self._choose_alpha(KFold(10, shuffle=True, random_state=drawn))
        self.scale = deviation(self.X, self.weight)
        self.base = weighted_lasso(self.X, self.y, self.weight, self.alpha, self.scale)
        self._grow(similarity, int(drawn.randint(np.iinfo(np.int32).max)))
        self.left_out = np.array([self._attend(score) for score in self.left_out_scores])
        self.heads = np.array([self._local(w, x) for w, x in zip(self.left_out, self.X, strict=True)])
        others = self.weight * (1 - np.eye(self.n))
        self.baseline = np.array([self._local(w, x) for w, x in zip(others, self.X, strict=True)])
        self._choose_share(drawn)

    def _choose_alpha(self, folds):
        """Return the penalty with the smallest weighted squared error of rows that were left out."""
        path = penalties(self.X, self.y, self.weight)
        error = np.zeros(path.size)
        for train, test in folds.split(self.X):
            X, y, weight = self.X[train], self.y[train], self.weight[train]
            scale = deviation(X, weight)
            fits = [weighted_lasso(X, y, weight, alpha, scale) for alpha in path]
            off = np.array([self.y[test] - level - self.X[test] @ coef for level, coef in fits])
            error += off**2 @ self.weight[test]
        return path[np.argmin(error)]

    def _grow(self, similarity, seed):
        centred = self.y - np.average(self.y, weights=self.weight)
        target = np.round(centred / np.sqrt(np.average(centred**2, weights=self.weight)), 9)
        self.forest = similarity.set_params(random_state=seed).fit(self.X, target, self.weight)._grown
        leaves, draws = self._leaves(self.X), bucket_counts(self.forest.index, self.n)
        self.train_leaves = leaves
        self.left_out_scores = shared_leaves(leaves, leaves, np.arange(self.n), draws)

    def _leaves(self, X):
        return self.forest.leaves(self.forest.read(X, None))

    def _attend(self, score):
        return softmax_weights(score, self.temperature, self.weight)

    def _local(self, weight, x):
        level, coef = weighted_lasso(self.X, self.y, weight, self.alpha, self.scale)
        return level + coef @ x

    def _error(self, mixing, rows):
        blend = self.baseline[rows] + mixing * (self.heads[rows] - self.baseline[rows])
        return self.weight[rows] @ (self.y[rows] - blend) ** 2

    def _best_mixing(self, rows):
        how = {"bounds": (0, 1), "method": "bounded", "options": {"xatol": 1e-12}}
        return minimize_scalar(lambda mixing: self._error(mixing, rows), **how).x

    def _choose_share(self, drawn):
        """Choose the share by rows left out, and how far it is believed by halves that had no say in it."""
        blend, step = np.zeros(self.n), self.heads - self.baseline
        for _ in range(5):
            for train, test in KFold(2, shuffle=True, random_state=drawn).split(self.X):
                blend[test] += (self.baseline[test] + self._best_mixing(train) * step[test]) / 5
        gain = (self.y - self.baseline) ** 2 - (self.y - blend) ** 2
        share = self.weight / self.weight.sum()
        mean = share @ gain
        errors = mean / np.sqrt(share**2 @ (gain - mean) ** 2)
        self.guard = min(max((errors + 1) / 4, 0.0), 1.0)
        self.overall = self._best_mixing(np.arange(self.n))
        self.mixing = self.guard * self.overall
        self.blend = self.baseline + self.guard * (blend - self.baseline)

    def predict(self, X, *, adaptive=False):
        """Return the prediction of each query, and its mixing."""
        scores = shared_leaves(self._leaves(X), self.train_leaves)
        attention = np.array([self._attend(score) for score in scores])
        level, coef = self.base
        mixing = self.adapt(attention) if adaptive else np.full(len(X), self.mixing)
        local = np.array([self._local(w, x) for w, x in zip(attention, X, strict=True)])
        return (1 - mixing) * (level + X @ coef) + mixing * local, mixing

    def adapt(self, attention, prior_rows=30.0):
        """Return mixings that are best for the rows attended to, as if 30 rows more were for the one of all."""
        step, found = self.heads - self.baseline, []
        for weight in attention:
            rows = 1 / (weight @ weight)
            bend = np.average(step**2, weights=self.weight)

            def cost(mixing, weight=weight, rows=rows, bend=bend):
                error = weight @ (self.y - self.baseline - mixing * step) ** 2
                return rows * error + prior_rows * bend * (mixing - self.overall) ** 2

            found.append(minimize_scalar(cost, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}).x)
        return self.guard * np.array(found)
