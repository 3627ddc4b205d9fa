"""Write your own response: overdispersed counts with the negative binomial deviance.

A response class defines how the target is read, its loss, and how it is named in outputs; an estimator refers to it.
Tuning, blending, attention, explanations and saving then work without further code.
"""

import numpy as np
from sklearn.utils.validation import column_or_1d

from heedful import AttentionLasso
from heedful.responses import Losses, Response, Words

# The variance of a count is its mean plus its squared mean over this.
SIZE = 2.0


class SpreadCounts(Response):
    """Whole numbers >= 0; the linear predictor is the logarithm of the rate, and rates are blended."""

    task = "spread counts"
    words = Words("counts", "expected count", "log rate", "half negative binomial deviance", factor="factor")
    # one Newton step changes the rate by a factor of at most a hundred
    farthest_step = float(np.log(100.0))

    def encode(self, y):
        values = column_or_1d(y, dtype=np.float64)
        if not (values >= 0).all():
            raise ValueError(f"`y` must hold counts >= 0, got {values.min():g}. Drop those rows.")
        return values

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

    def score(self, encoded, values, sample_weight):
        """Return the fraction of deviance explained."""
        rows, mean = self.with_rows(encoded), np.full(len(values), np.average(encoded, weights=sample_weight))
        fitted, null = (np.average(rows.losses(rate).value, weights=sample_weight) for rate in (values[:, 0], mean))
        return float(1.0 - fitted / null)


class AttentionNegativeBinomial(AttentionLasso):
    """Predict expected counts by a negative binomial lasso fitted to the training rows that matter for each row."""

    reads = SpreadCounts()


def main():
    """Fit counts whose rate rises with a column in one group of rows and falls with it in the other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 4))
    counts = rng.poisson(np.exp(1 + X[:, 0] * np.sign(X[:, 1])) * rng.gamma(SIZE, 1 / SIZE, size=800))
    train, test = slice(0, 400), slice(400, None)
    model = AttentionNegativeBinomial(heads="single", random_state=0).fit(X[train], counts[train])
    base = SpreadCounts().score(counts[test], model.baseline_.predict(X[test])[:, None], None)
    print(f"deviance explained: {model.score(X[test], counts[test]):.2f}, global lasso {base:.2f}")
    explained = model.explain(X[test][:1], counts[test][:1])
    print(f"first row: {explained.words.prediction} {explained.prediction[0]:.2f}, observed {counts[test][0]}")


if __name__ == "__main__":
    main()
