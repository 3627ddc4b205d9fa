"""
Free care: a real trial
=======================

Do people who pay nothing see a doctor more often, and who does so most? The RAND health insurance experiment drew the
plan of every family by lot in the seventies. The draw was balanced on what was known of families, so that chances of a
plan were much the same for all.

Table: `statsmodels.datasets.randhie`, person-years of the trial. It has no number of the person; neighbouring rows with
the same cells are taken for one, so that a person stays on one side of a fold.
"""

import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import randhie

from heedful import AttentionEffect, plot

# %%
# Plans with a deductible of its own kind are left out: they have coinsurance for part of the care only. Payments and
# limits (`lpi`, `fmde`) are part of the plan, not of the person, so that nothing is learned from them.

table = randhie.load_pandas().data
person = table.drop(columns="mdvis").diff().ne(0).any(axis=1).cumsum()
some = np.random.default_rng(0).permutation(person.unique())[:1200]
rows = (table["idp"] == 0) & person.isin(some)
table, person = table[rows], person[rows]
health = np.select([table[name] == 1 for name in ("hlthg", "hlthf", "hlthp")], ["good", "fair", "poor"], "excellent")
people = table[["physlm", "disea"]].rename(columns={"physlm": "limited", "disea": "diseases"}).assign(health=health)
# the second level in order is the treatment
plan = np.where(table["lncoins"] == 0, "yes", "no")

# %%
# First look whether the lot was fair to what we know of people; then at the average, and at whether effects differ.

model = AttentionEffect(random_state=0).fit(people, table["mdvis"], treatment=plan, groups=person)
overlap, differ = model.overlap(), model.heterogeneity()
print(f"{len(people)} years of {person.nunique()} people, free care: {(plan == 'yes').mean():.0%}")
print(overlap.verdict)
print(model.average_effect())
print(differ.verdict)
for name in ("excellent", "good", "fair"):
    found = model.average_effect(subset=health == name)
    print(f"health {name}: {found.effect:+.2f} visits a year, from {found.low:.2f} to {found.high:.2f}")

# %%
# Left: what the plans differ in before and after weighting. Middle: the gain of giving free care to those first who use
# it most, on held-out people. Right: the effect on a person against the number of diseases.

effect = model.effect(people)
figure, axes = plt.subplots(1, 3, figsize=(12, 3.5), layout="constrained")
plot.balance(overlap, ax=axes[0])
plot.gain_curve(differ, ax=axes[1])
for name, colour in zip(("excellent", "good", "fair", "poor"), plt.cm.cividis([0.0, 0.35, 0.65, 0.95]), strict=True):
    here = health == name
    axes[2].scatter(people["diseases"][here], effect[here], s=6, color=colour, label=name)
axes[2].set(xlabel="number of chronic diseases", ylabel="visits a year by free care")
axes[2].legend(title="health", fontsize=7, title_fontsize=7, markerscale=2)

# %%
# One person, opened up.

explanation = model.explain(people.iloc[:1])
print(explanation)
print(explanation.top_features())
