"""
Choosing between heedful, an EBM, a forest and SHAP
===================================================

The same table, the same split: how good is each, and what can each say about one prediction? An explainable boosting
machine (EBM) is a sum of curves and says what each curve adds. A forest says nothing by itself; Shapley values of its
predictions (what SHAP computes) say what each column adds. heedful says that too, and shows the model and the rows
behind it.

Table: progress of diabetes in 442 patients, which is installed with scikit-learn. It is a table where little can be
gained over one lasso: a good place to see whether a method knows that.
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
# Five splits. Errors of rows that were not seen, beside one lasso.

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
print(errors.describe().loc[["mean", "std"]].round(1).to_string())

# %%
# Shapley values of the forest, by permutations of the columns: a query's cells take the place of a training row's, one
# by one in a random order, and what the prediction moves by is credited to the column. The package `shap` does the same
# faster.


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


said = ebm.explain_local(one).data(0)
e = ours.explain(X_test, y_test)
table = pd.DataFrame(
    {
        "heedful": e.contributions().iloc[query],
        "EBM": pd.Series(dict(zip(said["names"], said["scores"], strict=True))),
        "forest, Shapley": pd.Series(shapley(ask_forest, one.to_numpy()[0], X_train.to_numpy()), X.columns),
    }
)
print(table.round(1).to_string())

# %%
# All three are numbers in units of the response that lead from a mean to the prediction, so they can stand side by
# side. They are of three different models: where they differ, look at the errors above before believing one of them.

figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained", width_ratios=[1, 1.6])
axes[0].boxplot([errors[name] for name in errors], tick_labels=list(errors))
axes[0].set(ylabel="root mean squared error")
table.loc[table["heedful"].abs().sort_values().index].plot.barh(ax=axes[1], color=["#0072B2", "#E69F00", "#009E73"])
axes[1].axvline(0, color="black", linewidth=0.8)
axes[1].set(xlabel=f"adds to the prediction of patient {one.index[0]} (it was {y_test.iloc[query]:.0f})")
axes[1].legend(frameon=False)

# %%
# When which: an EBM where one sum of curves is right and is to be printed once for all rows; a forest or booster with
# SHAP where only the prediction counts and a reason is asked for now and then; heedful where rows differ in kind, and
# where the answer to "why" should be a model one can compute by hand and rows one can look up.

print(f"share of attention that heedful uses here: {ours.mixing_:.2f}")
