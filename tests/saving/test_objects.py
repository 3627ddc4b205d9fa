"""Trees of our own that come from a file say what is wrong with them before anything descends them."""

import numpy as np
import pytest

from heedful.similarity import ForestProximity


def grown():
    rng = np.random.default_rng(0)
    return ForestProximity(4, random_state=0).fit(rng.normal(size=(40, 3)), rng.normal(size=40))._grown


def first_split(forest):
    return int(np.flatnonzero(forest.nodes[:, 2] >= 0)[1])


def leaf(forest, number):
    return int(np.flatnonzero((forest.nodes[:, 2] < 0) & (forest.nodes[:, 3] == number))[0])


def last_leaf(forest):
    return leaf(forest, int((forest.nodes[:, 2] < 0).sum()) - 1)


SPOILT = {
    "a child that is missing": lambda f: f.nodes.__setitem__((first_split(f), 2), len(f.nodes)),
    "a circle": lambda f: f.nodes.__setitem__((first_split(f), 2), 0),
    "a node below itself": lambda f: f.nodes.__setitem__((first_split(f), 2), first_split(f)),
    "a column that is not there": lambda f: f.nodes.__setitem__((first_split(f), 0), 3),
    "a set that is not there": lambda f: f.nodes.__setitem__((first_split(f), 1), -(10**6)),
    "a root that is not there": lambda f: f.roots.__setitem__(0, len(f.nodes)),
    "a leaf out of range": lambda f: f.nodes.__setitem__((int(np.flatnonzero(f.nodes[:, 2] < 0)[0]), 3), 10**6),
    "a leaf before the first": lambda f: f.nodes.__setitem__((last_leaf(f), 3), -1),
    "two leaves of one number": lambda f: f.nodes.__setitem__((leaf(f, 0), 3), 1),
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
