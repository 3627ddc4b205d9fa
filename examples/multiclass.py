"""Multiclass classification: predict the cultivar of a wine, with one linear predictor per class and row."""

from sklearn.datasets import load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from heedful import AttentionLassoClassifier


def main() -> None:
    """Train on half of the wines, predict the other half, and print the small model of one wine."""
    wine = load_wine(as_frame=True)
    cultivar = wine.target.map({0: "Barolo", 1: "Grignolino", 2: "Barbera"})
    X_train, X_test, y_train, y_test = train_test_split(
        wine.data, cultivar, test_size=0.5, random_state=0, stratify=cultivar
    )
    model = AttentionLassoClassifier(random_state=0, n_jobs=-1).fit(X_train, y_train)
    print(f"log loss {log_loss(y_test, model.predict_proba(X_test)):.3f}, accuracy {model.score(X_test, y_test):.3f}")
    base = model.baseline_.predict_proba(X_test)
    print(f"global model: log loss {log_loss(y_test, base):.3f}")
    local = model.local_models(X_test)
    query = X_test.index[0]
    print(f"\nwine {query} is a {y_test[query]}; predicted probabilities:")
    print(local.prediction.loc[query].round(3).to_string())
    print("\nits small model: slopes of the linear predictor of each cultivar (rows of zeros left out):")
    table = local.coef.loc[query].unstack("class")
    print(table[(table != 0).any(axis=1)].round(2).to_string())


if __name__ == "__main__":
    main()
