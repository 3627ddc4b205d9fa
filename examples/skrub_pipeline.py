"""Put skrub's TableVectorizer before an attention lasso, so that the text of job titles helps to predict pay.

Needs skrub: ``pip install skrub``.
"""

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from skrub import TableVectorizer

from heedful import AttentionLasso


def make_jobs(n_rows: int = 300, random_state: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Return jobs with titles, dates and departments; pay grows with years mainly in one department."""
    rng = np.random.default_rng(random_state)
    role, level = rng.choice(["driver", "clerk", "nurse"], n_rows), rng.choice(["junior", "senior", "head"], n_rows)
    years = rng.uniform(0, 20, n_rows)
    table = pd.DataFrame(
        {
            "title": [
                f"{a} {b} {number}" for a, b, number in zip(level, role, rng.integers(1, 60, n_rows), strict=True)
            ],
            "department": rng.choice(["north", "south"], n_rows),
            "hired": pd.Timestamp("2024-01-01") - pd.to_timedelta((365 * years).round(), unit="D"),
        }
    )
    raised = np.where(table["department"] == "north", 1.0, 0.1)
    pay = 30 + 2 * raised * years + 10 * (level == "head") + rng.normal(size=n_rows)
    return table, pay


def main() -> None:
    """Cross-validate with and without titles, and print the small model of one job in the vectorizer's columns.

    As categories titles help little: most titles of held-out rows are new, and heedful warns about it.
    """
    X, y = make_jobs()
    lasso = AttentionLasso(random_state=0, n_jobs=-1)
    pipeline = make_pipeline(TableVectorizer(), lasso)
    vectorized = cross_val_score(pipeline, X, y, cv=3).mean()
    plain = cross_val_score(lasso, X.drop(columns="title"), y, cv=3).mean()
    print(f"R2 {vectorized:.3f} with titles (TableVectorizer), {plain:.3f} without titles")
    pipeline.fit(X, y)
    slopes = pipeline[-1].local_models(pipeline[:-1].transform(X.iloc[:1])).coef.iloc[0]
    print(f"the model of the first job uses {int((slopes != 0).sum())} of {slopes.size} columns; the largest slopes:")
    print(slopes[slopes.abs().sort_values(ascending=False).index[:3]].round(2).to_string())


if __name__ == "__main__":
    main()
