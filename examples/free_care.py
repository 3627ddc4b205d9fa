"""
Does free care raise doctor visits? A randomized trial
======================================================

Do people see a doctor more often when care is free, and who does so most? In the 1970s the RAND health insurance
experiment assigned families to insurance plans at random, balanced on what was known about them. The probability of
each plan was therefore about the same for all families.

Table: ``statsmodels.datasets.randhie``, one row per person and year of the trial. It has no person identifier, so
adjacent rows with the same values are taken as one person. Folds then never split a person.
"""

import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import randhie

from heedful import AttentionEffect, plot

# %%
# We leave out the individual deductible plan, in which only part of the care has coinsurance. Payments and limits
# (``lpi``, ``fmde``) belong to the plan and not to the person, so they are not features.

table = randhie.load_pandas().data
person = table.drop(columns="mdvis").diff().ne(0).any(axis=1).cumsum()
some = np.random.default_rng(0).permutation(person.unique())[:1200]
rows = (table["idp"] == 0) & person.isin(some)
table, person = table[rows], person[rows]
health = np.select([table[name] == 1 for name in ("hlthg", "hlthf", "hlthp")], ["good", "fair", "poor"], "excellent")
people = table[["physlm", "disea"]].rename(columns={"physlm": "limited", "disea": "diseases"}).assign(health=health)
# the second level in alphabetical order is the treatment
plan = np.where(table["lncoins"] == 0, "yes", "no")

# %%
# First check overlap: randomization should make it good. Then look at the average effect, at the test for
# heterogeneity, and at averages by state of health.

model = AttentionEffect(random_state=0).fit(people, table["mdvis"], treatment=plan, groups=person)
overlap, differ = model.overlap(), model.heterogeneity()
print(f"{len(people)} person-years of {person.nunique()} people, {(plan == 'yes').mean():.0%} with free care")
print(overlap.verdict)
print(model.average_effect())
print(differ.verdict)
for name in ("excellent", "good", "fair"):
    found = model.average_effect(subset=health == name)
    print(f"health {name}: {found.effect:+.2f} visits a year, 90 % interval {found.low:.2f} to {found.high:.2f}")

# %%
# The estimated effect for each person and year, against the number of chronic diseases.

effect = model.effect(people)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, colour in zip(("excellent", "good", "fair", "poor"), plt.cm.cividis([0.0, 0.35, 0.65, 0.95]), strict=True):
    here = health == name
    ax.scatter(people["diseases"][here], effect[here], s=10, color=colour, label=name)
ax.set(xlabel="number of chronic diseases", ylabel="additional visits a year with free care")
ax.legend(title="health", frameon=False, markerscale=2, loc="center left", bbox_to_anchor=(1, 0.5))

# %%
# Left: balance of the two plans, before and after weighting. Right: the gain in visits if free care is given first to
# those with the largest predicted effects, on held-out people.

figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
plot.balance(overlap, ax=axes[0])
plot.gain_curve(differ, ax=axes[1])

# %%
# The effect for one person, explained.

explanation = model.explain(people.iloc[:1])
print(explanation)
print(explanation.top_features())
