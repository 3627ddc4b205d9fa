"""Claims per policy with exposures: how often, what they cost, and what a single premium is made of."""

import numpy as np
from sklearn.metrics import d2_tweedie_score

from heedful import AttentionGLM
from heedful.datasets import make_claims


def main() -> None:
    """Fit rates and costs of simulated policies, whose use is hidden, and explain one prediction."""
    train, test = make_claims(3000, frequency=1.0, random_state=0).split(1000)
    how = {"random_state": 0, "n_jobs": -1}

    often = AttentionGLM(family="poisson", **how).fit(train.X, train.counts, exposure=train.exposure)
    base = AttentionGLM(family="poisson", mixing=0.0, **how).fit(train.X, train.counts, exposure=train.exposure)
    ours, plain = (model.score(test.X, test.counts, exposure=test.exposure) for model in (often, base))
    expected = test.exposure * test.rate
    null = test.exposure * test.counts.sum() / test.exposure.sum()
    best, one = (d2_tweedie_score(test.counts, mean, power=1) for mean in (expected, null))
    print(f"frequency: deviance explained {ours:.3f}, one lasso {plain:.3f}, the truth {(best - one) / (1 - one):.3f}")

    some, seen = train.counts > 0, test.counts > 0
    cost = AttentionGLM(family="gamma", **how).fit(train.X[some], train.costs[some], exposure=train.counts[some])
    print(f"severity: deviance explained {cost.score(test.X[seen], test.costs[seen], exposure=test.counts[seen]):.3f}")

    whole = AttentionGLM(family="tweedie", **how).fit(train.X, train.costs, exposure=train.exposure)
    per_year = whole.predict(test.X)
    product = often.predict(test.X) * cost.predict(test.X)
    print(f"a premium by one model and by two: correlation {np.corrcoef(np.log(per_year), np.log(product))[0, 1]:.2f}")

    explained = whole.explain(test.X[:1])
    start = float(np.exp(explained.base_value))
    print(f"policy {test.X.index[0]}: {per_year[0]:.0f} a year = {start:.0f}", end="")
    for _, row in explained.top_features(5).iterrows():
        print(f" x {row['factor']:.2f} ({row['feature']})", end="")
    print()


if __name__ == "__main__":
    main()
