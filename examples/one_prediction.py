"""
One prediction opened up
========================

What drove the prediction of one wine, its small model, and which wines it was compared with.

Table: the 178 wines that are installed with scikit-learn. Their proline is predicted from twelve other measurements.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from heedful import AttentionLasso, plot

# %%
# Fit to half of the wines and explain the other half. The score is of wines that the model has not seen, beside one
# lasso for all wines.

wine = load_wine(as_frame=True).data.rename(columns={"od280/od315_of_diluted_wines": "dilution"})
X, y = wine.drop(columns="proline"), wine["proline"]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
model = AttentionLasso(random_state=0).fit(X_train, y_train)
print(f"R2 {model.score(X_test, y_test):.2f}, one lasso for all {model.baseline_.score(X_test, y_test):.2f}")

# %%
# Wine 54 from three sides. Left: from the mean prediction to its own, what each measurement adds. Middle: its
# small model, a line of at most five measurements through the prediction. Right: the wines it attended to, how much,
# and what their proline is.

query = 54
explanation = model.explain(X_test, y_test)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained", width_ratios=[1.2, 1, 1.1])
plot.contributions(explanation, query, k=6, ax=axes[0])
plot.small_model(explanation, query, ax=axes[1])
plot.attended_rows(explanation, query, k=10, ax=axes[2])
axes[0].set_title(
    f"what drove it: predicted {explanation.prediction[query]:.0f}, was {y_test[query]:.0f}", fontsize=9, pad=16
)
axes[1].set_title("its small model", fontsize=9, pad=16)
axes[2].set_title("whom it attended to", fontsize=9, pad=16)

# %%
# The same as tables. Contributions add up to the prediction exactly; each is what the value did through the choice of
# rows (`attention`) and through the model of these rows (`model`).
# The effect is what the prediction does if the value changes.

print(explanation.top_features(4).loc[query].round(1).to_string())
print(explanation.top_rows(4).loc[query].round(2).to_string())

# %%
# The picture on the front page is this one: ``python examples/one_prediction.py -o picture.png``.

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", type=Path)
    wanted, _ = parser.parse_known_args()
    if wanted.output:
        figure.savefig(wanted.output, dpi=110)
