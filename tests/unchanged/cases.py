"""Every public estimator on eight small tables: what it says of a few queries, as arrays."""

import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier

from heedful import (
    AttentionClassifier,
    AttentionCox,
    AttentionLasso,
    AttentionLassoClassifier,
    AttentionRegressor,
    DriftCorrector,
    LeafAttentionClassifier,
    LeafAttentionRegressor,
    LocalLasso,
    TreeAttentionRegressor,
)
from heedful.similarity import (
    BoostedProximity,
    ForestProximity,
    GaussianSimilarity,
    PastSimilarity,
    RidgeSimilarity,
    TeacherSimilarity,
    default_forests,
)

N_TRAIN, N_QUERY = 64, 5
N_ROWS = N_TRAIN + N_QUERY


def switch(rng):
    X = rng.normal(size=(N_ROWS, 4))
    return X, np.where(X[:, 0] > 0, 3.0, -3.0) * X[:, 1] + 0.3 * rng.normal(size=N_ROWS)


def text(rng):
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 3)), columns=list("abc"), index=[f"row {i}" for i in range(N_ROWS)])
    X = X.assign(d=rng.choice(["u", "v", "w"], N_ROWS), e=pd.Categorical(rng.choice(["lo", "hi"], N_ROWS)))
    X.loc[X.index[::7], "b"] = np.nan
    return X, (X["a"] * np.where(X["d"] == "u", 2.0, -1.0)).to_numpy() + 0.2 * rng.normal(size=N_ROWS)


def wide(rng):
    X = rng.normal(size=(N_ROWS, 90))
    return X, X[:, 0] * np.sign(X[:, 1]) + 0.1 * rng.normal(size=N_ROWS)


def heavy(rng):
    X = rng.normal(size=(N_ROWS, 3))
    return X, X[:, 0] + rng.standard_t(2, size=N_ROWS) ** 3 / 10


def repeated(rng):
    X = rng.integers(0, 3, size=(N_ROWS, 3)).astype(float)
    return X, np.round(X[:, 0] * X[:, 1] - X[:, 2] + 0.1 * rng.normal(size=N_ROWS), 1)


def units(rng):
    X = rng.normal(size=(N_ROWS, 3)) * [1e-3, 1.0, 1e4] + [0.0, 5.0, -1e5]
    return X, 1e3 + 50 * np.sign(X[:, 0]) * (X[:, 1] - 5.0) + rng.normal(size=N_ROWS)


def diabetes(rng):
    frame = load_diabetes(as_frame=True)
    part = rng.permutation(len(frame.data))[:N_ROWS]
    return frame.data.iloc[part], frame.target.iloc[part].to_numpy()


def wine(rng):
    frame = load_wine(as_frame=True).data
    part = rng.permutation(len(frame))[:N_ROWS]
    return frame.drop(columns="proline").iloc[part], frame["proline"].iloc[part].to_numpy()


TABLES = {make.__name__: make for make in (switch, text, wide, heavy, repeated, units, diabetes, wine)}


def table(name):
    """Return the table, its response, and weights that are not all one on every other table."""
    number = list(TABLES).index(name)
    rng = np.random.default_rng(number)
    X, y = TABLES[name](rng)
    return X, y, rng.uniform(0.5, 2.0, N_TRAIN) if number % 2 else np.ones(N_TRAIN)


def take(table, rows):
    return table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]


def classes_of(y, several):
    cuts = np.quantile(y, [1 / 3, 2 / 3] if several else [0.5])
    return np.array(["low", "mid", "top"])[np.digitize(y, cuts)]


def survival_of(y):
    time = np.exp(-(y - y.mean()) / y.std()) + 1e-3 * np.arange(y.size)
    return pd.DataFrame({"event": np.arange(y.size) % 4 > 0, "time": time})


def numbers_of(X):
    """Return the columns that hold numbers, without gaps."""
    return X if isinstance(X, np.ndarray) else X.select_dtypes("number").fillna(0.0)


# by default a wide table has fewer now
EVERY_COLUMN = LocalLasso(max_features=None)
FEW = ForestProximity(12)
SIMILARITIES = {
    "switch": [
        BoostedProximity(GradientBoostingRegressor(n_estimators=5, random_state=0), n_folds=2),
        RidgeSimilarity(),
    ],
    "heavy": TeacherSimilarity(RandomForestRegressor(5, random_state=0), n_folds=2, anchor=True),
    "units": GaussianSimilarity(),
    "repeated": PastSimilarity(ForestProximity(8), time=2),
}


def regressors(name, X):
    # the anchor of a teacher is the attention lasso's alone, and folds leave something out
    seed = {"random_state": 0}
    yield "lasso", AttentionLasso(similarity=default_forests(24), local=EVERY_COLUMN, **seed)
    yield "lasso_one", AttentionLasso(heads="single", similarity=SIMILARITIES.get(name, FEW), **seed)
    yield (
        "lasso_adaptive",
        AttentionLasso(similarity=default_forests(16), mixing="adaptive", local=EVERY_COLUMN, **seed),
    )
    yield "lasso_folds", AttentionLasso(heads="single", similarity=FEW, cv=3, mixing="adaptive", **seed)
    yield "ridge", AttentionRegressor(Ridge(), similarity=FEW, tuning_rows=12, **seed)
    yield "leaf", LeafAttentionRegressor(RandomForestRegressor(6, random_state=0), similarity=FEW, **seed)
    yield "tree", TreeAttentionRegressor(RandomForestRegressor(5, max_depth=3, random_state=0), similarity=FEW, **seed)
    yield "lightgbm", AttentionRegressor(similarity=FEW, temperature=0.1, tuning_rows=10, cv=2, **seed)


def classifiers():
    seed = {"random_state": 0}
    yield "classes", AttentionLassoClassifier(similarity=default_forests(16), local=EVERY_COLUMN, **seed)
    yield (
        "classes_exact",
        AttentionLassoClassifier(
            heads="single",
            similarity=FEW,
            mixing="adaptive",
            local=LocalLasso(exact=True),
            class_weight="balanced",
            **seed,
        ),
    )
    yield "logistic", AttentionClassifier(LogisticRegression(), similarity=FEW, tuning_rows=12, **seed)
    yield "trees", AttentionClassifier(DecisionTreeClassifier(max_depth=2, random_state=0), FEW, tuning_rows=10, **seed)
    yield "leaf_classes", LeafAttentionClassifier(similarity=FEW, leaf_value="residuals", **seed)


def survivors():
    yield "cox", AttentionCox(similarity=default_forests(16), local=EVERY_COLUMN, random_state=0)
    yield (
        "cox_exact",
        AttentionCox(heads="single", similarity=FEW, cv=3, mixing=0.5, local=LocalLasso(exact=True), random_state=0),
    )


def said_by(model, X_query):
    """Return what a fitted estimator says of queries: predictions, models, attention, intervals."""
    explained = model.explain(X_query)
    found = {
        "prediction": np.asarray(explained.prediction, dtype=float),
        "predict": model.predict_proba(X_query) if hasattr(model, "predict_proba") else model.predict(X_query),
        "coef": explained.coef.to_numpy(),
        "link": np.asarray(explained.link, dtype=float),
        "intercept": np.asarray(explained.intercept, dtype=float),
        "mean": explained.mean.to_numpy(),
        "n_eff": explained.n_eff.to_numpy(),
        "attention": model.attention(X_query).toarray(),
        "share": model.heads_["share"].to_numpy(),
        "error": model.heads_["error"].to_numpy(),
    }
    if hasattr(model, "predict_interval"):
        found["interval"] = model.predict_interval(X_query, coverage=0.8)
    if hasattr(model, "predict_survival_function"):
        found["survival"] = model.predict_survival_function(X_query).to_numpy()
    return found


def drift(name, X, y, weight):
    """Return correctors of a model that was fitted to half of the rows before they changed."""
    half, recent = slice(0, N_TRAIN // 2), slice(N_TRAIN // 2, N_TRAIN)
    later = y + y.std() * (np.arange(y.size) % 2)
    model = GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X[half], y[half])
    yield "drift", DriftCorrector(model).fit(X[recent], later[recent], sample_weight=weight[recent])
    forest = DriftCorrector(model, similarity=ForestProximity(10, random_state=0), mixing=0.7)
    yield "drift_forest", forest.fit(X[recent], later[recent])
    labels = classes_of(y, several=name in ("wide", "units"))
    judge = GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X[half], labels[half])
    yield "drift_classes", DriftCorrector(judge, temperature=0.3).fit(X[recent], np.roll(labels[recent], 3))


def measure(name):
    """Return all that is said on one table, by name of the estimator and of the array."""
    X, y, weight = table(name)
    train, query = slice(0, N_TRAIN), slice(N_TRAIN, None)
    plain = numbers_of(X)
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key, model in regressors(name, X):
            rows = plain if key == "ridge" else X
            # the response of the first case of lightgbm is made of many, so that a tree can split
            found[key] = said_by(model.fit(take(rows, train), y[train], sample_weight=weight), take(rows, query))
        for key, model in classifiers():
            labels = classes_of(y, several=list(TABLES).index(name) % 3 == 0)
            rows = plain if key in ("logistic", "trees") else X
            found[key] = said_by(model.fit(take(rows, train), labels[train], sample_weight=weight), take(rows, query))
        for key, model in survivors():
            times = survival_of(y)
            found[key] = said_by(model.fit(take(X, train), times[train], sample_weight=weight), take(X, query))
        values = np.ascontiguousarray(plain, dtype=float)
        for key, model in drift(name, values, y, weight):
            found[key] = said_by(model, values[query])
    return {f"{name}/{key}/{what}": values for key, part in found.items() for what, values in part.items()}
