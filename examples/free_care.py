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
averages = {"all": model.average_effect()}
print(averages["all"])
print(differ.verdict)
for name in ("excellent", "good", "fair"):
    averages[f"health: {name}"] = found = model.average_effect(subset=health == name)
    print(f"health {name}: {found.effect:+.2f} visits a year, 90 % interval {found.low:.2f} to {found.high:.2f}")

# %%
# Average effects with 90 % intervals: over all people, and by state of health. Few people are in poor health, and they
# have no interval of their own.

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for place, found in enumerate(averages.values()):
    ax.plot([found.low, found.high], [place, place], color="#0072B2", linewidth=2)
    ax.plot(found.effect, place, "o", color="#0072B2", markersize=7)
ax.axvline(0, color="black", linestyle="--", linewidth=0.8)
ax.set(
    yticks=range(len(averages)),
    yticklabels=averages,
    ylim=(3.5, -0.5),
    xlabel="additional visits a year with free care",
)

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
