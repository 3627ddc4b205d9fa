"""Models of other packages in files: the same to the bit, refused in one line if damaged, never a way to run code."""

import json
import os
import pickle
import re
import subprocess
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

from heedful._sound import read_lightgbm, read_ubjson, read_xgboost
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
        load_any(path)
    return str(caught.value)


@pytest.mark.parametrize("name", ESTIMATORS)
@threadpool_limits.wrap(limits=1)
def test_skops_keeps_estimators_of_other_packages_to_the_bit(tmp_path, name):
    model = ESTIMATORS[name]()
    skops_io.dump(model, tmp_path / "m")
    loaded = load_any(tmp_path / "m")
    np.testing.assert_array_equal(loaded.model.predict(N), model.predict(N))
    assert (loaded.names, loaded.n_columns) == ([n.replace(" ", "_" if name == "lightgbm" else " ") for n in N], 2)
    assert type(model).__name__.replace("Pipeline", "RandomForestRegressor in a Pipeline") == loaded.what


@pytest.mark.parametrize("name", BOOSTERS)
def test_boosters_are_told_by_content_and_kept_to_the_bit(boosters, tmp_path, name):
    (tmp_path / "model").write_bytes((boosters / name).read_bytes())
    loaded = load_any(tmp_path / "model")
    rows, data = X if "categories" in name else N, "txt" in name
    said = [
        m.predict(rows if data else xgboost.DMatrix(rows, enable_categorical=True))
        for m in (BOOSTERS[name](), loaded.model)
    ]
    np.testing.assert_array_equal(*said)


@pytest.mark.parametrize("name", ["categories.txt", "categories.ubj"])
def test_columns_of_categories_are_known_and_whether_they_are_text(boosters, name):
    loaded = load_any(boosters / name)
    assert (loaded.categories, loaded.kinds) == (("site", "ward"), {"site": "text"})


def test_categories_without_names_are_refused(boosters, tmp_path):
    saved = read_ubjson((boosters / "categories.ubj").read_bytes())
    del saved["learner"]["gradient_booster"]["model"]["cats"]
    assert "does not say" in refusal(tmp_path / "m", json.dumps(saved).encode())


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
    [(Ridge().fit(N, Y), "'Ridge'"), (RandomForestRegressor(), "not fitted"), (make_rows, "make_rows")],
)
def test_models_without_trees_or_fit_are_refused(tmp_path, model, naming):
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"left_child=1", "left_child=0"),
        (r"right_child=(\S+)", "right_child=99"),
        (r"split_feature=\d", "split_feature=7"),
        (r"num_leaves=\d+", "num_leaves=2"),
        (r"num_cat=\d", "num_cat=99999999"),
        (r"leaf_value=\S+ ", "leaf_value="),
        (r"decision_type=\d", "decision_type=77"),
        (r"threshold=\S+", "threshold=x"),
        (r"cat_boundaries=0 1", "cat_boundaries=0 9"),
        (r"is_linear=0", "is_linear=1"),
        (r"Tree=0", "Tree=1"),
        (r"max_feature_idx=\d", "max_feature_idx=9"),
        (r"num_class=1", "num_class=3"),
        (r"objective=regression", "objective=multiclass num_class:9"),
        (r"objective=regression", "objective=other"),
        (r"objective=regression", "objective=binary"),
        (r"version=v4", "version=v9"),
        (r"label_index=0", "label_index=0\rTree=0"),
        (r"tree_sizes=\d", "tree_sizes=9"),
        (r"end of trees", "end of trxes"),
        (r"end of parameters\n\npandas_categorical:.*", ""),
        (r"pandas_categorical:.*", "pandas_categorical:[1]"),
    ],
)
def test_unsound_text_never_reaches_lightgbm(boosters, old, new):
    text = (boosters / "categories.txt").read_bytes()
    changed = re.sub(old.encode(), new.encode(), text, count=1)
    # trees are found by their sizes, so an unsound one has to be as long as it says
    if "=" in new and not new.startswith("tree_sizes"):
        changed = resized(changed)
    assert changed != text
    with pytest.raises((ValueError, KeyError)):
        read_lightgbm(changed)


def test_a_leaf_written_as_a_split_is_refused(boosters):
    text = (boosters / "numbers.txt").read_text()
    n_leaves = int(re.search(r"num_leaves=(\d+)", text)[1])
    changed = re.sub(r"(left_child=.*?)-1\b", rf"\g<1>{n_leaves - 1}", text, count=1)
    with pytest.raises(ValueError, match="not there"):
        read_lightgbm(resized(changed.encode()))


def resized(text):
    """Return a model's text with sizes of trees as they are."""
    _, *trees = re.split(rb"(?=^Tree=)", text.partition(b"end of trees")[0], flags=re.MULTILINE)
    sizes = " ".join(str(len(tree)) for tree in trees).encode()
    return re.sub(rb"tree_sizes=.*", b"tree_sizes=" + sizes, text)


def test_sound_text_of_other_trees_is_accepted(boosters):
    text = (boosters / "categories.txt").read_bytes()
    assert read_lightgbm(text.partition(b"\npandas_categorical")[0]).endswith(":null\n")
    assert resized(text) == text
    assert lightgbm.Booster(model_str=read_lightgbm(text)).num_trees() == TREES
    for more in (
        {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.5},
        {"objective": "quantile"},
        {"max_depth": 1},
    ):
        read_lightgbm(lightgbm_booster(**more).model_to_string().encode() + b"\npandas_categorical:null\n")


TREE = ("learner", "gradient_booster", "model", "trees", 0)
UNSOUND = {
    (*TREE, "left_children", 0): 0,
    (*TREE, "right_children", 0): 10**6,
    (*TREE, "split_indices", 0): 7,
    (*TREE, "parents", 1): 5,
    (*TREE, "split_conditions"): [1.0],
    (*TREE, "base_weights", 0): "x",
    (*TREE, "id"): 8,
    (*TREE, "categories_sizes"): [10**6],
    (*TREE, "categories", 0): 2**30,
    (*TREE, "categories_nodes"): [],
    (*TREE, "tree_param", "num_nodes"): "3",
    (*TREE, "tree_param", "size_leaf_vector"): "9",
    (*TREE[:3], "tree_info", 0): 5,
    (*TREE[:3], "iteration_indptr", 1): 99,
    (*TREE[:3], "cats", "sorted_idx", 0): 9,
    (*TREE[:3], "cats", "feature_segments", 3): 9,
    (*TREE[:3], "cats", "enc", 2, "offsets", 1): 99,
    (*TREE[:3], "gbtree_model_param", "num_trees"): "999",
    (*TREE[:2], "name"): "dart",
    ("learner", "learner_model_param", "base_score"): "[1, 2]",
    ("learner", "learner_model_param", "num_feature"): "9",
    ("learner", "learner_model_param", "num_target"): "2",
    ("learner", "attributes", "best_iteration"): "999",
    ("learner", "feature_names"): ["one"],
    ("learner", "objective", "softmax_multiclass_param"): {"num_class": "9"},
}


@pytest.mark.parametrize("place", UNSOUND, ids=lambda place: "-".join(map(str, place[-2:])))
def test_unsound_json_never_reaches_xgboost(boosters, place):
    saved = read_ubjson((boosters / "categories.ubj").read_bytes())
    read_xgboost(json.dumps(saved).encode())
    part = saved
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = UNSOUND[place]
    with pytest.raises((ValueError, KeyError, TypeError)):
        read_xgboost(json.dumps(saved).encode())


def test_ubjson_reads_as_json_does(boosters, tmp_path):
    load_any(boosters / "categories.ubj").model.save_model(tmp_path / "m.json")
    saved, read = (
        json.loads((tmp_path / "m.json").read_bytes()),
        read_ubjson((boosters / "categories.ubj").read_bytes()),
    )
    for tree, other in zip(
        *(model["learner"]["gradient_booster"]["model"]["trees"] for model in (saved, read)), strict=True
    ):
        assert tree.keys() == other.keys()
        for name in tree.keys() - {"id", "tree_param"}:
            np.testing.assert_array_equal(np.float32(tree[name]), np.float32(other[name]))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"{L",
        b"{l\xff\xff\xff\xff",
        b"[" * 99,
        b"[$l#L\x7f" + b"\xff" * 7,
        b"ZZ",
        b"[$Sl",
        b"{U\x01aZU\x01aZ}",
        b"?",
    ],
)
def test_what_is_no_ubjson_is_refused(data):
    with pytest.raises(ValueError, match=r"\w"):
        read_ubjson(data)


SURVIVES = """
import random, sys, warnings
from pathlib import Path
import numpy as np
import xgboost
from heedful.cli._errors import UserError
from heedful.cli._foreign import load_any
warnings.simplefilter("ignore")
*sources, path = map(Path, sys.argv[1:])
draw, refused = random.Random(0), 0
for k in range(120):
    whole = sources[k % len(sources)].read_bytes()
    data = bytearray(whole[: draw.randrange(len(whole))] if k % 2 else whole)
    for _ in range(0 if k % 2 else 3):
        data[draw.randrange(len(data))] = draw.choice(b"0123456789-") if k % 4 else draw.randrange(256)
    path.write_bytes(data)
    try:
        model = load_any(path).model
        rows = np.zeros((5, model.num_features() if hasattr(model, "num_features") else model.num_feature()))
        model.predict(xgboost.DMatrix(rows) if hasattr(model, "num_features") else rows)
    except UserError:
        refused += 1
    except ValueError:
        pass
print(refused)
"""


def test_no_damage_ends_the_process(boosters, tmp_path):
    sources = [boosters / name for name in ("categories.txt", "numbers.json", "categories.ubj")]
    command = [sys.executable, "-c", SURVIVES, *sources, tmp_path / "m"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 60


@pytest.mark.parametrize("name", ["forest", "lightgbm"])
def test_damaged_skops_files_are_refused(tmp_path, rng, name):
    whole = skops_io.dumps(ESTIMATORS[name]())
    for end in rng.integers(0, len(whole), 10):
        refusal(tmp_path / "m", whole[:end])
    middle = len(whole) // 2
    assert "damaged" in refusal(tmp_path / "m", whole[:middle] + bytes(200) + whole[middle + 200 :])
