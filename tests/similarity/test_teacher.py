import copy
import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from heedful.similarity import TeacherSimilarity
from heedful.similarity._boosted import deal_folds, draw_seed
from heedful.similarity._teacher import number_labels, total_variance

N_TRAIN = 60


def table(rng):
    X = rng.normal(size=(N_TRAIN, 3))
    return X, 5 + 2 * X[:, 0] + rng.normal(size=N_TRAIN)


def classes(y, names=("c", "a", "b")):
    return np.array(names)[np.digitize(y, [4, 6])]


def scores_of(one, other):
    """Return minus squared distances over the summed variance."""
    one, other = one.reshape(len(one), -1), other.reshape(len(other), -1)
    return -((one[:, None] - other) ** 2).sum(axis=2) / other.var(axis=0).sum()


def dense(rows):
    return rows.score.reshape(-1, N_TRAIN)


def test_scores_compare_the_teachers_predictions_with_those_out_of_fold(rng):
    (X, y), queries = table(rng), rng.normal(size=(4, 3))
    teacher = TeacherSimilarity(LinearRegression(), random_state=3).fit(X, y)
    outside = cross_val_predict(
        LinearRegression(), X, y, cv=KFold(5, shuffle=True, random_state=draw_seed(3)), method="predict"
    )
    expected = scores_of(LinearRegression().fit(X, y).predict(queries), outside)
    np.testing.assert_allclose(teacher.scores(queries), expected, rtol=1e-9)
    np.testing.assert_allclose(teacher.teach_train(np.arange(N_TRAIN)), outside)


@pytest.mark.more
def test_labels_are_compared_by_their_probabilities(rng):
    (X, y), queries = table(rng), rng.normal(size=(4, 3))
    labels, model = classes(y), LogisticRegression()
    teacher = TeacherSimilarity(model, random_state=3).fit(X, labels)
    folds = StratifiedKFold(5, shuffle=True, random_state=draw_seed(3))
    outside = cross_val_predict(model, X, labels, cv=folds, method="predict_proba")
    expected = scores_of(LogisticRegression().fit(X, labels).predict_proba(queries), outside)
    np.testing.assert_allclose(teacher.scores(queries), expected, rtol=1e-6)


def without(model, X, y, fold, k):
    """Return predictions (n_train, n_outputs) of the rows of each fold by clones that saw neither it nor fold ``k``."""
    said = np.empty((len(y), np.unique(y).size if is_classifier(model) else 1))
    for other in np.unique(fold):
        part = (fold != k) & (fold != other)
        fitted = clone(model).fit(X[part], y[part])
        told = fitted.predict_proba if is_classifier(model) else fitted.predict
        said[fold == other] = told(X[fold == other]).reshape(-1, said.shape[1])
    return said


@pytest.mark.one_value
@pytest.mark.parametrize("model", [LinearRegression(), LogisticRegression()])
def test_training_rows_are_compared_by_predictions_that_left_out_their_fold_and_never_with_themselves(rng, model):
    X, y = table(rng)
    y = classes(y) if is_classifier(model) else y
    teacher = TeacherSimilarity(model, cv=3, random_state=0).fit(X, y)
    fold, index = deal_folds(y, is_classifier(model), 3, draw_seed(0)), np.array([8, 2, 40])
    said = [without(model, X, y, fold, k) for k in range(3)]
    guess = np.array([said[k][i] for i, k in enumerate(fold)])
    for i, row in zip(index, dense(teacher.train_rows(index)), strict=True):
        away = ((guess[i] - said[fold[i]]) ** 2).sum(axis=1)
        assert row[i] == -np.inf
        others = np.arange(N_TRAIN) != i
        np.testing.assert_allclose(row[others] / row[others].sum(), away[others] / away[others].sum(), atol=1e-6)


def test_a_response_does_not_change_the_scores_of_its_own_row(rng):
    X, y = table(rng)
    other = y.copy()
    other[7] += 100
    one, two = (TeacherSimilarity(LinearRegression(), random_state=0).fit(X, z) for z in (y, other))
    rows, changed = (dense(teacher.train_rows(np.array([7, 8]))) for teacher in (one, two))
    np.testing.assert_allclose(rows[0], changed[0], rtol=1e-9)
    assert not np.allclose(rows[1], changed[1], rtol=0.1)


def test_a_response_does_not_change_the_prediction_of_its_own_row(rng):
    X, y = table(rng)
    other = y.copy()
    other[7] += 100
    one, two = (TeacherSimilarity(LinearRegression(), random_state=0).fit(X, z) for z in (y, other))
    np.testing.assert_array_equal(one.teach_train(np.array([7])), two.teach_train(np.array([7])))


def test_the_loss_is_the_weighted_squared_error_out_of_fold(rng):
    (X, y), weight = table(rng), rng.uniform(1, 2, size=N_TRAIN)
    teacher = TeacherSimilarity(LinearRegression(), random_state=0).fit(X, y, weight)
    missed = (y - teacher.teach_train(np.arange(N_TRAIN))) ** 2
    np.testing.assert_allclose(teacher.teacher_loss_, (weight * missed).sum() / weight.sum())


def test_sample_weights_reach_a_teacher_that_takes_them(rng):
    (X, y), weight = table(rng), rng.uniform(1, 2, size=N_TRAIN)
    teacher = TeacherSimilarity(LinearRegression(), random_state=0).fit(X, y, weight)
    np.testing.assert_allclose(teacher.teach(X), LinearRegression().fit(X, y, weight).predict(X))


def test_the_unit_of_scores_is_the_variance_of_rows_as_often_as_their_weight_says(rng):
    values, weight = rng.normal(size=(9, 2)) ** 3, np.array([1, 2, 5] * 3)
    twice = np.repeat(values, weight, axis=0)
    assert total_variance(values, weight) == pytest.approx(twice.var(axis=0).sum())
    (X, y), index = table(rng), np.array([8, 2, 40])
    teacher = TeacherSimilarity(LinearRegression(), cv=3, random_state=0)
    # in another unit of the response rows are as much alike
    one, other = (dense(teacher.fit(X, unit * y).train_rows(index)) for unit in (1.0, 50.0))
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_a_teacher_that_takes_no_weights_does_without(rng):
    (X, y), weight = table(rng), rng.uniform(1, 2, size=N_TRAIN)
    teacher = TeacherSimilarity(KNeighborsRegressor(), random_state=0).fit(X, y, weight)
    np.testing.assert_allclose(teacher.teach(X), KNeighborsRegressor().fit(X, y).predict(X))


def test_a_pipeline_can_teach(rng):
    X, y = table(rng)
    model = make_pipeline(StandardScaler(), LinearRegression())
    np.testing.assert_allclose(
        TeacherSimilarity(model, random_state=0).fit(X, y).scores(X),
        TeacherSimilarity(LinearRegression(), random_state=0).fit(X, y).scores(X),
        atol=1e-9,
    )


def test_a_fitted_teacher_predicts_as_it_is(rng):
    X, y = table(rng)
    model = GradientBoostingRegressor(n_estimators=9, random_state=0).fit(X, y)
    teacher = TeacherSimilarity(model, random_state=0).fit(X, y)
    assert teacher.estimator_ is model
    np.testing.assert_allclose(teacher.teach(X), model.predict(X))


def test_a_fitted_teacher_may_have_seen_the_response_in_another_unit(rng):
    X, y = table(rng)
    model = LinearRegression().fit(X, y)
    same, other = (TeacherSimilarity(model, random_state=0).fit(X, z) for z in (y, (y - 5) / 100))
    np.testing.assert_allclose(other.scores(X), same.scores(X), atol=1e-9)
    np.testing.assert_allclose(other.teach(X), (model.predict(X) - 5) / 100, atol=1e-9)


def test_a_fitted_classifier_is_understood_by_name_or_by_order(rng):
    X, y = table(rng)
    model = RandomForestClassifier(9, random_state=0).fit(X, classes(y, (10, 20, 30)))
    ways = [classes(y, names) for names in ((10, 20, 30), ("10", "20", "30"), ("0", "1", "2"))]
    one, two, three = (TeacherSimilarity(model, random_state=0).fit(X, labels).scores(X) for labels in ways)
    np.testing.assert_allclose(one, two)
    np.testing.assert_allclose(one, three)


def test_numbers_as_text_keep_the_order_of_numbers():
    names, codes = number_labels(np.array(["10", "2", "0", *map(str, range(11))]))
    assert names.tolist() == [str(k) for k in range(11)]
    assert codes[:3].tolist() == [10, 2, 0]


@pytest.mark.more
def test_a_fitted_classifier_of_other_classes_is_refused(rng):
    X, y = table(rng)
    model = LogisticRegression().fit(X, y > 5)
    with pytest.raises(ValueError, match="`estimator` was fitted on 2 classes, but `y` has 3"):
        TeacherSimilarity(model).fit(X, classes(y))


def test_a_teacher_fitted_on_a_frame_gets_its_names(rng):
    X, y = table(rng)
    model = LinearRegression().fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    np.testing.assert_allclose(
        TeacherSimilarity(model, random_state=0).fit(X, y).teach(X), X @ model.coef_ + model.intercept_
    )


def test_a_class_that_a_fold_never_saw_has_probability_0_there(rng):
    X, _ = table(rng)
    labels = np.array(["a"] * 59 + ["b"])
    teacher = TeacherSimilarity(LogisticRegression(), random_state=0).fit(X, labels)
    assert np.isfinite(teacher.scores(X)).all()
    np.testing.assert_array_equal(teacher._guess[59], [1.0, 0.0])


@pytest.mark.more
def test_labels_have_neither_loss_nor_lessons(rng):
    X, y = table(rng)
    teacher = TeacherSimilarity(LogisticRegression(), anchor=True, random_state=0).fit(X, classes(y))
    assert np.isnan(teacher.teacher_loss_)
    for ask in (lambda: teacher.teach(X), lambda: teacher.teach_train(np.arange(3))):
        with pytest.raises(ValueError, match="`anchor` needs a numeric response"):
            ask()


@pytest.mark.one_value
@pytest.mark.parametrize("labels", [False, True])
def test_the_default_teacher_is_lightgbm_and_takes_missing_values(rng, labels):
    import lightgbm

    X, y = table(rng)
    X[rng.uniform(size=X.shape) < 0.2] = np.nan
    teacher = TeacherSimilarity(random_state=0).fit(X, classes(y) if labels else y)
    assert isinstance(teacher.estimator_, lightgbm.LGBMClassifier if labels else lightgbm.LGBMRegressor)
    for other in (teacher, copy.deepcopy(teacher), pickle.loads(pickle.dumps(teacher))):
        np.testing.assert_array_equal(other.scores(X), teacher.scores(X))
        assert np.isfinite(other.scores(X)).all()


def test_a_teacher_that_says_the_same_of_every_row_scores_all_alike(rng):
    X, _ = table(rng)
    np.testing.assert_array_equal(TeacherSimilarity(LinearRegression()).fit(X, np.zeros(N_TRAIN)).scores(X), 0.0)


def test_folds_are_as_many_as_the_rows_allow():
    assert sorted(deal_folds(np.arange(3.0), labels=False, n_folds=5, seed=0)) == [0, 1, 2]


def test_without_lightgbm_the_error_names_the_extra(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(ImportError, match=r"`similarity='teacher'` needs lightgbm.*pip install 'heedful\[lightgbm\]'"):
        TeacherSimilarity().fit(*table(rng))


def test_a_teacher_that_cannot_be_cloned_is_refused(rng):
    import lightgbm

    X, y = table(rng)
    bare = lightgbm.LGBMRegressor(n_estimators=2, verbose=-1).fit(X, y).booster_
    with pytest.raises(TypeError, match="`estimator` must have `fit` and `get_params`"):
        TeacherSimilarity(bare).fit(X, y)


def test_a_regressor_is_refused_for_labels(rng):
    X, y = table(rng)
    with pytest.raises(TypeError, match="`estimator` must be a classifier for labels"):
        TeacherSimilarity(LinearRegression()).fit(X, classes(y))


def test_asking_before_fitting_is_an_error():
    with pytest.raises(NotFittedError):
        TeacherSimilarity().scores([[1.0]])
