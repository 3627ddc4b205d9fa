"""The default learner: as many rounds as left-out rows can bear, 100 at most."""

import sys

import lightgbm
import numpy as np
import pytest

from heedful._folds import random_splits
from heedful.baseline._booster import choose_rounds, small_booster

N = 150
TASKS = pytest.mark.parametrize("n_classes", [None, 2, 3])


def table(rng, n_classes, noise):
    """Return rows and a response that is all signal, or none."""
    x = rng.uniform(size=(N, 3))
    y = rng.normal(size=N) if noise else np.sin(6.0 * x[:, 0]) + 2.0 * x[:, 1]
    return x, y if n_classes is None else np.argsort(np.argsort(y)) * n_classes // N


def rounds_of(x, y, n_classes, weight=None):
    return choose_rounds(x, y, np.ones(len(y)) if weight is None else weight, random_splits(len(y), 5, 0), n_classes)


@TASKS
def test_a_signal_takes_more_rounds_than_noise(rng, n_classes):
    signal, noise = (rounds_of(*table(rng, n_classes, noise), n_classes) for noise in (False, True))
    assert 1 <= noise < signal <= 100


@pytest.mark.one_value
@TASKS
def test_the_rounds_are_those_of_the_smallest_loss_of_left_out_rows(rng, n_classes):
    x, y = table(rng, n_classes, False)
    weight, splits = rng.uniform(0.5, 2.0, size=N), random_splits(N, 3, 0)
    loss = np.zeros(100)
    for train, test in splits:
        model = small_booster("me", n_classes=n_classes).fit(x[train], y[train], sample_weight=weight[train])
        for number in range(100):
            loss[number] += weight[test] @ losses(model, x[test], y[test], number + 1)
    assert choose_rounds(x, y, weight, splits, n_classes) == np.argmin(loss) + 1


def losses(model, x, y, rounds):
    """Return the squared error or the log loss of each row after some rounds."""
    if not hasattr(model, "predict_proba"):
        return (y - model.predict(x, num_iteration=rounds)) ** 2
    return -np.log(model.predict_proba(x, num_iteration=rounds)[np.arange(len(y)), y])


def test_the_booster_is_small_and_quiet(rng, capfd):
    x, y = table(rng, None, False)
    model = small_booster("me", n_classes=None, rounds=7, random_state=3).fit(x, y)
    assert isinstance(model, lightgbm.LGBMRegressor)
    assert model.booster_.num_trees() == 7
    assert max(tree["num_leaves"] for tree in model.booster_.dump_model()["tree_info"]) <= 8
    assert capfd.readouterr() == ("", "")


def test_classes_get_a_classifier():
    assert isinstance(small_booster("me", n_classes=2), lightgbm.LGBMClassifier)


def test_without_lightgbm_the_error_names_who_asked_and_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"`estimator=None` needs lightgbm.*pip install 'heedful\[lightgbm\]'"):
        small_booster("estimator=None", n_classes=None)
