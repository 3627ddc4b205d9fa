"""The paper's Algorithm 2 by brute force: any forest, scikit-learn's lasso, ten folds, loops.

Nothing of the package is used. Rows are put in the package's order, and folds are drawn from the same seeds, as these
decide which rows a fold and a bag hold; forests are grown on the response in its own standard deviations.
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


def choose_penalty(X, y, folds):
    """Return the penalty of the smallest squared error of rows left out, of 100 from the one that silences all."""
    unit = X.std(axis=0)
    top = np.abs((X - X.mean(axis=0)).T @ (y - y.mean()) / unit).max() / y.size
    path = top * np.geomspace(1.0, 1e-4, 100)
    error = np.zeros(path.size)
    for train, test in folds.split(X):
        Z, z = X[train], y[train]
        center, unit = Z.mean(axis=0), Z.std(axis=0)
        _, slopes, _ = lasso_path((Z - center) / unit, z - z.mean(), alphas=path, tol=1e-12, max_iter=100_000)
        said = z.mean() + (X[test] - center) / unit @ slopes
        error += ((y[test][:, None] - said) ** 2).sum(axis=0)
    return path[np.argmin(error)]


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

    def __init__(self, X, y, target, forest, temperature, folds):
        self.X, self.y, self.temperature = X, y, temperature
        self.forest = clone(forest).fit(X.astype(np.float32), target)
        self.penalty = choose_penalty(X, y, folds)
        self.baseline = weighted_lasso(X, y, np.ones(y.size), self.penalty)

    def predict(self, X):
        """Return what the baseline and the attention-weighted models say of each query."""
        level, slope = self.baseline
        return level + X @ slope, np.array(
            [level + x @ slope for x, (level, slope) in zip(X, self.local(X), strict=True)]
        )

    def local(self, X):
        """Return intercept and slopes of each query's model."""
        weights = softmax(proximity(self.forest, X.astype(np.float32), self.X.astype(np.float32)), self.temperature)
        return [weighted_lasso(self.X, self.y, weight, self.penalty) for weight in weights]


class Paper:
    """Algorithm 2 with its mixing chosen by ten folds, in each of which all is trained anew."""

    def __init__(self, X, y, forest, temperature, seed):
        order = np.lexsort(np.column_stack([X, y]).T)
        X, y = X[order], y[order]
        target = np.round((y - y.mean()) / y.std(), 9)
        outer = KFold(10, shuffle=True, random_state=seed)
        self.whole = Trained(X, y, target, forest, temperature, outer)
        self.penalties, errors = [], []
        for k, (train, test) in enumerate(outer.split(X)):
            folds = KFold(10, shuffle=True, random_state=k)
            part = Trained(X[train], y[train], target[train], forest, temperature, folds)
            base, attn = part.predict(X[test])
            self.penalties.append(part.penalty)
            errors.append([np.mean((y[test] - (1 - m) * base - m * attn) ** 2) for m in MIXINGS])
        self.errors = np.mean(errors, axis=0)
        self.mixing = MIXINGS[int(np.argmin(self.errors))]

    def predict(self, X):
        """Return the blend of step 4."""
        base, attn = self.whole.predict(X)
        return (1 - self.mixing) * base + self.mixing * attn
