"""
Explain one prediction
======================

Why is this rent predicted to be low? heedful answers in three ways: the contribution of each column, a small linear
model that you can check by hand, and the training rows that the prediction was compared with.

Table: simulated rents of 800 flats (:func:`~heedful.datasets.make_rents`), where the true rent is known.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

from heedful import AttentionLasso, plot
from heedful.datasets import make_rents

# %%
# In these rents, each floor adds 30 euros in houses with a lift and takes off 30 euros in houses without one, and a
# square metre costs more in the centre. No single linear model fits all flats. We train on 600 flats and explain the
# other 200.

train, test = make_rents(800, random_state=0).split(600)
model = AttentionLasso(random_state=0).fit(train.X, train.y)
print(f"R2 on held-out flats: {model.score(test.X, test.y):.2f}")
print(f"R2 of the global lasso: {model.baseline_.score(test.X, test.y):.2f}")

# %%
# Flat 623 has 65 square metres, is in the north, 37 years old, and on the fourth floor without a lift.
#
# * Top left: contributions lead from the mean rent to the predicted one.
# * Top right: the small model, a linear model of at most five columns that gives exactly this prediction.
# * Bottom: the flats it was compared with, with their weights and rents.

query = 623
explanation = model.explain(test.X, test.y)
places = [["contributions", "model"], ["rows", "rows"]]
figure, axes = plt.subplot_mosaic(places, figsize=(8, 5.6), layout="constrained")
plot.contributions(explanation, query, ax=axes["contributions"])
plot.small_model(explanation, query, ax=axes["model"])
plot.attended_rows(explanation, query, k=8, ax=axes["rows"])
titles = {
    "contributions": f"Contributions: predicted {explanation.prediction[query]:.0f}, true {test.signal[query]:.0f}",
    "model": "Its small model",
    "rows": "The flats it was compared with",
}
for name, title in titles.items():
    axes[name].set_title(title, fontsize=10, loc="left", pad=16)

# %%
# The small model as text. Its slopes are close to the true ones: 10 euros per square metre in the north, -3 per year
# of age, -30 per floor without a lift, and 240 euros less without a lift on the fourth floor.

print(explanation.query(query))

# %%
# The same as tables. Contributions add up to the difference from the mean rent. An effect is how much the prediction
# changes if the value changes.

print(explanation.top_features(4).loc[query].round(1).to_string())
print(explanation.top_rows(4).loc[query].round(2).to_string())

# %%
# The README shows this figure: ``python examples/one_prediction.py -o picture.png`` draws it.

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", type=Path)
    wanted, _ = parser.parse_known_args()
    if wanted.output:
        figure.savefig(wanted.output, dpi=110)
