"""
Claim counts and premiums with exposure
=======================================

How often do policies have claims, what do claims cost, and how is a premium made up? A policy that was in force for
half a year counts as half a year. The effects of the driver's age and of power are reversed in business use, which no
column records.

Table: a simulation (``make_claims``), where the true rate of each policy is known.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullLocator
from sklearn.metrics import d2_tweedie_score

from heedful import AttentionGLM, plot
from heedful.datasets import make_claims

# %%
# Frequency: a Poisson model of the number of claims, with the years in force as exposure. The score is the fraction of
# deviance explained.

train, test = make_claims(3000, frequency=1.0, random_state=0).split(1000)
often = AttentionGLM(family="poisson", random_state=0).fit(train.X, train.counts, exposure=train.exposure)
base = AttentionGLM(family="poisson", mixing=0.0, random_state=0).fit(train.X, train.counts, exposure=train.exposure)
ours, plain = (model.score(test.X, test.counts, exposure=test.exposure) for model in (often, base))
null = test.exposure * test.counts.sum() / test.exposure.sum()
best, one = (d2_tweedie_score(test.counts, mean, power=1) for mean in (test.exposure * test.rate, null))
print("deviance of claim counts explained on held-out policies:")
print(f"attention {ours:.3f}, global lasso {plain:.3f}, true rates {(best - one) / (1 - one):.3f}")

# %%
# Left: calibration, expected against observed claims. Right: the Lorenz curve, the share of all claims in the policies
# with the lowest predicted rates. The lower the curve, the better the ranking.

e = often.explain(test.X, test.counts, exposure=test.exposure)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
plot.calibration(e, ax=axes[0])
plot.lift(e, ax=axes[1])

# %%
# The policy with the highest predicted count. Contributions multiply: each bar is labelled with its factor.

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
plot.contributions(e, int(e.prediction.idxmax()), k=5, ax=ax)

# %%
# A pure premium is the claim rate times the mean cost of a claim. Fit two models, one for each factor, or a single
# Tweedie model of the total cost. Both give similar premiums.

some, seen = train.counts > 0, test.counts > 0
cost = AttentionGLM(family="gamma", random_state=0).fit(train.X[some], train.costs[some], exposure=train.counts[some])
severity = cost.score(test.X[seen], test.costs[seen], exposure=test.counts[seen])
print(f"deviance of mean costs explained on held-out policies: {severity:.3f}")
whole = AttentionGLM(family="tweedie", random_state=0).fit(train.X, train.costs, exposure=train.exposure)
product, per_year = often.predict(test.X) * cost.predict(test.X), whole.predict(test.X)
print(f"correlation of both log premiums: {np.corrcoef(np.log(per_year), np.log(product))[0, 1]:.2f}")

figure, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
for group, (use, colour) in enumerate((("private use", "#0072B2"), ("business use", "#E69F00"))):
    rows = test.group == group
    ax.scatter(product[rows], per_year[rows], s=6, color=colour, label=use)
ax.axline((1000, 1000), (2000, 2000), color="black", linewidth=0.8)
ax.set(xscale="log", yscale="log", xlabel="premium: rate times mean cost", ylabel="premium: Tweedie model")
for axis in (ax.xaxis, ax.yaxis):
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:.0f}")
    axis.set_minor_locator(NullLocator())
ax.legend(frameon=False, markerscale=2)
