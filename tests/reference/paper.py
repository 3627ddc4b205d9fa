"""The paper's Algorithm 2 by brute force: any forest, folds, loops, a slow lasso for each kind of response.

Nothing of the package is used. Rows are put in the package's order, and folds are drawn from the same seeds, as these
decide which rows a fold and a bag hold. A response says what forests are grown to, what folds are, what a lasso and its
penalty are, and what its errors are (``Numbers`` here, ``Labels`` and ``Times`` in ``paper_losses.py``).
"""

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import Lasso, lasso_path
from sklearn.model_selection import KFold

MIXINGS = [m / 10 for m in range(11)]


def deviation(X, weight):
    """Return the weighted standard deviation of each column."""
    return np.sqrt(np.average((X - np.average(X, axis=0, weights=weight)) ** 2, axis=0, weights=weight))


def weighted_lasso(X, y, weight, penalty):
    """Return intercept and slopes of a lasso whose columns are standardised under its own weights."""
    unit = deviation(X, weight)
    fit = Lasso(penalty, tol=1e-14, max_iter=100_000).fit(X / unit, y, sample_weight=weight)
    return polished(X, y, weight, penalty * unit, fit.coef_ / unit)


def polished(X, y, weight, penalty, slope):
    """Return intercept and slopes with the conditions of the active columns solved exactly; all must hold."""
    share = weight / weight.sum()
    Z, left, active = X - share @ X, y - share @ y, slope != 0
    gram, pull = Z.T @ (share[:, None] * Z), Z.T @ (share * left)
    exact = np.zeros(slope.size)
    exact[active] = np.linalg.solve(gram[np.ix_(active, active)], (pull - penalty * np.sign(slope))[active])
    assert (np.sign(exact) == np.sign(slope)).all()
    assert (np.abs(pull - gram @ exact) <= penalty * (1 + 1e-9)).all()
    return share @ y - share @ X @ exact, exact


class Numbers:
    """Numbers under squared error; forests are grown on them in their own standard deviations."""

    def target(self, y):
        """Return what forests are grown to."""
        return np.round((y - y.mean()) / y.std(), 9)

    def folds(self, y, n_folds, seed):
        """Return training and test rows of each fold."""
        return list(KFold(n_folds, shuffle=True, random_state=seed).split(y))

    def choose_penalty(self, X, y, folds):
        """Return the penalty of the smallest squared error of rows left out, of 100 from the one that silences all."""
        unit = X.std(axis=0)
        top = np.abs((X - X.mean(axis=0)).T @ (y - y.mean()) / unit).max() / y.size
        path = top * np.geomspace(1.0, 1e-4, 100)
        error = np.zeros(path.size)
        for train, test in folds:
            Z, z = X[train], y[train]
            center, unit = Z.mean(axis=0), Z.std(axis=0)
            _, slopes, _ = lasso_path((Z - center) / unit, z - z.mean(), alphas=path, tol=1e-12, max_iter=100_000)
            said = z.mean() + (X[test] - center) / unit @ slopes
            error += ((y[test][:, None] - said) ** 2).sum(axis=0)
        return path[np.argmin(error)]

    def fit(self, X, y, weights, penalty):
        """Return intercepts and slopes under each row of weights."""
        fits = [weighted_lasso(X, y, weight, penalty) for weight in weights]
        return np.array([level for level, _ in fits])[:, None], np.array([slope for _, slope in fits])[:, None]

    def level(self, fits, trained, weights):
        """Return intercepts as they are."""
        return fits[0]

    def values(self, link):
        """Return what is blended."""
        return link[:, 0]

    def errors(self, y, values, whole):
        """Return the error of each row."""
        return (y - values) ** 2


def proximity(forest, X, X_train):
    """Return the share of trees in which a query and a training row end in the same leaf."""
    leaves, train_leaves = forest.apply(X), forest.apply(X_train)
    return np.array([[np.mean(own == other) for other in train_leaves] for own in leaves])


def softmax(scores, temperature):
    """Return weights that sum to one in each row."""
    raised = np.exp(scores / temperature)
    return raised / raised.sum(axis=1, keepdims=True)


class Trained:
    """Steps 1 to 3 of the algorithm, fitted to rows; ``target`` is the response as the forest sees it."""

    def __init__(self, X, y, target, forest, temperature, folds, response):
        self.X, self.y, self.temperature, self.response = X, y, temperature, response
        self.forest = clone(forest).fit(X.astype(np.float32), target)
        self.penalty = response.choose_penalty(X, y, folds)
        level, slope = response.fit(X, y, np.ones((1, len(y))), self.penalty)
        self.baseline = level[0], slope[0]

    def base_link(self, X):
        """Return the linear predictors of the baseline (n_rows, n_outputs)."""
        return self.baseline[0] + X @ self.baseline[1].T

    def predict(self, X):
        """Return what the baseline and the attention-weighted models say of each query."""
        level, slope = self.local(X)
        return self.response.values(self.base_link(X)), self.response.values(level + np.einsum("qkj,qj->qk", slope, X))

    def local(self, X):
        """Return intercepts and slopes of each query's model."""
        weights = self.attention(X)
        fits = self.response.fit(self.X, self.y, weights, self.penalty)
        return self.response.level(fits, self, weights), fits[1]

    def attention(self, X):
        """Return the weights of training rows (n_query, n_train)."""
        return softmax(proximity(self.forest, X.astype(np.float32), self.X.astype(np.float32)), self.temperature)


class Paper:
    """Algorithm 2 with its mixing chosen by folds, in each of which all is trained anew."""

    def __init__(self, X, y, forest, temperature, seed, response=None, n_folds=10):
        response = response or Numbers()
        order = np.lexsort(np.column_stack([X, y]).T)
        X, y = X[order], y[order]
        target, outer = response.target(y), response.folds(y, n_folds, seed)
        self.response, self.y = response, y
        self.whole = Trained(X, y, target, forest, temperature, outer, response)
        self.penalties, self.test = [], [test for _, test in outer]
        said = []
        for k, (train, test) in enumerate(outer):
            folds = response.folds(y[train], n_folds, k)
            part = Trained(X[train], y[train], target[train], forest, temperature, folds, response)
            said.append(part.predict(X[test]))
            self.penalties.append(part.penalty)
        self.unseen = said
        self.errors = np.mean([self.fold_errors(m) for m in MIXINGS], axis=1)
        self.mixing = MIXINGS[int(np.argmin(self.errors))]

    def fold_errors(self, mixing):
        """Return the mean error of each fold at a mixing."""
        return [np.mean(self.row_errors(k, mixing)) for k in range(len(self.test))]

    def row_errors(self, k, mixing):
        """Return the errors of the rows of a fold at a mixing."""
        base, attn = self.unseen[k]
        return self.response.errors(self.y[self.test[k]], (1 - mixing) * base + mixing * attn, self.whole)

    def predict(self, X):
        """Return the blend of step 4."""
        base, attn = self.whole.predict(X)
        return (1 - self.mixing) * base + self.mixing * attn

    def predict_adaptively(self, X):
        """Return the mixings of the remark, one for each query, and the blend with them.

        Each has the smallest error of rows left out under the query's own attention weights.
        """
        weights, error = self.whole.attention(X), np.zeros((len(X), len(MIXINGS)))
        for k, test in enumerate(self.test):
            error += weights[:, test] @ np.column_stack([self.row_errors(k, mixing) for mixing in MIXINGS])
        mixing = np.array(MIXINGS)[np.argmin(error, axis=1)]
        base, attn = self.whole.predict(X)
        share = mixing.reshape(-1, *[1] * (base.ndim - 1))
        return mixing, (1 - share) * base + share * attn
