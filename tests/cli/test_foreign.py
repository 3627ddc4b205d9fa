"""Models of other packages in files: the same to the bit, refused in one line if damaged, never a way to run code."""

import json
import os
import pickle
import re
import sys

import joblib
import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from skops import io as skops_io
from tests.cli.test_shell import Evil
from threadpoolctl import threadpool_limits

from heedful.cli._errors import UserError
from heedful.cli._foreign import load_any

ROWS, TREES = 100, 20
QUIET = {"verbosity": -1, "min_data_in_leaf": 5, "min_data_per_group": 5, "num_threads": 1}


def make_rows():
    """Return numbers, categories of text and of whole numbers, and what they add up to."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(ROWS, 2)).round(3), columns=["dose", "body mass"])
    X["site"] = pd.Categorical(rng.choice(["north", "south", "12"], ROWS))
    X["ward"] = pd.Categorical(rng.choice([10, 20, 30], ROWS))
    return X, X["dose"] + 2.0 * (X["site"] == "12") + X["ward"].astype(float) / 10


X, Y = make_rows()
N = X[["dose", "body mass"]]
GRADE = np.where(Y > 2.5, "high", "low")
LEVEL = np.digitize(Y, [2, 3])


def lightgbm_booster(rows=N, y=Y, **settings):
    return lightgbm.train(QUIET | settings, lightgbm.Dataset(rows, y), TREES)


def xgboost_booster(rows=N, y=Y, **settings):
    return xgboost.train({"nthread": 1} | settings, xgboost.DMatrix(rows, y, enable_categorical=True), TREES)


BOOSTERS = {
    "numbers.txt": lightgbm_booster,
    "classes.txt": lambda: lightgbm_booster(y=LEVEL, objective="multiclass", num_class=3),
    "categories.txt": lambda: lightgbm_booster(X),
    "numbers.json": xgboost_booster,
    "classes.json": lambda: xgboost_booster(y=LEVEL, objective="multi:softprob", num_class=3),
    "categories.ubj": lambda: xgboost_booster(X, max_cat_to_onehot=1),
}
ESTIMATORS = {
    "forest": lambda: RandomForestRegressor(TREES).fit(N, Y),
    "classes": lambda: ExtraTreesClassifier(TREES).fit(N, GRADE),
    "boosting": lambda: GradientBoostingRegressor(n_estimators=TREES).fit(N, Y),
    "histograms": lambda: HistGradientBoostingClassifier(max_iter=TREES).fit(N, LEVEL),
    "lines": lambda: Ridge().fit(N, Y),
    "pipeline": lambda: make_pipeline(StandardScaler(), RandomForestRegressor(TREES)).fit(N, Y),
    "lightgbm": lambda: lightgbm.LGBMClassifier(n_estimators=TREES, n_jobs=1, verbosity=-1).fit(N, GRADE),
    "xgboost": lambda: xgboost.XGBRegressor(n_estimators=TREES, n_jobs=1).fit(N, Y),
}


@pytest.fixture(scope="module")
def boosters(tmp_path_factory):
    """A folder with a file of each booster; for reading only."""
    folder = tmp_path_factory.mktemp("boosters")
    for name, make in BOOSTERS.items():
        make().save_model(folder / name)
    return folder


def refusal(path, data):
    """Return the one line that a file is refused with."""
    path.write_bytes(data)
    with pytest.raises(UserError, match=re.escape(str(path))) as caught:
        load_any(path, trust=True)
    return str(caught.value)


@pytest.mark.one_value
@pytest.mark.parametrize("name", ESTIMATORS)
@threadpool_limits.wrap(limits=1)
def test_skops_keeps_estimators_of_other_packages_to_the_bit(tmp_path, name):
    model = ESTIMATORS[name]()
    skops_io.dump(model, tmp_path / "m")
    loaded = load_any(tmp_path / "m", trust=True)
    np.testing.assert_array_equal(loaded.model.predict(N), model.predict(N))
    assert (loaded.names, loaded.n_columns) == ([n.replace(" ", "_" if name == "lightgbm" else " ") for n in N], 2)
    assert type(model).__name__.replace("Pipeline", "RandomForestRegressor in a Pipeline") == loaded.what


@pytest.mark.one_value
@pytest.mark.parametrize("name", BOOSTERS)
def test_boosters_are_told_by_content_and_kept_to_the_bit(boosters, tmp_path, name):
    (tmp_path / "model").write_bytes((boosters / name).read_bytes())
    loaded = load_any(tmp_path / "model", trust=True)
    rows, data = X if "categories" in name else N, "txt" in name
    said = [
        m.predict(rows if data else xgboost.DMatrix(rows, enable_categorical=True))
        for m in (BOOSTERS[name](), loaded.model)
    ]
    np.testing.assert_array_equal(*said)


@pytest.mark.parametrize("name", ["categories.txt", "categories.ubj"])
def test_columns_of_categories_are_known_and_whether_they_are_text(boosters, name):
    loaded = load_any(boosters / name, trust=True)
    assert (loaded.categories, loaded.kinds) == (("site", "ward"), {"site": "text"})


def test_categories_without_names_are_refused(boosters, tmp_path):
    xgboost.Booster(model_file=boosters / "categories.ubj").save_model(tmp_path / "m.json")
    saved = json.loads((tmp_path / "m.json").read_bytes())
    del saved["learner"]["gradient_booster"]["model"]["cats"]
    assert "does not have" in refusal(tmp_path / "m", json.dumps(saved).encode())


@pytest.mark.parametrize(
    ("name", "package"), [("numbers.txt", "LightGBM"), ("categories.ubj", "XGBoost"), ("forest", "skops")]
)
def test_a_model_of_another_package_takes_a_word_of_trust(boosters, tmp_path, name, package):
    path = boosters / name
    if name == "forest":
        path = tmp_path / "m"
        skops_io.dump(ESTIMATORS[name](), path)
    with pytest.raises(UserError, match=f"a file of {package} that heedful did not write.* add --trust"):
        load_any(path, trust=False)


@pytest.mark.parametrize("compress", [0, 3])
def test_a_pickle_is_never_opened(tmp_path, compress):
    joblib.dump(Evil(tmp_path / "harm"), tmp_path / "m", compress=compress)
    assert "never opened" in refusal(tmp_path / "m", (tmp_path / "m").read_bytes())
    assert "never opened" in refusal(tmp_path / "m", pickle.dumps(Evil(tmp_path / "harm"), protocol=0))
    assert not (tmp_path / "harm").exists()


def test_foreign_types_are_refused_by_name(tmp_path):
    skops_io.dump(make_pipeline(FunctionTransformer(os.getenv), RandomForestRegressor(2)).fit, tmp_path / "m")
    assert re.search(r"'os\.getenv'.*not loaded", refusal(tmp_path / "m", (tmp_path / "m").read_bytes()))


@pytest.mark.parametrize(
    ("model", "naming"),
    [(RandomForestRegressor(), "not fitted"), (make_rows, "make_rows"), ([1, 2], "'list', which is not a model")],
)
def test_what_is_no_fitted_model_is_refused(tmp_path, model, naming):
    assert naming in refusal(tmp_path / "m", skops_io.dumps(model))


@pytest.mark.parametrize(("package", "extra"), [("lightgbm", "lightgbm"), ("xgboost", "boost")])
def test_a_missing_package_names_the_extra(boosters, tmp_path, monkeypatch, package, extra):
    data = (boosters / {"lightgbm": "numbers.txt", "xgboost": "numbers.json"}[package]).read_bytes()
    dumped = skops_io.dumps(ESTIMATORS[package]())
    monkeypatch.setitem(sys.modules, package, None)
    for content in (data, dumped):
        assert f"needs {package}, which is not installed. Run: pip install 'heedful[{extra}]'" in refusal(
            tmp_path / "m", content
        )


@pytest.mark.parametrize("name", ["forest", "lightgbm"])
def test_damaged_skops_files_are_refused(tmp_path, rng, name):
    whole = skops_io.dumps(ESTIMATORS[name]())
    for end in rng.integers(0, len(whole), 10):
        refusal(tmp_path / "m", whole[:end])
    middle = len(whole) // 2
    assert "damaged" in refusal(tmp_path / "m", whole[:middle] + bytes(200) + whole[middle + 200 :])
