"""
One prediction explained by SHAP, LIME, EBM, Cubist and heedful
===============================================================

What do five methods say about the same row, if the true coefficients are known? Here a switch decides whether x1 raises
or lowers the response. The user guide, *Explain predictions*, discusses what each number means.

Table: a simulation with known coefficients. SHAP values are those that LightGBM computes (TreeSHAP). LIME is written
out in ten lines. EBM is from the package interpret-core, and Cubist from the package cubist.
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
# If the switch is above 0, the slope of x1 is 3, otherwise -1. The slope of x2 is 1 in all rows, and x3 has no effect.

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(800, 4)), columns=["switch", "x1", "x2", "x3"])
y = np.where(X["switch"] > 0, 3.0, -1.0) * X["x1"] + X["x2"] + 0.3 * rng.normal(size=800)
train, target, test = X[:600], y[:600], X[600:]
query = pd.DataFrame([[1.2, 1.5, 0.8, 0.5]], columns=X.columns, index=["the query"])
print("true mean response of the query: 3 * 1.5 + 1 * 0.8 = 5.3")

# %%
# Predictions of the four models, and what each column contributes by four methods.

booster = LGBMRegressor(n_jobs=1, verbose=-1, random_state=0).fit(train, target)
ebm = ExplainableBoostingRegressor(interactions=1, outer_bags=2, n_jobs=1, random_state=0).fit(train, target)
rules = Cubist(random_state=0).fit(train, target)
ours = AttentionLasso(random_state=0).fit(train, target)


def lime(predict, row, rows, samples=1000):
    """Return a ridge regression on whether perturbed cells are in the same quarter of their column as the row's."""
    cuts = np.quantile(rows, [0.25, 0.5, 0.75], axis=0)
    drawn = rng.permuted(rows[rng.integers(len(rows), size=samples)], axis=0)
    drawn[0] = row
    same = ((drawn[:, None, :] > cuts).sum(axis=1) == (row > cuts).sum(axis=0)).astype(float)
    near = np.exp(-(1 - same).sum(axis=1) / (2 * 0.75**2 * row.size))
    return Ridge(1.0).fit(same, predict(pd.DataFrame(drawn, columns=X.columns)), sample_weight=near).coef_


e = ours.explain(query)
terms = ebm.explain_local(query).data(0)
of_ebm = pd.Series(terms["scores"], index=terms["names"])
shap = booster.predict(query, pred_contrib=True)[0]
table = pd.DataFrame(
    {
        "SHAP of LightGBM": pd.Series(shap[:4], X.columns),
        "LIME of LightGBM": pd.Series(lime(booster.predict, query.to_numpy()[0], train.to_numpy()), X.columns),
        "EBM": of_ebm[[name for name in of_ebm.index if " & " not in name]],
        "heedful": e.contributions().loc["the query"],
    }
).loc[X.columns]
fitted = {"LightGBM": booster, "EBM": ebm, "Cubist": rules, "heedful": ours}
print("predictions:", {name: round(float(model.predict(query)[0]), 2) for name, model in fitted.items()})
print(table.round(2).to_string())
print("pairwise terms of the EBM:", of_ebm[[name for name in of_ebm.index if " & " in name]].round(2).to_dict())

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
table.plot.bar(ax=ax, color=["#E69F00", "#CC79A7", "#009E73", "#0072B2"], rot=0, width=0.75)
ax.axhline(0, color="black", linewidth=0.8)
ax.set(ylabel="contribution to the prediction")
ax.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))

# %%
# Contributions compare a prediction with a mean; they are not slopes. Only Cubist and heedful also give a linear model
# for the query: the rule of Cubist that applies to it, and heedful's small model. heedful's effects say how the
# prediction changes if a value changes. True slopes of the query are 3 for x1 and 1 for x2.

print("rules of Cubist:")
print(rules.coeffs_.round(2).to_string(index=False))
print("\nsmall model of heedful:")
print(e.coef.round(2).to_string())
print("\neffects in heedful:")
print(e.effects().round(2).to_string())

# %%
# The effect of x1 in each held-out row, as heedful estimates it.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
effects = ours.local_effects(test, columns=["x1"])["effect"]
ax.scatter(test["switch"], effects, s=10, color="#0072B2", label="held-out rows")
ax.step([-3, 0, 3], [-1, -1, 3], where="pre", color="black", linewidth=0.8, label="truth")
ax.set(xlabel="switch", ylabel="effect of x1")
ax.legend(frameon=False)
