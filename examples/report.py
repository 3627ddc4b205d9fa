"""Write an interactive report page that explains the predicted proline content of 89 wines, wine by wine."""

import sys

import pandas as pd
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from heedful import AttentionLasso, report


def main(path: str = "report.html") -> None:
    """Train on half of the wines, explain the other half, and write the page."""
    table = load_wine(as_frame=True).data.rename(columns={"od280/od315_of_diluted_wines": "od280/od315"})
    table.columns = table.columns.str.replace("_", " ")
    table.index = [f"wine {number}" for number in range(1, len(table) + 1)]
    table["hue"] = pd.cut(table["hue"], [0, 0.8, 1.1, 9], labels=["brownish", "red", "purple"]).astype(str)
    X, y = table.drop(columns="proline"), table["proline"]
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
    model = AttentionLasso(random_state=0, n_jobs=-1).fit(X_train, y_train)
    page = report.write(model.explain(X_test, y_test), path, title="Proline in wines, wine by wine")
    print(
        f"{len(X_test)} wines in {page.resolve().as_uri()} ({page.stat().st_size / 1e6:.1f} MB): open it in a browser"
    )


if __name__ == "__main__":
    main(*sys.argv[1:2])
