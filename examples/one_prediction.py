"""
One prediction opened up
========================

What contributed to one predicted rent, its small model that can be checked by hand, and the flats it was compared with.

Table: simulated rents of 800 flats (:func:`~heedful.datasets.make_rents`), so that the truth is known.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

from heedful import AttentionLasso, plot
from heedful.datasets import make_rents

# %%
# A floor higher up adds 30 euros with a lift and takes off 30 without; a square metre costs more in the centre. No
# single linear model is right. Fit to 600 flats, explain the other 200.

train, test = make_rents(800, random_state=0).split(600)
model = AttentionLasso(random_state=0).fit(train.X, train.y)
print(f"R2 {model.score(test.X, test.y):.2f}, one lasso for all {model.baseline_.score(test.X, test.y):.2f}")

# %%
# Flat 623 has 65 square metres in the north, is 37 years old, and is on the fourth floor without a lift. Left: from
# the mean rent to its own, what each column adds. Middle: its small model, a regression line of at most five columns
# through the prediction. Right: the flats it was compared with, their weights and their rents.

query = 623
explanation = model.explain(test.X, test.y)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained", width_ratios=[1.1, 1.1, 1])
plot.contributions(explanation, query, ax=axes[0])
plot.small_model(explanation, query, ax=axes[1])
plot.attended_rows(explanation, query, k=8, ax=axes[2])
axes[0].set_title(
    f"contributions: predicted {explanation.prediction[query]:.0f}, truth {test.signal[query]:.0f}", fontsize=9, pad=16
)
axes[1].set_title("its small model", fontsize=9, pad=16)
axes[2].set_title("the flats it was compared with", fontsize=9, pad=16)

# %%
# The small model as text. Its slopes are near those of the truth: 10 euros a square metre in the north, -3 a year,
# -30 a floor without a lift, and 240 less than with a lift.

print(explanation.query(query))

# %%
# The same as tables. Contributions add up to the prediction; the effect is what the prediction does if the value
# changes.

print(explanation.top_features(4).loc[query].round(1).to_string())
print(explanation.top_rows(4).loc[query].round(2).to_string())

# %%
# The picture of the README is this one: ``python examples/one_prediction.py -o picture.png``.

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", type=Path)
    wanted, _ = parser.parse_known_args()
    if wanted.output:
        figure.savefig(wanted.output, dpi=110)
