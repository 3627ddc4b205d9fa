"""A response of one's own in one file: counts that spread more than Poisson's, under the negative binomial deviance.

A family says what a loss is, a response how it is read and given back, an estimator puts both together. Nothing else of
heedful knows of it: heads, shares, guard, attention, explanations and saving come with it.
"""

import numpy as np

from heedful._checks import check_response
from heedful._responses import Regression, Words
from heedful._solver import Losses, RowByRow
from heedful.baseline._family import FamilyBaseline
from heedful.estimators._linear import LassoEstimator

# The variance of a count is its mean plus its squared mean over this.
SIZE = 2.0


class NegativeBinomial(RowByRow):
    """Counts with their loss; the linear predictor is the logarithm of the rate, and rates are blended."""

    # a rate a hundred times as high, or as low, is as far as one Newton step is believed
    farthest_step = float(np.log(100.0))

    def __init__(self, y):
        self.y = y

    def part(self, rows):
        return NegativeBinomial(self.y[rows])

    def new_rows(self, encoded):
        return NegativeBinomial(encoded)

    def null_link(self, weight):
        return np.log([np.average(self.y, weights=weight)])

    def residual(self, link, weight):
        rate = self.values(link)
        return (self.y[:, None] - rate) * SIZE / (SIZE + rate)

    def hessian(self, link, weight):
        rate = self.values(link)
        return np.maximum(rate * SIZE / (SIZE + rate), 0.01)

    def means(self):
        return self.y[:, None]

    def mean_link(self, means, overall):
        return np.log(0.99 * means + 0.01 * overall)

    def values(self, link):
        return np.exp(np.clip(link, -30.0, 30.0))

    def link_of(self, values):
        return np.log(np.maximum(values, 1e-13))

    def losses(self, observed):
        rate, y = np.maximum(observed, 1e-13), self.y.reshape(-1, *([1] * (observed.ndim - 1)))
        least = y * np.log(np.maximum(y, 1.0)) - (y + SIZE) * np.log(y + SIZE)
        value = (y + SIZE) * np.log(SIZE + rate) - y * np.log(rate) + least
        bend = y / rate**2 - (y + SIZE) / (SIZE + rate) ** 2
        return Losses(value, (y + SIZE) / (SIZE + rate) - y / rate, np.maximum(bend, 0.01 / (1.0 + rate) ** 2))


class SpreadCounts(Regression):
    """Whole numbers >= 0: read like other numbers, with a loss and words of their own."""

    task = "spread counts"
    words = Words("counts", "expected count", "log rate", "half negative binomial deviance", factor="factor")

    def encode(self, y):
        values = check_response(y)
        if (values < 0).any():
            raise ValueError(f"`y` must hold counts >= 0, got {values.min():g}. Drop those rows.")
        return values

    def family(self, encoded):
        return NegativeBinomial(encoded)

    def baseline(self, alpha, tol, n_jobs):
        return FamilyBaseline(NegativeBinomial, alpha, tol=tol, n_jobs=n_jobs)

    def score(self, encoded, values, sample_weight):
        """Return the part of the deviance that is explained."""
        family, mean = self.family(encoded), np.full(len(values), np.average(encoded, weights=sample_weight))
        own, null = (np.average(family.losses(rate).value, weights=sample_weight) for rate in (values[:, 0], mean))
        return float(1.0 - own / null)


class AttentionNegativeBinomial(LassoEstimator):
    """Predict expected counts by a negative binomial lasso fitted to the training rows that matter for each row."""

    def _response(self, y):
        return SpreadCounts()

    def _has_intervals(self):
        return False


def main():
    """Count events whose rates rise with a column in one group of rows and fall with it in the other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 4))
    counts = rng.poisson(np.exp(1 + X[:, 0] * np.sign(X[:, 1])) * rng.gamma(SIZE, 1 / SIZE, size=800))
    train, test = slice(0, 400), slice(400, None)
    model = AttentionNegativeBinomial(heads="single", random_state=0).fit(X[train], counts[train])
    base = SpreadCounts().score(counts[test], model.baseline_.predict(X[test])[:, None], None)
    print(f"deviance explained: {model.score(X[test], counts[test]):.2f}, one lasso for all rows {base:.2f}")
    explained = model.explain(X[test][:1], counts[test][:1])
    print(f"the first row: {explained.words.prediction} {explained.prediction[0]:.2f}, counted {counts[test][0]}")


if __name__ == "__main__":
    main()
