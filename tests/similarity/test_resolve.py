import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression

from heedful import AttentionLasso
from heedful.similarity import (
    BoostedProximity,
    CallableSimilarity,
    ForestProximity,
    GaussianSimilarity,
    PastSimilarity,
    RidgeSimilarity,
    TeacherSimilarity,
    _own_forest,
    default_forests,
)
from heedful.similarity._protocol import refit, target_of
from heedful.similarity._resolve import resolve


def inner(query, train):
    return query @ train.T


def test_the_name_forest_is_one_forest_or_a_smooth_and_a_sharp_one_for_each_target_and_one_of_scores():
    (one,) = resolve("forest", many=False)
    forests = resolve("forest", many=True)
    assert one.get_params() == ForestProximity().get_params()
    assert [forest.max_features for forest in forests] == ["sqrt", 1.0, "sqrt", 1.0, 1.0]
    assert [target_of(forest) for forest in forests] == ["response"] * 2 + ["residual"] * 2 + ["scores"]
    assert [forest.min_samples_leaf for forest in forests] == [10, 1, 1, 1, 20]


@pytest.mark.parametrize(("in_all", "each", "of_scores"), [(500, 114, 41), (90, 20, 7), (5, 1, 1), (1, 1, 1)])
def test_the_default_forests_share_the_trees_and_have_one_at_least(in_all, each, of_scores):
    assert [forest.n_estimators for forest in default_forests(in_all)] == [each] * 4 + [of_scores]


def test_the_default_forests_have_500_trees_and_of_large_tables_fewer(monkeypatch, rng):
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    targets = {"response": y, "residual": y, "scores": np.column_stack([y, X])}
    made = [(forest, targets[target_of(forest)]) for forest in default_forests()]
    said = [(forest, targets[target_of(forest)]) for forest in default_forests(500)]
    for one, same in zip(made, said, strict=True):
        found = (forest.set_params(random_state=0).fit(X, target).scores(X) for forest, target in (one, same))
        np.testing.assert_array_equal(*(scores.toarray() for scores in found))
    for most, trees in ((30, (57, 20)), (20, (38, 14)), (10, (28, 10)), (2, (28, 10))):
        monkeypatch.setattr(_own_forest, "MOST_DRAWN", most)
        assert [forest.fit(X, target)._grown.n_trees for forest, target in made] == 4 * [trees[0]] + [trees[1]]


def test_the_number_of_trees_is_checked():
    for bad in ("many", 0, 2.5):
        for make in (default_forests, lambda n: ForestProximity(n).fit(np.eye(4), np.arange(4.0))):
            with pytest.raises((ValueError, TypeError), match=r"`n_estimators` must be .*'auto'"):
                make(bad)


def test_the_name_forest_stands_for_the_default_forests():
    named, made = ([forest.get_params() for forest in part] for part in (resolve("forest", True), default_forests()))
    assert named == made


def test_a_similarity_object_is_taken_as_it_is():
    ridge = RidgeSimilarity()
    assert resolve(ridge, many=True) == [ridge]


@pytest.mark.parametrize("many", [False, True])
def test_the_names_boosted_and_teacher_are_one_similarity_each(many):
    boosted, teacher = resolve(["boosted", "teacher"], many)
    assert isinstance(boosted, BoostedProximity)
    assert isinstance(teacher, TeacherSimilarity)


@pytest.mark.one_value
@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("kind", [GradientBoostingRegressor, HistGradientBoostingClassifier])
def test_a_booster_becomes_a_boosted_proximity(rng, kind, fitted):
    booster = kind()
    if fitted:
        booster.fit(rng.normal(size=(30, 2)), rng.permutation(30) % 2)
    (proximity,) = resolve(booster, many=False)
    assert isinstance(proximity, BoostedProximity)
    assert proximity.estimator is booster


def test_a_bare_booster_becomes_a_boosted_proximity(rng):
    import lightgbm

    bare = lightgbm.LGBMRegressor(n_estimators=2, verbose=-1).fit(rng.normal(size=(30, 2)), np.arange(30.0)).booster_
    (proximity,) = resolve(bare, many=False)
    assert proximity.estimator is bare


@pytest.mark.parametrize("forest", [RandomForestRegressor(5), ExtraTreesClassifier(5)])
def test_a_forest_becomes_a_proximity(forest):
    (proximity,) = resolve(forest, many=False)
    assert isinstance(proximity, ForestProximity)
    assert proximity.forest is forest


def test_a_function_becomes_a_similarity():
    (similarity,) = resolve(inner, many=False)
    assert isinstance(similarity, CallableSimilarity)
    assert similarity.function is inner


def test_a_list_is_resolved_entry_by_entry():
    parts = resolve(["forest", RidgeSimilarity(), inner], many=True)
    kinds = [*[ForestProximity] * 5, RidgeSimilarity, CallableSimilarity]
    assert [type(part) for part in parts] == kinds


@pytest.mark.parametrize("bad", [3, None, GaussianSimilarity, LinearRegression(), {"forest": 1}])
def test_anything_else_is_a_type_error(bad):
    with pytest.raises(TypeError, match="`similarity` must be 'forest', 'boosted', 'teacher', an object"):
        resolve(bad, many=False)


@pytest.mark.parametrize("bad", ["tree", "Forest", ""])
def test_an_unknown_name_is_a_value_error(bad):
    with pytest.raises(ValueError, match="`similarity` must be one of 'forest', 'boosted', 'teacher'"):
        resolve(bad, many=False)


def test_an_empty_list_is_a_value_error():
    with pytest.raises(ValueError, match="`similarity` must not be an empty list"):
        resolve([], many=False)


def test_seeded_copies_get_the_jobs_and_seeds_that_were_left_open():
    given = [ForestProximity(), ForestProximity(n_jobs=1, random_state=5), RidgeSimilarity()]
    first, second, third = (entry.seeded(2, 7) for entry in given)
    assert (first.n_jobs, first.random_state, second.n_jobs, second.random_state) == (2, 7, 1, 5)
    assert given[0].random_state is given[0].n_jobs is None
    assert third.get_params() == given[2].get_params()


def test_a_seed_reaches_the_similarity_that_looks_back():
    past = PastSimilarity(ForestProximity(), time=0)
    other = past.seeded(2, 7)
    assert (other.similarity.n_jobs, other.similarity.random_state, other.time) == (2, 7, 0)
    assert past.similarity.random_state is None


def test_fitted_forests_of_one_model_get_different_seeds(rng):
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    model = AttentionLasso(similarity=[ForestProximity(5), ForestProximity(5)], random_state=0).fit(X, y)
    one, two = model.similarity_
    assert isinstance(one.random_state, int)
    assert one.random_state != two.random_state


def test_a_refitted_similarity_is_a_clone_fitted_to_the_other_rows(rng):
    X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
    forest, part = ForestProximity(5, random_state=0).fit(X, y), slice(0, 25)
    again, expected = refit(forest, X[part], y[part], np.ones(25)), ForestProximity(5, random_state=0)
    expected.fit(X[part], y[part], np.ones(25))
    np.testing.assert_array_equal(again.scores(X).toarray(), expected.scores(X).toarray())
    assert forest.scores(X).shape == (40, 40)


def test_objects_that_only_look_like_a_similarity_are_refused():
    class Lookalike:
        def fit(self, X, y=None, sample_weight=None):
            return self

        def score_rows(self, X):
            return X

    with pytest.raises(TypeError, match="`similarity` must be 'forest', 'boosted', 'teacher', an object"):
        resolve(Lookalike(), many=False)


@pytest.mark.parametrize(
    ("similarity", "name"),
    [
        (ForestProximity(), "forest(sqrt)"),
        (ForestProximity(max_features=None), "forest(all)"),
        (ForestProximity(max_features=1.0), "forest(all)"),
        (ForestProximity(max_features=1), "forest(1)"),
        (ForestProximity(max_features=0.5), "forest(0.5)"),
        (ForestProximity(forest=RandomForestRegressor()), "forest(given)"),
        (ForestProximity(target="residual"), "forest(residuals, sqrt)"),
        (ForestProximity(max_features=1.0, target="residual"), "forest(residuals, all)"),
        (ForestProximity(max_features=1.0, target="scores"), "forest(scores, all)"),
        (PastSimilarity(ForestProximity(target="residual"), time=0), "past(forest(residuals, sqrt))"),
        (BoostedProximity(), "boosted"),
        (BoostedProximity(GradientBoostingRegressor()), "boosted(GradientBoostingRegressor)"),
        (TeacherSimilarity(), "teacher"),
        (TeacherSimilarity(LinearRegression()), "teacher(LinearRegression)"),
        (CallableSimilarity(inner), "inner"),
        (CallableSimilarity(np.vectorize(inner)), "inner"),
        (GaussianSimilarity(), "GaussianSimilarity"),
    ],
)
def test_names_for_tables_are_short(similarity, name):
    assert similarity.label == name
