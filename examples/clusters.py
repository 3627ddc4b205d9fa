"""
Clustering rows by their models
===============================

heedful fits a model for each row. Clustering rows with similar models shows how many kinds of models there are. Each
cluster has a prototype, a real row that represents it.

Table: life expectancy by country, 1952 to 2007 (Gapminder, from ``plotly.data``).
"""

import matplotlib.pyplot as plt
import numpy as np
import plotly.data

from heedful import AttentionLasso, plot

# %%
# Predict life expectancy from income, population, year and continent. Half of the countries are held out.

world = plotly.data.gapminder()
world = world.assign(log_income=np.log10(world["gdpPercap"]), log_people=np.log10(world["pop"]))
known = world["country"].isin(sorted(world["country"].unique())[::2])
columns = ["log_income", "log_people", "year", "continent"]
train, new = world[known], world[~known & world["year"].isin([1952, 1977, 2007])]
new = new.set_index(new["country"] + " " + new["year"].astype(str))
model = AttentionLasso(cv=5, random_state=0).fit(train[columns], train["lifeExp"], groups=train["country"])
print(model.summary())

# %%
# The clusters, found from the models alone, differ by income and time.

e = model.explain(new[columns], new["lifeExp"])
groups = e.clusters(4)
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
hues = {1: "#0072B2", 2: "#E69F00", 3: "#009E73", 4: "#CC79A7"}
labels = groups.labels.to_numpy()
for number, hue in hues.items():
    rows = labels == number
    ax.scatter(new["log_income"][rows], new["lifeExp"][rows], s=16, color=hue, label=f"cluster {number}")
ax.set(xlabel="log10 of income per person", ylabel="life expectancy in years")
ax.legend(frameon=False)

# %%
# The dendrogram and the heatmap have held-out rows in the same order. The heatmap shows the coefficients of each row.

figure, (above, below) = plt.subplots(2, figsize=(8, 6), layout="constrained")
plot.dendrogram(e, groups, ax=above)
plot.heatmap(e, groups, ax=below)
print(groups.table.round(2).to_string())
