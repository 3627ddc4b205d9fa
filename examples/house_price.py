"""
A house price explained
=======================

A square metre costs more in the centre than outside, a garden counts outside only: no single linear model is right, and
a buyer wants to know what this house's price is made of.

Table: a simulation with a known truth, so that every explanation can be held against what made the price.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from heedful import AttentionLasso, plot

# %%
# A thousand sales
# ----------------
# Prices in thousands. Text, dates and missing cells are left as they would come from a file.

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
# The same square metre is worth more in the first, and a garden counts in the second only.

e = model.explain(new, price[700:])
inner, outer = centre[700:].argmax() + 700, (houses["garden"] * (1 - centre))[700:].idxmax()
figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for ax, house, place in zip(axes, (inner, outer), ("in the centre", "outside"), strict=True):
    plot.contributions(e, house, k=6, ax=ax)
    ax.set_title(f"{place}: predicted {e.prediction[house]:.0f}, sold for {price[house]:.0f}", fontsize=9)

# %%
# Is the price of a square metre right?
# -------------------------------------
# The simulation knows it. The grey line is the one lasso for all houses, fitted alone.

figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
dots = ax.scatter(per_metre[700:], e.coef["square metres"], c=centre[700:], s=12, cmap="viridis")
ax.axline((4, 4), slope=1, color="black", linewidth=0.8)
ax.axhline(model.baseline_.coef_[0], color="grey", linestyle="--", linewidth=0.8)
ax.set(xlabel="true price of a square metre", ylabel="coefficient in the house's own model")
figure.colorbar(dots, label="how central")
right = np.corrcoef(per_metre[700:], e.coef["square metres"])[0, 1]
print(f"correlation of true and fitted price of a square metre: {right:.2f}")
