"""
Two classes: the closest call among tumours
===========================================

Benign or malignant, with the tumours that each prediction leaned on.

Table: 569 tumours of the breast, which are installed with scikit-learn.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from heedful import AttentionLassoClassifier, plot

# %%
# Fit half of the tumours, predict the other half.

cancer = load_breast_cancer(as_frame=True)
labels = cancer.target.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(cancer.data, labels, test_size=0.5, random_state=0, stratify=labels)
model = AttentionLassoClassifier(random_state=0).fit(X_train, y_train)
for name, fitted in (("attention lasso", model), ("one L1 logistic model", model.baseline_)):
    chance = fitted.predict_proba(X_test)
    auc = roc_auc_score(y_test == "malignant", chance[:, 1])
    print(f"  {name:22s} log loss {log_loss(y_test, chance):.4f}  AUC {auc:.4f}")

# %%
# The prediction nearest to 50 %. Left: what moved its log-odds. Right: the tumours it attended to, and what they were.

e = model.explain(X_test, y_test)
query = e.link.abs().idxmin()
print(f"tumour {query}: {100 * e.prediction[query]:.0f} % malignant, it was {y_test[query]}")
figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained", width_ratios=[1.3, 1])
plot.contributions(e, query, k=7, ax=axes[0])
plot.attended_rows(e, query, k=10, ax=axes[1])

# %%
# The same over all tumours: which columns matter, and which way.

figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
plot.beeswarm(e, k=8, ax=ax)
