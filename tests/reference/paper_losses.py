"""Lassos of classes and of survival for the paper's Algorithm 2: proximal gradient steps, many fits side by side."""

import numpy as np


def fit_lassos(response, X, y, weights, penalties, tol=1e-12):
    """Return intercepts (n_fit, n_outputs) and slopes (n_fit, n_outputs, n_columns) of a lasso per row of weights.

    Columns are standardised under the weights of each fit. Steps are accelerated, and begin anew where they turn back;
    at the end no condition of the minimum is missed by more than ``tol``.
    """
    weights = weights / weights.sum(axis=1, keepdims=True)
    mean = weights @ X
    unit = np.sqrt(weights @ X**2 - mean**2)
    Z = (X - mean[:, None]) / unit[:, None]
    penalty, start = np.reshape(penalties, (-1, 1, 1)), response.null_link(y, weights)
    level, slope = start.copy(), np.zeros((len(weights), start.shape[1], X.shape[1]))
    ahead, pace = (level, slope), 1.0
    step = 1.0 / (response.steepest * (1.0 + (Z**2).sum(axis=2).max()))
    for _ in range(100_000):
        down = weights[:, :, None] * response.down(y, ahead[0][:, None] + Z @ ahead[1].swapaxes(1, 2), weights)
        pull = down.swapaxes(1, 2) @ Z
        new_level, moved = ahead[0] + step * response.has_level * down.sum(axis=1), ahead[1] + step * pull
        new_slope = np.sign(moved) * np.maximum(np.abs(moved) - step * penalty, 0.0)
        if max(np.abs(new_level - ahead[0]).max(), np.abs(new_slope - ahead[1]).max()) <= step * tol:
            break
        back = ((ahead[1] - new_slope) * (new_slope - slope)).sum() + (
            (ahead[0] - new_level) * (new_level - level)
        ).sum()
        faster = 1.0 if back > 0 else (1 + np.sqrt(1 + 4 * pace**2)) / 2
        share = 0.0 if back > 0 else (pace - 1) / faster
        ahead = new_level + share * (new_level - level), new_slope + share * (new_slope - slope)
        level, slope, pace = new_level, new_slope, faster
    else:
        raise AssertionError("a lasso did not converge")
    slope = new_slope / unit[:, None]
    return new_level - np.einsum("qkj,qj->qk", slope, mean), slope


class Loss:
    """What lassos of a response share."""

    def folds(self, y, n_folds, seed):
        """Return training and test rows of folds; each kind of row is dealt out to them in turn."""
        kind = self.kinds(y)
        shuffled, fold = np.random.RandomState(seed).permutation(len(y)), np.empty(len(y), int)
        fold[shuffled[np.argsort(kind[shuffled], kind="stable")]] = np.arange(len(y)) % n_folds
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]

    def choose_penalty(self, X, y, folds):
        """Return the penalty of the smallest loss of rows left out, of 100 from the one that silences all.

        The search ends where twenty smaller ones did not help.
        """
        even = np.full((1, len(y)), 1.0 / len(y))
        null = np.repeat(self.null_link(y, even)[:, None], len(y), axis=1)
        top = np.abs(self.down(y, null, even)[0].T @ ((X - X.mean(axis=0)) / X.std(axis=0))).max() / len(y)
        path = top * np.geomspace(1.0, 1e-4, 100)
        error = []
        while len(error) < path.size and len(error) - 20 <= np.argmin(error or [0]):
            part = path[len(error) :][:20]
            found = np.zeros(part.size)
            for train, test in folds:
                level, slope = fit_lassos(self, X[train], y[train], np.ones((part.size, train.size)), part, tol=1e-7)
                found += self.left_out_loss(y, level[:, None] + X @ slope.swapaxes(1, 2), train, test)
            error += found.tolist()
        return path[np.argmin(error)]

    def fit(self, X, y, weights, penalty):
        """Return intercepts and slopes under each row of weights."""
        return fit_lassos(self, X, y, weights, np.full(len(weights), penalty))


class Labels(Loss):
    """Classes by number under log loss; two of them have one output, more one for each."""

    has_level = 1.0

    def __init__(self, n_classes):
        self.n_classes, self.steepest = n_classes, 0.25 if n_classes == 2 else 0.5

    def kinds(self, y):
        """Return the classes."""
        return y

    def target(self, y):
        """Return the classes as text, which forests take for labels."""
        return y.astype(int).astype(str)

    def outputs(self, chance):
        """Return what has an output of its own."""
        return chance[..., 1:] if self.n_classes == 2 else chance

    def happened(self, y):
        """Return a column of zeros and ones for each class."""
        return y[:, None] == np.arange(self.n_classes)

    def null_link(self, y, weights):
        """Return the linear predictors of the shares of classes."""
        share = np.log(weights @ self.happened(y) / weights.sum(axis=1, keepdims=True))
        return share[:, 1:] - share[:, :1] if self.n_classes == 2 else share - share.mean(axis=1, keepdims=True)

    def values(self, link):
        """Return the probabilities of all classes."""
        link = np.concatenate([0.0 * link, link], axis=-1) if self.n_classes == 2 else link
        mass = np.exp(link - link.max(axis=-1, keepdims=True))
        return mass / mass.sum(axis=-1, keepdims=True)

    def down(self, y, link, weights):
        """Return minus the slope of each row's loss."""
        return self.outputs(self.happened(y) - self.values(link))

    def left_out_loss(self, y, link, train, test):
        """Return the log loss of test rows, in sum, for each fit."""
        return self.errors(y[test], self.values(link[:, test]), None).sum(axis=1)

    def level(self, fits, trained, weights):
        """Return intercepts as they are."""
        return fits[0]

    def errors(self, y, values, whole):
        """Return the log loss of each row."""
        return -np.log(values[..., np.arange(len(y)), y.astype(int)])


class Times(Loss):
    """Events and times under the partial likelihood, ties as Breslow's; log hazards are relative to a hazard.

    Forests are grown to the martingale residuals of the model without columns. The baseline has the log hazard 0 where
    its own rows have their mean; a local model has the level at which, attended to, events are as many as expected, by
    Breslow's hazard under the baseline, and a hundredth of both is that of all rows. Rows of a fold are judged under
    the hazard of the baseline of all rows.
    """

    steepest, has_level = 1.0, 0.0

    def __init__(self, center):
        self.center = center

    def kinds(self, y):
        """Return whether a row has an event."""
        return y[:, 0]

    def target(self, y):
        """Return martingale residuals in their own standard deviations."""
        even = np.full((1, len(y)), 1.0)
        left = self.down(y, np.zeros((1, len(y), 1)), even)[0, :, 0]
        return np.round((left - left.mean()) / left.std(), 9)

    def null_link(self, y, weights):
        """Return 0: the hazard takes up the level."""
        return np.zeros((len(weights), 1))

    def hazard(self, y, link, weights):
        """Return Breslow's cumulative hazard at each row's time (n_fit, n_rows) of a row whose log hazard is 0."""
        event, time = y.T
        later = time[None, :] >= time[:, None]
        at_risk = (weights * np.exp(link)) @ later.T
        return (weights * event / at_risk) @ later

    def down(self, y, link, weights):
        """Return martingale residuals."""
        return y[:, :1] - (np.exp(link[..., 0]) * self.hazard(y, link[..., 0], weights))[..., None]

    def left_out_loss(self, y, link, train, test):
        """Return the partial loss of all rows less that of the training rows, for each fit."""
        return self.partial_loss(y, link[..., 0]) - self.partial_loss(y[train], link[:, train, 0])

    def partial_loss(self, y, link):
        """Return minus the log partial likelihood of each fit."""
        event, time = y.T
        at_risk = np.exp(link) @ (time[None, :] >= time[:, None]).T
        return (event * (np.log(at_risk) - link)).sum(axis=1)

    def fit(self, X, y, weights, penalty):
        """Return the fits with the log hazard 0 where rows have their mean."""
        _, slope = super().fit(X, y, weights, penalty)
        return -np.einsum("qkj,j->qk", slope, X.mean(axis=0)), slope

    def level(self, fits, trained, weights):
        """Return the levels at which events are as many as expected."""
        X, (event, _), even = trained.X, trained.y.T, np.ones((1, len(trained.y)))
        hazard = self.hazard(trained.y, trained.base_link(X).T, even)[0]
        slope = fits[1][:, 0]
        expected = (weights * np.exp((X - self.center) @ slope.T).T * hazard).sum(axis=1)
        events = weights @ event
        moved = [0.99 * part + 0.01 * event.mean() for part in (events, expected)]
        return (np.log(moved[0]) - np.log(moved[1]) - slope @ self.center)[:, None]

    def values(self, link):
        """Return log hazards."""
        return link[:, 0]

    def errors(self, y, values, whole):
        """Return minus the log likelihood of each row's events under the hazard of the baseline of all rows."""
        hazard = self.hazard(whole.y, whole.base_link(whole.X).T, np.ones((1, len(whole.y))))[0]
        upto = np.array([hazard[whole.y[:, 1] <= time].max(initial=0.0) for time in y[:, 1]])
        return np.exp(values) * upto - y[:, 0] * values
