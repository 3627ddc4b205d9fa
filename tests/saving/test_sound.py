"""Trees of our own and boosters inside of a file say what is wrong with them before anything descends them."""

import io

import numpy as np
import pytest
import xgboost

import heedful
from heedful._sound import check_xgboost
from heedful.saving import _skops
from heedful.similarity import ForestProximity


def grown():
    rng = np.random.default_rng(0)
    return ForestProximity(4, random_state=0).fit(rng.normal(size=(40, 3)), rng.normal(size=40))._grown


def first_split(forest):
    return int(np.flatnonzero(forest.nodes[:, 2] >= 0)[1])


SPOILT = {
    "a child that is missing": lambda f: f.nodes.__setitem__((first_split(f), 2), len(f.nodes)),
    "a circle": lambda f: f.nodes.__setitem__((first_split(f), 2), 0),
    "a column that is not there": lambda f: f.nodes.__setitem__((first_split(f), 0), 3),
    "a set that is not there": lambda f: f.nodes.__setitem__((first_split(f), 1), -(10**6)),
    "a root that is not there": lambda f: f.roots.__setitem__(0, len(f.nodes)),
    "a leaf out of range": lambda f: f.nodes.__setitem__((int(np.flatnonzero(f.nodes[:, 2] < 0)[0]), 3), 10**6),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_forest_that_leads_nowhere_is_refused(how):
    forest = grown().forest
    forest.check_loaded()
    SPOILT[how](forest)
    with pytest.raises(ValueError, match=r"\w"):
        forest.check_loaded()


@pytest.mark.parametrize(("name", "value"), [("members", 40), ("members", -1), ("starts", 10**6)])
def test_rows_of_no_leaf_are_refused(name, value):
    found = grown()
    found.check_loaded()
    getattr(found.index, name)[1] = value
    with pytest.raises(ValueError, match=r"\w"):
        found.check_loaded()


def test_a_booster_inside_of_a_file_goes_through_the_checks_of_raw_ones(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    model = heedful.DriftCorrector(xgboost.XGBRegressor(n_estimators=2, n_jobs=1).fit(X, y)).fit(X, y)
    file = io.BytesIO()
    heedful.save_model(model, file)

    def spoil(saved):
        saved["learner"]["gradient_booster"]["model"]["trees"][0]["left_children"][0] = 10**6
        check_xgboost(saved)

    monkeypatch.setattr(_skops, "check_xgboost", spoil)
    trusted = ["xgboost.core.Booster", "xgboost.sklearn.XGBRegressor"]
    with pytest.raises(ValueError, match="damaged one: ValueError: a child is missing"):
        heedful.load_model(file, trusted=trusted)
