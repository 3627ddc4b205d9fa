"""
Survival: curves for single patients
====================================

Times of which some are censored, and two hidden groups in which the same measurements mean the opposite.

Table: a simulation with a known truth, `make_survival`; the true curve of every patient is known.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionCox
from heedful.datasets import make_survival

# %%
# Fit one half of the patients, rank the other half by their hazard. Concordance is the share of pairs in the right
# order.

shape = 1.5
train, test = make_survival(600, 10, shape=shape, random_state=0).split()
model = AttentionCox(random_state=0).fit(train.X, train.y)
plain = AttentionCox(mixing=0.0, random_state=0).fit(train.X, train.y)
print(f"{len(train.y)} patients to learn from, {100 * np.mean(~train.y['event']):.0f} % censored")
print(f"concordance {model.score(test.X, test.y):.3f}, one Cox lasso {plain.score(test.X, test.y):.3f}")

# %%
# Curves of three patients: with the lowest hazard, a middle one and the highest. Dotted is the truth, which is known
# here because the table was drawn.

order = np.argsort(model.predict(test.X))
chosen = order[[5, len(order) // 2, -5]]
times = np.linspace(0.01, np.quantile(train.y["time"], 0.95), 60)
curves = model.predict_survival_function(test.X[chosen], times)
true = np.exp(-(times**shape) * np.exp(test.signal[chosen])[:, None])
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for curve, truth, colour in zip(curves.to_numpy(), true, ("#009E73", "#E69F00", "#D55E00"), strict=True):
    axes[0].step(times, curve, color=colour, where="post")
    axes[0].plot(times, truth, color=colour, linestyle=":")
axes[0].set(xlabel="time", ylabel="chance of no event yet", ylim=(0, 1.02))

# right: whom patients attend to; nobody told the model of the groups, yet most of the weight is on the own one
same = train.latent == test.latent[:, None]
own = (model.attention(test.X).toarray() * same).sum(axis=1)
axes[1].hist(own, bins=25, color="#0072B2")
axes[1].axvline(same.mean(), color="black", linestyle="--")
axes[1].set(xlabel="weight on patients of the own hidden group", ylabel="patients")
axes[1].text(same.mean(), axes[1].get_ylim()[1] * 0.95, " by chance", va="top")
print(
    f"attention on rows of the query's own hidden group: {100 * own.mean():.0f} %, by chance {100 * same.mean():.0f} %"
)
