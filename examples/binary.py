"""
Binary classification: benign or malignant tumours
==================================================

Compare an attention lasso with a global L1 logistic model, then explain the tumour that is hardest to classify: which
measurements contributed, and which tumours it was compared with.

Table: 569 breast tumours (``load_breast_cancer`` of scikit-learn).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from heedful import AttentionLassoClassifier, plot

# %%
# Train on half of the tumours and predict the other half.

cancer = load_breast_cancer(as_frame=True)
labels = cancer.target.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(cancer.data, labels, test_size=0.5, random_state=0, stratify=labels)
model = AttentionLassoClassifier(random_state=0).fit(X_train, y_train)
for name, fitted in (("attention lasso", model), ("global L1 logistic model", model.baseline_)):
    chance = fitted.predict_proba(X_test)
    auc = roc_auc_score(y_test == "malignant", chance[:, 1])
    print(f"  {name:24s} log loss {log_loss(y_test, chance):.4f}  AUC {auc:.4f}")

# %%
# Which measurements matter over all held-out tumours, and in which direction?

e = model.explain(X_test, y_test)
figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
plot.beeswarm(e, k=8, ax=ax)

# %%
# The tumour predicted closest to 50 %. Contributions are on the scale of the log-odds of being malignant.

query = e.link.abs().idxmin()
print(f"tumour {query}: predicted {100 * e.prediction[query]:.0f} % malignant, true label {y_test[query]}")
figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
plot.contributions(e, query, k=7, ax=ax)

# %%
# The training tumours that it was compared with, and their labels.

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
plot.attended_rows(e, query, k=10, ax=ax)
