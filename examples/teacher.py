"""Use a fitted booster as the similarity: a sparse model per row explains its predictions.

Two tables of scikit-learn. For the colour of wines, the student (attention with the booster's similarity) has a lower
error than the booster and the global lasso. For the progress of diabetes, the global lasso is best.
"""

import numpy as np
from lightgbm import LGBMRegressor
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import train_test_split

from heedful import AttentionLasso
from heedful.similarity import TeacherSimilarity

SPLITS = 5


def main() -> None:
    """Compare on random halves of both tables, then explain one prediction."""
    print(f"held-out mean squared error, mean over {SPLITS} random halves:")
    wine, diabetes = load_wine(as_frame=True).data, load_diabetes(as_frame=True, scaled=False)
    compare("progress of diabetes", diabetes.data, diabetes.target)
    compare("colour of wines", wine.drop(columns="color_intensity"), wine["color_intensity"])
    show_one(wine.drop(columns="color_intensity"), wine["color_intensity"])


def learn(X, y, seed):
    """Return teacher and student trained on one half, and the other half."""
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
    """Print contributions to one prediction, and the rows it was compared with."""
    teacher, student, X_test, y_test = learn(X, y, 0)
    query = y_test.idxmax()
    e = student.explain(X_test.loc[[query]], y_test.loc[[query]])
    taught = teacher.predict(X_test.loc[[query]])[0]
    print(f"\nwine {query}: student {e.prediction[query]:.2f}, teacher {taught:.2f}, measured {y_test[query]:.2f}")
    print("largest contributions, from the mean to the prediction:")
    print(e.top_features(3).loc[query, ["feature", "effect", "contribution"]].round(2).to_string(index=False))
    print("wines it was compared with:")
    print(e.top_rows(3).loc[query].round(2).to_string(index=False))


if __name__ == "__main__":
    main()
