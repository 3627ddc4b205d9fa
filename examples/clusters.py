"""
Clusters: a few kinds of models
===============================

Every query has its own model. Clusters of queries with like models say how many kinds of models there are, and each has
a prototype, a real row to look at.

Table: life expectancy of countries, 1952 to 2007 (Gapminder), which is installed with plotly.
"""

import matplotlib.pyplot as plt
import numpy as np
import plotly.data

from heedful import AttentionLasso, plot

# %%
# Years of life by income, population, year and continent. Half of the countries are held out.

world = plotly.data.gapminder()
world = world.assign(log_income=np.log10(world["gdpPercap"]), log_people=np.log10(world["pop"]))
known = world["country"].isin(sorted(world["country"].unique())[::2])
columns = ["log_income", "log_people", "year", "continent"]
train, new = world[known], world[~known & world["year"].isin([1952, 1977, 2007])]
new = new.set_index(new["country"] + " " + new["year"].astype(str))
model = AttentionLasso(cv=5, random_state=0).fit(train[columns], train["lifeExp"], groups=train["country"])
print(model.summary())

# %%
# Dendrogram and heatmap have the same places for queries: cut where the tree is long, and read off the coefficients
# below.

e = model.explain(new[columns], new["lifeExp"])
groups = e.clusters(4)
figure, (above, below) = plt.subplots(2, figsize=(9, 5), layout="constrained")
plot.dendrogram(e, groups, ax=above)
plot.heatmap(e, groups, ax=below)
print(groups.table.round(2).to_string())

# %%
# Where the clusters are: kinds of models go with income and time, and nobody told the clustering.

figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
hues = {1: "#0072B2", 2: "#E69F00", 3: "#009E73", 4: "#CC79A7"}
labels = groups.labels.to_numpy()
for number, hue in hues.items():
    rows = labels == number
    ax.scatter(new["log_income"][rows], new["lifeExp"][rows], s=14, color=hue, label=f"cluster {number}")
ax.set(xlabel="log10 of income per person", ylabel="years of life")
ax.legend(frameon=False)
