"""A smooth model of classes: Gaussian processes with a linear and a Gaussian part, one for each class."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import expit
from sklearn.preprocessing import StandardScaler

ROUNDS, SEARCH_STEPS, NEWTON_STEPS = 3, 8, 12
FLAT, FARTHEST, CLOSE = 1e-4, 10.0, 1e-3
# Logarithms of variances begin at START and vary by SPREAD, those of inverse lengths by 1
START, SPREAD = 0.5, 1.5


class Working(NamedTuple):
    """A response under a linear predictor as Newton's step sees it: numbers, and their weights."""

    response: np.ndarray
    weight: np.ndarray


class Process(NamedTuple):
    """The fitted process of a class: what its kernel is, slopes of the rows' losses, and what variances need."""

    theta: np.ndarray
    slope: np.ndarray
    factor: np.ndarray
    root: np.ndarray


class SmoothClassifier:
    """One process for each class against the others; a length per column by the likelihood of working responses.

    Laplace's approximation: Newton's steps lead to the mode, and probabilities are averaged over the variance there.
    """

    def fit(self, X: np.ndarray, y: np.ndarray) -> "SmoothClassifier":
        """Fit to rows of numbers and classes 0, 1, ...; the kernel and the mode in turn."""
        self.scale_ = StandardScaler().fit(X)
        self.rows_, self.n_classes_ = self.scale_.transform(X), int(y.max()) + 1
        classes = [1] if self.n_classes_ == 2 else range(self.n_classes_)
        self.processes_ = [fit_process(self.rows_, (y == number).astype(float)) for number in classes]
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return one probability per row and class."""
        rows = self.scale_.transform(X)
        chance = np.column_stack([predict_process(self.rows_, own, rows) for own in self.processes_])
        if self.n_classes_ == 2:
            return np.column_stack([1.0 - chance, chance])
        return chance / chance.sum(axis=1, keepdims=True)


def linear_part(queries: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the kernel of lines, with an intercept."""
    return queries @ rows.T / rows.shape[1] + 1.0


def kernel(theta: np.ndarray, queries: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the Gaussian and the linear part of the kernel; ``theta`` has log inverse lengths and log variances."""
    inverse, (bend, line) = np.exp(theta[:-2]), np.exp(theta[-2:])
    gaussian = bend * np.exp(-0.5 * cdist(queries * inverse, rows * inverse, "sqeuclidean"))
    return gaussian, line * linear_part(queries, rows)


def work(link: np.ndarray, y: np.ndarray) -> Working:
    """Return working responses and their weights."""
    chance = expit(link)
    weight = np.maximum(chance * (1.0 - chance), FLAT)
    return Working(link + (y - chance) / weight, weight)


def surprise(theta: np.ndarray, rows: np.ndarray, now: Working, start: np.ndarray) -> tuple[float, np.ndarray]:
    """Return minus the log likelihood of working responses with a prior on ``theta``, and its slope."""
    gaussian, lines = kernel(theta, rows, rows)
    factor = np.linalg.cholesky(gaussian + lines + np.diag(1.0 / now.weight))
    weighed = cho_solve((factor, True), now.response)
    outer = 0.5 * (cho_solve((factor, True), np.eye(len(rows))) - np.outer(weighed, weighed))
    bent = outer * gaussian
    apart = bent.sum(axis=1) @ rows**2 - np.einsum("ij,ij->j", rows, bent @ rows)
    slope = np.append(-2.0 * np.exp(2.0 * theta[:-2]) * apart, [bent.sum(), (outer * lines).sum()])
    away = (theta - start) / np.append(np.ones(theta.size - 2), [SPREAD, SPREAD])
    value = 0.5 * now.response @ weighed + np.log(np.diag(factor)).sum() + 0.5 * away @ away
    return value, slope + away / np.append(np.ones(theta.size - 2), [SPREAD, SPREAD])


def find_mode(whole: np.ndarray, y: np.ndarray, link: np.ndarray) -> np.ndarray:
    """Return the linear predictor at the mode."""
    for _ in range(NEWTON_STEPS):
        now = work(link, y)
        new = whole @ np.linalg.solve(whole + np.diag(1.0 / now.weight), now.response)
        step = np.abs(new - link).max()
        link = new if step < FARTHEST else (link + new) / 2
        if step < CLOSE:
            break
    return link


def fit_process(rows: np.ndarray, y: np.ndarray) -> Process:
    """Return the process of one class."""
    length = np.log(0.5 / np.sqrt(max(rows.shape[1] / 4, 1.0)))
    start = np.append(np.full(rows.shape[1], length), [START, START])
    bounds = [(-7.0, 2.0)] * rows.shape[1] + [(-6.0, 6.0)] * 2
    theta, link = start, np.zeros(len(y))
    for _ in range(ROUNDS):
        options = {"maxiter": SEARCH_STEPS}
        given = (rows, work(link, y), start)
        theta = minimize(surprise, theta, given, "L-BFGS-B", jac=True, bounds=bounds, options=options).x
        whole = np.add(*kernel(theta, rows, rows))
        link = find_mode(whole, y, link)
    root = np.sqrt(work(link, y).weight)
    factor = np.linalg.cholesky(np.eye(len(y)) + root[:, None] * whole * root)
    return Process(theta, y - expit(link), factor, root)


def predict_process(rows: np.ndarray, own: Process, queries: np.ndarray) -> np.ndarray:
    """Return the probabilities of a class, averaged over the variance of the linear predictor."""
    across = np.add(*kernel(own.theta, queries, rows))
    bend, line = np.exp(own.theta[-2:])
    before = bend + line * ((queries**2).sum(axis=1) / rows.shape[1] + 1.0)
    variance = before - (np.linalg.solve(own.factor, (across * own.root).T) ** 2).sum(axis=0)
    return expit(across @ own.slope / np.sqrt(1.0 + np.pi / 8 * np.maximum(variance, 0.0)))
