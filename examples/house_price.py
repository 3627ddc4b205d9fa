"""
Explaining a house price
========================

What is the price of this house made of? A square metre costs more in the centre, and a garden adds to the price only
outside it, so no single linear model is right. heedful explains each price by itself.

Table: simulated prices of 1,000 houses, so that each explanation can be compared with the true effects.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from heedful import AttentionLasso, plot

# %%
# A thousand sales
# ----------------
# Prices are in thousands. Text, dates and missing cells go into ``fit`` as they come from a file.

rng = np.random.default_rng(0)
n = 1000
east, north = rng.uniform(-5, 5, (2, n))
centre = np.exp(-(east**2 + north**2) / 8)
houses = pd.DataFrame(
    {
        "square metres": rng.normal(110, 30, n).clip(40).round(),
        "garden": rng.gamma(2, 120, n).round() * (rng.uniform(size=n) > centre),
        "east": east.round(2),
        "north": north.round(2),
        "built": rng.integers(1900, 2024, n),
        "heating": rng.choice(["gas", "oil", "heat pump"], n, p=[0.5, 0.2, 0.3]),
        "sold": pd.Timestamp("2022-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
    }
)
per_metre = 2 + 4 * centre
price = houses["square metres"] * per_metre + 0.2 * houses["garden"] * (1 - centre)
price += 25 * (houses["heating"] == "heat pump") + 15 * rng.normal(size=n)
houses.loc[rng.uniform(size=n) < 0.1, "built"] = np.nan
train, new = houses[:700], houses[700:]

model = AttentionLasso(random_state=0).fit(train, price[:700])
print(model.summary())

# %%
# One house in the centre, one outside
# ------------------------------------
# The summary says that a smooth model for all houses predicts best and attention is not needed: the price per square
# metre changes smoothly over the map. Explanations are the same in either case. The location adds most to the price of
# the first house, and the garden adds most to the price of the second.

e = model.explain(new, price[700:])
inner, outer = centre[700:].argmax() + 700, (houses["garden"] * (1 - centre))[700:].idxmax()
figure, axes = plt.subplots(2, 1, figsize=(7, 5.6), layout="constrained")
for ax, house, place in zip(axes, (inner, outer), ("In the centre", "Outside"), strict=True):
    plot.contributions(e, house, k=6, ax=ax)
    ax.set_title(f"{place}: predicted {e.prediction[house]:.0f}, sold for {price[house]:.0f}", fontsize=10, loc="left")

# %%
# Is the price per square metre right?
# ------------------------------------
# The simulation knows the true price of a square metre. Estimates for single houses follow it; the global lasso
# (dashed) has one price for all houses.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
dots = ax.scatter(per_metre[700:], e.effect["square metres"], c=centre[700:], s=14, cmap="viridis", label="one house")
ax.axline((4, 4), slope=1, color="black", linewidth=0.8, label="estimate = truth")
ax.axhline(model.baseline_.coef_[0], color="grey", linestyle="--", linewidth=1.2, label="global lasso")
ax.set(xlabel="true price of a square metre", ylabel="estimated price of a square metre")
ax.legend(frameon=False)
figure.colorbar(dots, label="centrality")
right = np.corrcoef(per_metre[700:], e.effect["square metres"])[0, 1]
print(f"correlation of true and estimated price per square metre: {right:.2f}")
