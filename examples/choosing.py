"""
Comparing heedful, an EBM and a random forest
=============================================

Accuracy and explanations of three models on the same table. An explainable boosting machine (EBM) is a sum of shape
functions, and each term is a contribution. A random forest needs Shapley values, which the package shap computes.
heedful gives contributions as well, with a small model and the training rows behind each prediction.

Table: progress of diabetes in 442 patients (``load_diabetes`` of scikit-learn). On this table the lasso is hard to
beat.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from interpret.glassbox import ExplainableBoostingRegressor
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split

from heedful import AttentionLasso

# %%
# Held-out errors over five random splits.

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
rows = []
for seed in range(5):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    models = {
        "heedful": AttentionLasso(random_state=seed),
        "EBM": ExplainableBoostingRegressor(interactions=0, outer_bags=4, n_jobs=1, random_state=seed),
        "forest": RandomForestRegressor(200, min_samples_leaf=5, n_jobs=1, random_state=seed),
    }
    found = {name: model.fit(X_train, y_train).predict(X_test) for name, model in models.items()}
    found["lasso"] = models["heedful"].baseline_.predict(X_test)
    rows.append({name: np.sqrt(np.mean((y_test - values) ** 2)) for name, values in found.items()})
errors = pd.DataFrame(rows)
print("root mean squared error:")
print(errors.describe().loc[["mean", "std"]].round(1).to_string())

# %%
# Shapley values of the forest by sampling: columns take the values of the query one by one, in random order, and each
# change of the prediction is credited to its column. The package shap computes the same faster.


def shapley(predict, query, background, draws=200, seed=0):
    """Return what each column adds to the prediction of one row, from the mean prediction."""
    rng, added = np.random.default_rng(seed), np.zeros(query.size)
    starts = background[rng.integers(len(background), size=draws)]
    orders = [rng.permutation(query.size) for _ in range(draws)]
    steps = np.repeat(starts[:, None], query.size + 1, axis=1)
    for number, order in enumerate(orders):
        for place, column in enumerate(order):
            steps[number, place + 1 :, column] = query[column]
    values = predict(steps.reshape(-1, query.size)).reshape(draws, -1)
    for order, value in zip(orders, values, strict=True):
        added[order] += np.diff(value) / draws
    return added


query = 7
one = X_test.iloc[[query]]
forest, ebm, ours = models["forest"], models["EBM"], models["heedful"]


def ask_forest(values):
    """Return the forest's predictions of an array."""
    return forest.predict(pd.DataFrame(values, columns=X.columns))


terms = ebm.explain_local(one).data(0)
e = ours.explain(X_test, y_test)
table = pd.DataFrame(
    {
        "heedful": e.contributions().iloc[query],
        "EBM": pd.Series(dict(zip(terms["names"], terms["scores"], strict=True))),
        "forest, Shapley values": pd.Series(shapley(ask_forest, one.to_numpy()[0], X_train.to_numpy()), X.columns),
    }
)
print(table.round(1).to_string())

# %%
# All three explanations add up from a mean to the prediction, so they can be compared. They explain different models:
# where they disagree, look at the errors above before you trust one of them.

figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
table.loc[table["heedful"].abs().sort_values().index].plot.barh(
    ax=ax, color=["#0072B2", "#E69F00", "#009E73"], width=0.75
)
ax.axvline(0, color="black", linewidth=0.8)
ax.set(xlabel=f"contribution to the prediction for patient {one.index[0]} (observed {y_test.iloc[query]:.0f})")
ax.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))

# %%
# Errors of the five splits.

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.boxplot([errors[name] for name in errors], tick_labels=list(errors))
ax.set(ylabel="root mean squared error")

# %%
# Which one to choose?
#
# * An EBM if a sum of shape functions is accurate enough and you want one description for all rows.
# * A forest or booster with SHAP if accuracy comes first and explanations are needed now and then.
# * heedful if effects differ between rows, and you want a model to check by hand and training rows to look up.
#
# ``mixing_`` is the weight of attention in the blend with the global models; it is small where attention does not help.

print(f"weight of attention on this table: {ours.mixing_:.2f}")
