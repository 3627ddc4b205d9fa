"""Effects of a block of rows come from models that saw the blocks before it, and nothing else."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from tests._effects.cases import draw_rows

from heedful._effects.average import average_effect, constant_effect
from heedful._effects.inputs import Column
from heedful._effects.nuisance import Learner, Nuisance, draw_folds
from heedful._effects.validation import FEWEST, draw_blocks, validate

LINEAR = Learner((LinearRegression(),), ours=False)


class Study:
    """A table with one effect for all rows; ``fit`` remembers what it was given."""

    def __init__(self, rng, n_rows=80, *, groups=None):
        self.X = rng.normal(size=(n_rows, 3))
        self.treatment = rng.permutation(np.resize([0.0, 1.0, 1.0], n_rows))
        self.y = self.X[:, 0] + self.treatment + rng.normal(size=n_rows)
        self.groups, self.past, self.block, self.known = groups, [], [], []

    def rows(self, seed=0, treatment=None):
        arms = Column(self.treatment if treatment is None else treatment, np.array([0, 1]))
        columns = [arms, Column(self.y, None)]
        weight = np.ones(len(self.y))
        return draw_folds(self.X, columns, weight, self.groups, 5, np.random.RandomState(seed)), columns, weight

    def validate(self, seed=0):
        rows, (arms, outcomes), weight = self.rows(seed)
        nuisance = Nuisance(outcomes, arms, LINEAR, LINEAR, None, weight)
        self.past, self.block, self.known = [], [], []
        source = rows.observations.source

        def fit(past, known):
            self.past.append(source[past])
            self.known.append(known.set_index(source[past]).sort_index())

            def predict(block):
                self.block.append(source[block])
                return self.X[source[block], 1]

            return predict

        return validate(rows, nuisance, np.random.RandomState(seed), fit)


def test_each_block_is_predicted_by_all_before_it_and_half_of_the_rows_only_learn(rng):
    study = Study(rng)
    found = study.validate()
    assert [part.size for part in study.past] == [40, 60]
    for past, block in zip(study.past, study.block, strict=True):
        assert not set(past) & set(block)
    assert set(study.past[1]) == set(study.past[0]) | set(study.block[0])
    assert set(study.past[1]) | set(study.block[1]) == set(range(80))
    assert np.bincount(found.block).tolist() == [20, 20]
    for k in (0, 1):
        own = found.predicted[found.block == k]
        assert (own.mean(), own.std()) == pytest.approx((0.0, 1.0))


def test_later_outcomes_and_treatments_have_no_say_in_what_is_learned_before(rng):
    study = Study(rng)
    study.validate()
    known, last = study.known, study.block[1]
    study.y[last] += 100 * rng.normal(size=last.size)
    study.validate()
    for before, after in zip(known, study.known, strict=True):
        np.testing.assert_allclose(before, after, rtol=1e-9)


def test_a_row_has_no_say_in_what_is_expected_of_it(rng):
    study = Study(rng)
    before = study.validate().rows
    row = int(study.block[0][3])
    old = study.y[row]
    study.y[row] += 50
    after = study.validate().rows
    moved = np.flatnonzero(before.y != after.y)
    assert before.y[moved].tolist() == [old]
    assert before.outcome[moved] == pytest.approx(after.outcome[moved])
    assert before.effect[moved] == pytest.approx(after.effect[moved])


def test_arms_are_spread_evenly_whichever_is_called_the_treatment(rng):
    study = Study(rng)
    plain, swapped = (
        draw_blocks(study.rows(treatment=arm)[0], np.random.RandomState(0))
        for arm in (study.treatment, 1 - study.treatment)
    )
    rows = study.rows()[0]
    for one, other in zip(plain, swapped, strict=True):
        assert one.size == other.size
        assert abs(rows.treatment[one].mean() - study.treatment.mean()) < 0.05


def test_groups_stay_together(rng):
    study = Study(rng, 200, groups=rng.integers(0, 60, 200))
    study.validate()
    for past, block in zip(study.past, study.block, strict=True):
        assert not set(study.groups[past]) & set(study.groups[block])


def test_too_few_rows_groups_or_treated_rows_are_not_validated(rng):
    assert Study(rng, FEWEST - 1).validate() is None
    assert Study(rng, FEWEST).validate() is not None
    assert Study(rng, 200, groups=np.arange(200) % (FEWEST - 1)).validate() is None
    study = Study(rng, 80)
    study.treatment = (np.arange(80) < 3) * 1.0
    assert draw_blocks(study.rows()[0], np.random.RandomState(0)) is None


@pytest.mark.parametrize("target", ["all", "overlap"])
def test_one_effect_for_all_rows_is_its_own_average(rng, target):
    rows = draw_rows(rng, 90, weighted=True, n_groups=30)
    level = constant_effect(rows, target)
    assert average_effect(rows._replace(effect=np.full(90, level)), target=target).effect == pytest.approx(level)
