"""
Credit risk: a probability and the reasons for it
=================================================

Will this applicant repay? A bank has to give reasons for a refusal, and the same value can count for one applicant and
against another. Here a large loan is a bad sign for a private applicant and a good one for a firm.

Table: a simulation of 1,500 applicants, where each true probability is known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.metrics import log_loss

from heedful import AttentionLassoClassifier, plot

# %%
# The table has text, a category with 30 levels and missing cells. Log loss is measured on 600 held-out applicants.

rng = np.random.default_rng(1)
n = 1500
firm = rng.uniform(size=n) < 0.3
applicants = pd.DataFrame(
    {
        "kind": np.where(firm, "firm", "private"),
        "income": rng.lognormal(np.where(firm, 4.5, 3.5), 0.5).round(1),
        "loan": rng.lognormal(np.where(firm, 4.0, 2.8), 0.7).round(1),
        "years known": rng.poisson(4, n).astype(float),
        "branch": rng.choice([f"branch {number:02d}" for number in range(30)], n),
        "late before": rng.poisson(0.4, n),
    }
)
burden = np.log(applicants["loan"] / applicants["income"])
log_odds = 1.2 - 0.9 * applicants["late before"] + 0.15 * applicants["years known"] + np.where(firm, 1.0, -1.2) * burden
chance = expit(log_odds - 1.0)
repaid = np.where(rng.uniform(size=n) < chance, "repaid", "defaulted")
applicants.loc[rng.uniform(size=n) < 0.15, "years known"] = np.nan

first = 900
model = AttentionLassoClassifier(random_state=0).fit(applicants[:first], repaid[:first])
given = model.predict_proba(applicants[first:])
plain = AttentionLassoClassifier(mixing=0.0, random_state=0).fit(applicants[:first], repaid[:first])
one = plain.predict_proba(applicants[first:])
best = np.column_stack([1 - chance, chance])[first:]
for name, given_by in (("heedful", given), ("the global L1 logistic model", one), ("the true probabilities", best)):
    print(f"log loss of {name}: {log_loss(repaid[first:], given_by):.3f}")

# %%
# Two applicants whose loans are large for their incomes. Bars are contributions to the log-odds of repaying. The large
# loan counts against the private applicant and for the firm.

e = model.explain(applicants[first:], repaid[first:])
rich = burden[first:].nlargest(200).index
private = applicants.loc[rich].query("kind == 'private'").index[0]
business = applicants.loc[rich].query("kind == 'firm'").index[0]
figure, axes = plt.subplots(2, 1, figsize=(7, 5.4), layout="constrained")
for ax, row in zip(axes, (private, business), strict=True):
    plot.contributions(e, row, k=5, ax=ax)
    title = f"{applicants['kind'][row].capitalize()}: repays with probability {e.prediction[row]:.2f}"
    ax.set_title(title, fontsize=10, loc="left")

# %%
# Predicted against true probabilities: a perfect model has all points on the diagonal.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for kind, colour in (("private", "#0072B2"), ("firm", "#E69F00")):
    rows = (applicants["kind"][first:] == kind).to_numpy()
    ax.scatter(chance[first:][rows], given[rows, 1], s=10, color=colour, label=kind)
ax.axline((0, 0), slope=1, color="black", linewidth=0.8)
ax.set(xlabel="true probability of repaying", ylabel="predicted probability")
ax.legend(frameon=False)
