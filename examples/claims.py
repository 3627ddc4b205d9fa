"""
Counts with exposure: claims and premiums
=========================================

How often do policies have claims, what do they cost, and what is a single premium made of? A policy of half a year
counts half a year. Use, private or business, turns the effects of age and power round, and is no column of the table.

Table: a simulation with a known truth, `make_claims`; the true rate of every policy is known.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullLocator
from sklearn.metrics import d2_tweedie_score

from heedful import AttentionGLM, plot
from heedful.datasets import make_claims

# %%
# Frequency: claims in the years that a policy was in force. The score is the part of the deviance that is explained.

train, test = make_claims(3000, frequency=1.0, random_state=0).split(1000)
often = AttentionGLM(family="poisson", random_state=0).fit(train.X, train.counts, exposure=train.exposure)
base = AttentionGLM(family="poisson", mixing=0.0, random_state=0).fit(train.X, train.counts, exposure=train.exposure)
ours, plain = (model.score(test.X, test.counts, exposure=test.exposure) for model in (often, base))
null = test.exposure * test.counts.sum() / test.exposure.sum()
best, one = (d2_tweedie_score(test.counts, mean, power=1) for mean in (test.exposure * test.rate, null))
print(f"frequency: deviance explained {ours:.3f}, one lasso {plain:.3f}, the truth {(best - one) / (1 - one):.3f}")

# %%
# Is the level right, and the order? Left: expected beside observed claims. Middle: the share of all claims that the
# safest policies have. Right: one policy, whose factors multiply.

e = often.explain(test.X, test.counts, exposure=test.exposure)
figure, axes = plt.subplots(1, 3, figsize=(12, 3.3), layout="constrained")
plot.calibration(e, ax=axes[0])
plot.lift(e, ax=axes[1])
plot.contributions(e, int(e.prediction.idxmax()), k=5, ax=axes[2])

# %%
# A premium is a rate times a mean cost, by two models, or the cost of all policies at once, by one.

some, seen = train.counts > 0, test.counts > 0
cost = AttentionGLM(family="gamma", random_state=0).fit(train.X[some], train.costs[some], exposure=train.counts[some])
print(f"severity: deviance explained {cost.score(test.X[seen], test.costs[seen], exposure=test.counts[seen]):.3f}")
whole = AttentionGLM(family="tweedie", random_state=0).fit(train.X, train.costs, exposure=train.exposure)
product, per_year = often.predict(test.X) * cost.predict(test.X), whole.predict(test.X)
print(f"a premium by one model and by two: correlation {np.corrcoef(np.log(per_year), np.log(product))[0, 1]:.2f}")

figure, ax = plt.subplots(figsize=(4.4, 3.6), layout="constrained")
ax.scatter(product, per_year, s=4, c=test.group, cmap="cividis")
ax.set(xscale="log", yscale="log", xlabel="premium: rate times cost", ylabel="premium: one model")
for axis in (ax.xaxis, ax.yaxis):
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:.0f}")
    axis.set_minor_locator(NullLocator())
