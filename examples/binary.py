"""Two classes: benign or malignant, with the tumours that each prediction leaned on."""

from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from heedful import AttentionLassoClassifier


def main() -> None:
    """Fit half of the tumours, predict the other half, open one prediction."""
    cancer = load_breast_cancer(as_frame=True)
    labels = cancer.target.map({0: "malignant", 1: "benign"})
    X_train, X_test, y_train, y_test = train_test_split(
        cancer.data, labels, test_size=0.5, random_state=0, stratify=labels
    )
    model = AttentionLassoClassifier(random_state=0, n_jobs=-1).fit(X_train, y_train)
    print(f"{len(X_train)} tumours to learn from, {len(X_test)} to predict; classes {model.classes_.tolist()}")
    for name, fitted in (("attention lasso", model), ("one L1 logistic model", model.baseline_)):
        chance = fitted.predict_proba(X_test)
        auc = roc_auc_score(y_test == "malignant", chance[:, 1])
        print(f"  {name:22s} log loss {log_loss(y_test, chance):.4f}  AUC {auc:.4f}")

    local = model.local_models(X_test)
    query = local.link.abs().idxmin()
    print(
        f"\nthe closest call, tumour {query}: {100 * local.prediction[query]:.0f} % malignant, it was {y_test[query]}"
    )
    own = local.coef.loc[query] * (local.design.loc[query] - X_train.mean())
    print("what moved its log-odds away from the average tumour's:")
    for feature in own.abs().nlargest(4).index:
        print(f"  {feature:24s} {own[feature]:+.2f}")
    rows, weights = model.attention(X_test.loc[[query]]).top(0, 4)
    print("tumours it attended to most:")
    for row, weight in zip(rows, weights, strict=True):
        print(f"  tumour {y_train.index[row]:3d}  weight {weight:.2f}  {y_train.iloc[row]}")


if __name__ == "__main__":
    main()
