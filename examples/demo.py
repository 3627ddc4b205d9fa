"""Personalised lassos against one lasso on a real table: the proline content of 178 wines.

The wines come from three cultivars. No model is told which; the attention finds out.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split

from heedful import AttentionLasso

SPLITS = 5


def main() -> None:
    """Compare on random halves, then open one prediction."""
    wine = load_wine(as_frame=True)
    table = wine.data.rename(columns={"od280/od315_of_diluted_wines": "od280/od315"})
    X, y, cultivar = table.drop(columns="proline"), table["proline"], wine.target
    print(f"Predict proline (mg/l) of {len(X)} wines from {X.shape[1]} other measurements, {SPLITS} random halves\n")
    gains = {"attention lasso": [], "random forest": []}
    for seed in range(SPLITS):
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
        model = AttentionLasso(random_state=seed, n_jobs=-1).fit(X_train, y_train)
        forest = RandomForestRegressor(500, random_state=seed, n_jobs=-1).fit(X_train, y_train)
        lasso = np.mean((y_test - model.baseline_.predict(X_test)) ** 2)
        for name, fitted in (("attention lasso", model), ("random forest", forest)):
            gains[name].append(100 * (1 - np.mean((y_test - fitted.predict(X_test)) ** 2) / lasso))
    print("squared error against one lasso for all wines, mean (standard error):")
    for name, gain in gains.items():
        print(f"  {name:16s} {np.mean(gain):+5.1f} % better ({np.std(gain, ddof=1) / SPLITS**0.5:.1f})")

    print(f"\nheads that got a share in the last half (total {model.mixing_:.2f}, the rest is the lasso for all):")
    print(model.heads_.query("share > 0").round(2).to_string(index=False))
    show_one(model, X_test, y_test, y_train, cultivar)


def show_one(model, X_test, y_test, y_train, cultivar) -> None:
    """Print what one prediction was made of."""
    attention = model.attention(X_test)
    own = [attention.toarray()[q] @ (cultivar[y_train.index] == cultivar[i]) for q, i in enumerate(X_test.index)]
    print(f"\nattention on wines of the query's own cultivar, which no model was told: {100 * np.mean(own):.0f} %")
    query = X_test.index[3]
    local = model.local_models(X_test.loc[[query]])
    print(f"\nwine {query}: predicted {local.prediction[query]:.0f}, measured {y_test[query]:.0f}")
    both = local.coef.T.rename(columns={query: "its own model"}).assign(**{"lasso for all": local.baseline_coef})
    print(both[(both != 0).any(axis=1)].round(2).to_string())
    rows, weights = attention.top(3, 5)
    print("\nwines it attended to most:")
    for row, weight in zip(rows, weights, strict=True):
        print(f"  wine {y_train.index[row]:3d}  weight {weight:.2f}  proline {y_train.iloc[row]:.0f}")


if __name__ == "__main__":
    main()
