"""
Survival with two hidden groups
===============================

Two groups of patients, and no column names the group; it follows from two features by an unknown rule. Two other
features have opposite effects on the hazard in the two groups, so one Cox model for all patients fits neither. Some
survival times are censored.

Table: a simulation (``make_survival``), where the true survival function of each patient is known.
"""

import matplotlib.pyplot as plt
import numpy as np

from heedful import AttentionCox
from heedful.datasets import make_survival

# %%
# Train on one half of the patients and rank the other half by their hazard. Concordance is the share of comparable
# pairs that are ranked correctly.

shape = 1.5
train, test = make_survival(600, 10, shape=shape, random_state=0).split()
model = AttentionCox(random_state=0).fit(train.X, train.y)
plain = AttentionCox(mixing=0.0, random_state=0).fit(train.X, train.y)
print(f"{len(train.y)} training patients, {100 * np.mean(~train.y['event']):.0f} % censored")
print(f"concordance: attention {model.score(test.X, test.y):.3f}, global Cox lasso {plain.score(test.X, test.y):.3f}")

# %%
# Predicted survival functions of three held-out patients, with a low, a medium and a high hazard. Dotted lines are the
# true ones. The predictions are ranked well, and less extreme than the truth.

order = np.argsort(model.predict(test.X))
chosen = order[[5, len(order) // 2, -5]]
times = np.linspace(0.01, np.quantile(train.y["time"], 0.95), 60)
curves = model.predict_survival_function(test.X[chosen], times)
true = np.exp(-(times**shape) * np.exp(test.signal[chosen])[:, None])
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
looks = (("low hazard", "#009E73"), ("medium hazard", "#E69F00"), ("high hazard", "#D55E00"))
for curve, truth, (name, colour) in zip(curves.to_numpy(), true, looks, strict=True):
    ax.step(times, curve, color=colour, where="post", label=name)
    ax.plot(times, truth, color=colour, linestyle=":")
ax.plot([], [], color="black", linestyle=":", label="truth")
ax.set(xlabel="time", ylabel="probability of survival", ylim=(0, 1.02))
ax.legend(frameon=False)

# %%
# Which patients is a patient compared with? The model does not know the groups, yet most of the weight is on patients
# of the same group. The dashed line is the weight to expect by chance.

same = train.latent == test.latent[:, None]
own = (model.attention(test.X).toarray() * same).sum(axis=1)
print(f"mean weight on the same hidden group: {100 * own.mean():.0f} %, by chance {100 * same.mean():.0f} %")
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.hist(own, bins=25, color="#0072B2")
ax.axvline(same.mean(), color="black", linestyle="--")
ax.set(xlabel="weight on patients of the same hidden group", ylabel="held-out patients")
ax.text(same.mean(), ax.get_ylim()[1] * 0.95, "by chance ", va="top", ha="right")
