"""Every fitted estimator comes back from its file to the last bit, and holds its training rows once."""

import io
import zipfile
from collections import Counter

import catboost
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from skops import io as skops_io

import heedful
from heedful._trees import Forest
from heedful.baseline import CoxBaseline, LassoBaseline, LogisticBaseline
from heedful.similarity import (
    BoostedProximity,
    ForestProximity,
    GaussianSimilarity,
    NearSimilarity,
    PastSimilarity,
    RidgeSimilarity,
    TeacherSimilarity,
    default_forests,
)

ROWS = 120
OTHERS = (
    *("lightgbm.basic.Booster", "xgboost.core.Booster", "sklearn.tree._tree.Tree"),
    *("lightgbm.sklearn.LGBMRegressor", "lightgbm.sklearn.LGBMClassifier"),
    *("xgboost.sklearn.XGBRegressor", "xgboost.sklearn.XGBClassifier"),
    *("catboost.core.CatBoostRegressor", "catboost.core.CatBoostClassifier"),
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
)
FEW = {"similarity": ForestProximity(20), "random_state": 0}
LEARN = FEW | {"local": heedful.LocalLearner(tuning_rows=10)}
LGBM = {"n_estimators": 4, "verbose": -1, "n_jobs": 1}
XGB = {"n_estimators": 4, "n_jobs": 1}
CAT = {"iterations": 4, "verbose": 0, "thread_count": 1, "bootstrap_type": "No", "allow_writing_files": False}


def drift(model, rows, **settings):
    """Return a corrector of a model that was fitted to the first rows."""
    X, y = rows
    return heedful.DriftCorrector(model.fit(X[:60], y[:60]), **{"random_state": 0} | settings)


# What is fitted, to which rows.
CASES = {
    "lasso": lambda _: (heedful.AttentionLasso(similarity=default_forests(8), random_state=0), "mixed", "number"),
    "one head, folds": lambda _: (heedful.AttentionLasso(heads="single", cv=3, **FEW), "plain", "number"),
    "adaptive": lambda _: (heedful.AttentionLasso(mixing="adaptive", **FEW), "plain", "number"),
    "ridge": lambda _: (heedful.AttentionLasso(similarity=RidgeSimilarity()), "plain", "number"),
    "gaussian": lambda _: (heedful.AttentionLasso(similarity=GaussianSimilarity()), "plain", "number"),
    "boosted": lambda _: (
        heedful.AttentionLasso(similarity=BoostedProximity(lightgbm.LGBMRegressor(**LGBM)), random_state=0),
        "plain",
        "number",
    ),
    "teacher": lambda _: (
        heedful.AttentionLasso(similarity=TeacherSimilarity(xgboost.XGBRegressor(**XGB)), random_state=0),
        "plain",
        "number",
    ),
    "past": lambda _: (
        heedful.AttentionLasso(similarity=PastSimilarity(ForestProximity(20), time="a"), random_state=0),
        "frame",
        "number",
    ),
    "near": lambda _: (
        heedful.AttentionLasso(similarity=NearSimilarity(ForestProximity(20), "a"), random_state=0),
        "frame",
        "number",
    ),
    "classes": lambda _: (heedful.AttentionLassoClassifier(**FEW), "mixed", "class"),
    "survival": lambda _: (heedful.AttentionCox(**FEW), "mixed", "survival"),
    "counts": lambda _: (heedful.AttentionGLM(**FEW), "mixed", "count"),
    "effects": lambda _: (heedful.AttentionEffect(**FEW), "mixed", "number"),
    "LightGBM": lambda _: (heedful.AttentionRegressor(lightgbm.LGBMRegressor(**LGBM), **LEARN), "mixed", "number"),
    "XGBoost": lambda _: (heedful.AttentionRegressor(xgboost.XGBRegressor(**XGB), **LEARN), "mixed", "number"),
    "CatBoost": lambda _: (heedful.AttentionRegressor(catboost.CatBoostRegressor(**CAT), **LEARN), "frame", "number"),
    "tree": lambda _: (heedful.AttentionRegressor(DecisionTreeRegressor(random_state=0), **LEARN), "plain", "number"),
    "LightGBM classes": lambda _: (
        heedful.AttentionClassifier(lightgbm.LGBMClassifier(**LGBM), **LEARN),
        "plain",
        "class",
    ),
    "XGBoost classes": lambda _: (heedful.AttentionClassifier(xgboost.XGBClassifier(**XGB), **LEARN), "plain", "class"),
    "CatBoost classes": lambda _: (
        heedful.AttentionClassifier(catboost.CatBoostClassifier(**CAT), **LEARN),
        "plain",
        "class",
    ),
    "pipeline": lambda _: (
        heedful.AttentionClassifier(make_pipeline(StandardScaler(), LogisticRegression()), **LEARN),
        "frame",
        "class",
    ),
    "leaves": lambda _: (
        heedful.LeafAttentionRegressor(GradientBoostingRegressor(n_estimators=4), **FEW),
        "plain",
        "number",
    ),
    "leaves of a fitted one": lambda rows: (
        heedful.LeafAttentionRegressor(RandomForestRegressor(9, random_state=0).fit(*rows), **FEW),
        "plain",
        "number",
    ),
    "leaves, LightGBM": lambda _: (
        heedful.LeafAttentionRegressor(lightgbm.LGBMRegressor(**LGBM), leaf_value="residuals", **FEW),
        "mixed",
        "number",
    ),
    "leaves, XGBoost": lambda _: (
        heedful.LeafAttentionRegressor(xgboost.XGBRegressor(**XGB), **FEW),
        "plain",
        "number",
    ),
    "leaves, CatBoost": lambda _: (
        heedful.LeafAttentionRegressor(catboost.CatBoostRegressor(**CAT), **FEW),
        "plain",
        "number",
    ),
    "leaves of classes": lambda _: (
        heedful.LeafAttentionClassifier(HistGradientBoostingClassifier(max_iter=4), **FEW),
        "plain",
        "class",
    ),
    "trees": lambda _: (heedful.TreeAttentionRegressor(lightgbm.LGBMRegressor(**LGBM), **FEW), "plain", "number"),
    "drift": lambda rows: (drift(RandomForestRegressor(9, random_state=0), rows), "plain", "number"),
    "drift, LightGBM": lambda rows: (drift(lightgbm.LGBMRegressor(**LGBM), rows), "frame", "number"),
    "drift, XGBoost": lambda rows: (drift(xgboost.XGBRegressor(**XGB), rows, window=90), "plain", "number"),
    "drift, CatBoost": lambda rows: (drift(catboost.CatBoostRegressor(**CAT), rows), "plain", "number"),
    "drift by forest": lambda rows: (
        drift(RandomForestRegressor(9, random_state=0), rows, similarity=ForestProximity(20)),
        "plain",
        "number",
    ),
    "clusters": lambda _: (heedful.ProtoClust(n_clusters=3), "plain", None),
    "lasso for all": lambda _: (LassoBaseline(), "plain", "number"),
    "logistic for all": lambda _: (LogisticBaseline(), "plain", "class"),
    "Cox for all": lambda _: (CoxBaseline(), "plain", "survival"),
    "forest alone": lambda _: (ForestProximity(20, random_state=0), "plain", "number"),
    "gaussian alone": lambda _: (GaussianSimilarity(), "plain", "number"),
}
FITTED_ONE_BY_ONE = {"XGBoost", "XGBoost classes", "CatBoost", "CatBoost classes", "pipeline"}
# what others of their kind stand for
SEEN_IN_OTHERS = {
    *("one head, folds", "adaptive", "boosted", "teacher", "past", "pipeline", "drift by forest", "drift, XGBoost"),
    *("XGBoost", "CatBoost", "LightGBM classes", "XGBoost classes", "CatBoost classes", "drift, CatBoost"),
    *("leaves of a fitted one", "leaves, LightGBM", "leaves, CatBoost"),
}


def parametrize(cases):
    """Return the mark of a test of cases, of which `make test-more` takes those that are seen in others."""
    marked = [pytest.param(case, marks=pytest.mark.more) if case in SEEN_IN_OTHERS else case for case in cases]
    return pytest.mark.parametrize("case", marked)


every_case = parametrize(CASES)


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(ROWS, 5)), columns=list("abcde"))
    mixed = frame.assign(kind=np.where(frame["c"] > 0, "u", "v"))
    mixed.loc[::9, "d"] = np.nan
    y = frame["a"] * np.where(frame["b"] > 0, 2.0, -1.0) + 0.1 * rng.normal(size=ROWS)
    survival = pd.DataFrame({"event": rng.random(ROWS) < 0.7, "time": rng.exponential(size=ROWS) + 0.01})
    responses = {"number": y.to_numpy(), "class": (y > 0).astype(int).to_numpy(), "survival": survival, None: None}
    responses["count"] = np.exp(y.to_numpy())
    return {"plain": frame.to_numpy(), "frame": frame, "mixed": mixed}, responses


@pytest.fixture(scope="module")
def made(tables):
    """Return a function that gives a fitted case, its rows and the bytes of its file; each is made once."""
    kept = {}

    def make(case):
        if case not in kept:
            (X, y), kinds = tables, ("frame" if case == "drift, LightGBM" else "plain")
            model, table, response = CASES[case]((X[kinds], y["number"]))
            file = io.BytesIO()
            more = {"treatment": np.arange(ROWS) % 2} if case == "effects" else {}
            heedful.save_model(model.fit(X[table], y[response], **more), file)
            kept[case] = model, X[table], file.getvalue()
        return kept[case]

    return make


def said(model, X):
    """Return all that a model says of rows."""
    names = ("predict", "predict_proba", "scores", "effect_interval")
    found = [getattr(model, name)(X[:15]) for name in names if hasattr(model, name)]
    return [entry.toarray() if hasattr(entry, "toarray") else entry for entry in found]


@pytest.mark.one_value
@every_case
def test_a_loaded_model_predicts_the_same_to_the_last_bit(made, case):
    model, X, data = made(case)
    again = heedful.load_model(io.BytesIO(data), trusted=OTHERS)
    assert said(model, X)
    for found, expected in zip(said(again, X), said(model, X), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.one_value
@parametrize([case for case in CASES if "alone" not in case and "for all" not in case])
def test_a_loaded_model_explains_the_same(made, case):
    model, X, data = made(case)
    again = heedful.load_model(io.BytesIO(data), trusted=OTHERS)
    if case == "clusters":
        np.testing.assert_array_equal(again.prototypes_, model.prototypes_)
        return
    pd.testing.assert_frame_equal(again.heads_, model.heads_)
    found, expected = again.explain(X[:3]), model.explain(X[:3])
    # contributions take hundreds of fits, of what predicts the same to the last bit: a quick learner stands for all
    for part in ("top_rows",) if case in FITTED_ONE_BY_ONE else ("top_features", "top_rows"):
        pd.testing.assert_frame_equal(getattr(found, part)(), getattr(expected, part)(), check_exact=True)


def test_a_loaded_model_of_effects_knows_its_rows(made):
    model, _, data = made("effects")
    again = heedful.load_model(io.BytesIO(data))
    assert again.average_effect() == model.average_effect()
    for part in ("heterogeneity", "overlap"):
        assert str(getattr(again, part)()) == str(getattr(model, part)())


@pytest.mark.one_value
@pytest.mark.parametrize("case", ["lasso", "drift", "LightGBM"])
def test_plain_skops_does_as_well(made, case):
    model, X, _ = made(case)
    data = skops_io.dumps(model)
    again = skops_io.loads(data, trusted=skops_io.get_untrusted_types(data=data))
    np.testing.assert_array_equal(again.predict(X[:15]), model.predict(X[:15]))


def arrays(data):
    """Return the arrays of a file that have a row for each training row and are as large as the table."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [io.BytesIO(archive.read(name)) for name in archive.namelist() if name.endswith(".npy")]
    loaded = [np.load(file, allow_pickle=False) for file in files]
    return [array for array in loaded if array.size >= 5 * ROWS and ROWS in array.shape]


@every_case
def test_no_model_holds_its_training_rows_twice(made, case):
    found = Counter()
    for array in arrays(made(case)[2]):
        # 32 bits, so that a copy with fewer digits counts as one
        narrow = array.astype(np.float32) if array.dtype.kind == "f" else array
        found[array.size, np.sort(narrow, axis=None).tobytes()] += 1
    assert all(times == 1 for times in found.values()), [key[0] for key, times in found.items() if times > 1]


def test_every_public_estimator_has_a_case(tables):
    X, y = tables
    kinds = {type(make((X["plain"], y["number"]))[0]).__name__ for make in CASES.values()}
    public = {name for name in heedful.__all__ if hasattr(getattr(heedful, name), "fit")}
    assert public <= kinds


@pytest.mark.more
def test_a_file_grows_by_a_few_times_the_table(rng):
    sizes = []
    for n_rows in (500, 2000):
        X, file = rng.normal(size=(n_rows, 40)), io.BytesIO()
        model = heedful.AttentionLasso(
            heads="single", similarity=GaussianSimilarity(), temperature=1.0, alpha=0.1, mixing=0.5
        )
        heedful.save_model(model.fit(X, X[:, 0]), file)
        sizes.append(len(file.getvalue()))
    # the rows as they are, and as the local models need them
    assert (sizes[1] - sizes[0]) / (1500 * 40 * 8) < 2.5


def test_what_is_made_smaller_for_a_file_is_made_once(rng, monkeypatch):
    X, asked, state = rng.normal(size=(50, 2)), [], Forest.__getstate__
    similarity = ForestProximity(5, random_state=0).fit(X, X[:, 0])
    monkeypatch.setattr(Forest, "__getstate__", lambda forest: asked.append(forest) or state(forest))
    heedful.save_model(similarity, io.BytesIO())
    assert asked == [similarity.forest_]


def test_entries_are_packed_where_that_makes_them_smaller(rng):
    both = rng.normal(size=4000), np.zeros(4000)
    for values, packed in zip(both, (False, True), strict=True):
        model, file = GaussianSimilarity(), io.BytesIO()
        model.kept = values
        heedful.save_model(model, file)
        with zipfile.ZipFile(file) as archive:
            (entry,) = (entry for entry in archive.infolist() if entry.filename.endswith(".npy"))
        assert (entry.compress_type == zipfile.ZIP_DEFLATED) == packed
        assert (entry.compress_size < entry.file_size / 50) == packed
        np.testing.assert_array_equal(heedful.load_model(file).kept, values)


def test_recent_rows_come_back_in_their_order_with_those_of_no_weight(rng, tmp_path):
    X, weight = rng.normal(size=(60, 3)), rng.choice([0.0, 1.0, 2.0], size=60)
    model = RandomForestRegressor(4, random_state=0).fit(X, X[:, 0])
    corrector = heedful.DriftCorrector(model, random_state=0).fit(X, X[:, 1], sample_weight=weight)
    heedful.save_model(corrector, tmp_path / "drift.skops")
    again = heedful.load_model(tmp_path / "drift.skops", trusted=["sklearn.tree._tree.Tree"])
    pd.testing.assert_frame_equal(again.explain(X[:2]).train, corrector.explain(X[:2]).train)
    more = rng.normal(size=(20, 3))
    for part in (again, corrector):
        part.update(more, more[:, 2])
    np.testing.assert_array_equal(again.predict(X), corrector.predict(X))
    np.testing.assert_array_equal(again.attention(X).toarray(), corrector.attention(X).toarray())
