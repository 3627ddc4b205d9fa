"""
One prediction by SHAP, LIME, EBM, Cubist and heedful
=====================================================

The same row, explained by each, where the truth is known: a switch decides whether x1 raises or lowers the response.
What each number means is told in the user guide, *Beside SHAP, LIME, EBM, grf and Cubist*.

Table: a simulation with a known truth, drawn below. SHAP's values are those that LightGBM itself computes (TreeSHAP);
LIME is its recipe in ten lines, as its package is not needed for that; EBM and Cubist are the packages interpret-core
and cubist.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from cubist import Cubist
from interpret.glassbox import ExplainableBoostingRegressor
from lightgbm import LGBMRegressor
from sklearn.linear_model import Ridge

from heedful import AttentionLasso

# %%
# With the switch above 0 the slope of x1 is 3, below it is -1; x2 has slope 1 everywhere; x3 does nothing.

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(800, 4)), columns=["switch", "x1", "x2", "x3"])
y = np.where(X["switch"] > 0, 3.0, -1.0) * X["x1"] + X["x2"] + 0.3 * rng.normal(size=800)
train, target, test = X[:600], y[:600], X[600:]
query = pd.DataFrame([[1.2, 1.5, 0.8, 0.5]], columns=X.columns, index=["the query"])
print("truth: 3 * 1.5 + 1 * 0.8 = 5.3")

# %%
# Five ways to explain what some model says of the query.

booster = LGBMRegressor(n_jobs=1, verbose=-1, random_state=0).fit(train, target)
ebm = ExplainableBoostingRegressor(interactions=1, outer_bags=2, n_jobs=1, random_state=0).fit(train, target)
rules = Cubist(random_state=0).fit(train, target)
ours = AttentionLasso(random_state=0).fit(train, target)


def lime(predict, row, rows, samples=1000):
    """Return a ridge on whether perturbed cells are in the quarter of their column that the row's is."""
    cuts = np.quantile(rows, [0.25, 0.5, 0.75], axis=0)
    drawn = rng.permuted(rows[rng.integers(len(rows), size=samples)], axis=0)
    drawn[0] = row
    same = ((drawn[:, None, :] > cuts).sum(axis=1) == (row > cuts).sum(axis=0)).astype(float)
    near = np.exp(-(1 - same).sum(axis=1) / (2 * 0.75**2 * row.size))
    return Ridge(1.0).fit(same, predict(pd.DataFrame(drawn, columns=X.columns)), sample_weight=near).coef_


e = ours.explain(query)
said = ebm.explain_local(query).data(0)
of_ebm = pd.Series(said["scores"], index=said["names"])
shap = booster.predict(query, pred_contrib=True)[0]
table = pd.DataFrame(
    {
        "SHAP of LightGBM": pd.Series(shap[:4], X.columns),
        "LIME of LightGBM": pd.Series(lime(booster.predict, query.to_numpy()[0], train.to_numpy()), X.columns),
        "EBM": of_ebm[[name for name in of_ebm.index if " & " not in name]],
        "heedful": e.contributions().loc["the query"],
    }
).loc[X.columns]
told = {"LightGBM": booster, "EBM": ebm, "Cubist": rules, "heedful": ours}
print({name: round(float(model.predict(query)[0]), 2) for name, model in told.items()})
print(table.round(2).to_string())
print("pairs of the EBM:", of_ebm[[name for name in of_ebm.index if " & " in name]].round(2).to_dict())

# %%
# Only two of the five give a model that can be computed by hand: the rule of Cubist that the query falls under, and the
# query's small model of heedful. heedful's effects say what its prediction does if a value changes.

print(rules.coeffs_.round(2).to_string(index=False))
print(e.coef.round(2).to_string())
print(e.effects().round(2).to_string())

# %%
# Side by side. A perfect answer to "what is the slope here" is 3 and 1, which attributions do not give: they say what a
# value adds, compared with a mean.

figure, axes = plt.subplots(1, 2, figsize=(11, 3.6), layout="constrained", width_ratios=[1.6, 1])
table.plot.bar(ax=axes[0], color=["#E69F00", "#CC79A7", "#009E73", "#0072B2"], rot=0)
axes[0].axhline(0, color="black", linewidth=0.8)
axes[0].set(ylabel="adds to the prediction")
axes[0].legend(frameon=False)
effects = ours.local_effects(test, columns=["x1"])["effect"]
axes[1].scatter(test["switch"], effects, s=8, color="#0072B2", label="each row")
axes[1].step([-3, 0, 3], [-1, -1, 3], where="pre", color="black", linewidth=0.8, label="truth")
axes[1].set(xlabel="switch", ylabel="effect of x1 in heedful")
axes[1].legend(frameon=False)
