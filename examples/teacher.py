"""A booster that is trusted already says who is alike; one sparse model per row explains it.

Two tables of scikit-learn: colour of wines, where the students beat their teacher and the lasso, and progress of
diabetes, where one lasso for all beats both.
"""

import numpy as np
from lightgbm import LGBMRegressor
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import train_test_split

from heedful import AttentionLasso
from heedful.similarity import TeacherSimilarity

SPLITS = 5


def main() -> None:
    """Compare on random halves of both tables, then open one prediction."""
    print(f"mean squared error, {SPLITS} random halves:")
    wine, diabetes = load_wine(as_frame=True).data, load_diabetes(as_frame=True, scaled=False)
    compare("progress of diabetes", diabetes.data, diabetes.target)
    compare("colour of wines", wine.drop(columns="color_intensity"), wine["color_intensity"])
    show_one(wine.drop(columns="color_intensity"), wine["color_intensity"])


def learn(X, y, seed):
    """Return teacher and student of one half, and the other half."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    teacher = LGBMRegressor(n_estimators=100, num_leaves=8, learning_rate=0.05, min_child_samples=5, verbose=-1)
    teacher.set_params(n_jobs=1, random_state=seed).fit(X_train, y_train)
    similarity = TeacherSimilarity(teacher, anchor=True)
    student = AttentionLasso(similarity=similarity, n_jobs=-1, random_state=seed).fit(X_train, y_train)
    return teacher, student, X_test, y_test


def compare(name, X, y) -> None:
    """Print the errors of lasso, teacher and student."""
    errors = []
    for seed in range(SPLITS):
        teacher, student, X_test, y_test = learn(X, y, seed)
        errors.append([np.mean((y_test - m.predict(X_test)) ** 2) for m in (student.baseline_, teacher, student)])
    lasso, booster, blend = np.mean(errors, axis=0)
    print(f"  {name:21s} lasso {lasso:7.2f}  teacher {booster:7.2f}  student {blend:7.2f}")


def show_one(X, y) -> None:
    """Print what moved one prediction, and whom it attended to."""
    teacher, student, X_test, y_test = learn(X, y, 0)
    query = y_test.idxmax()
    e = student.explain(X_test.loc[[query]], y_test.loc[[query]])
    taught = teacher.predict(X_test.loc[[query]])[0]
    print(f"\nwine {query}: student {e.prediction[query]:.2f}, teacher {taught:.2f}, measured {y_test[query]:.2f}")
    print("what moved it away from the mean, and what each column does there:")
    print(e.top_features(3).loc[query, ["feature", "effect", "contribution"]].round(2).to_string(index=False))
    print("wines it attended to most:")
    print(e.top_rows(3).loc[query].round(2).to_string(index=False))


if __name__ == "__main__":
    main()
