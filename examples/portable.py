"""Export small models as JSON and predict from them without heedful, in plain Python."""

import json
import math
from typing import Any


def predict_plain(told: dict[str, Any], number: int, row: dict[str, Any]) -> float | list[float]:
    """Return the prediction of one query's small model for a row, a dict by column; None is a missing cell.

    ``told`` is the result of ``local_models(X).to_dict()``, ``number`` the position of the query in it. Dates are given
    as days since 1970, durations and times of day as days.
    """
    levels = {column["name"]: column["levels"] for column in told["columns"] if column["kind"] == "levels"}

    def tell(term: dict[str, Any]) -> float:
        cell, value = row.get(term["column"]), term["value"]
        if term["column"] in levels:
            return term["coef"] * ((cell if cell in levels[term["column"]] else None) == value)
        if value is None:
            return term["coef"] * (cell is None)
        return term["coef"] * float(term["reference"] if cell is None else cell)

    equations = told["models"][number]["equations"]
    links = [equation["intercept"] + sum(map(tell, equation["terms"])) for equation in equations]
    if told["inverse_link"] == "softmax":
        masses = [math.exp(link - max(links)) for link in links]
        return [mass / sum(masses) for mass in masses]
    ways = {"identity": float, "exp": math.exp, "logistic": lambda link: 1.0 / (1.0 + math.exp(-link))}
    return ways[told["inverse_link"]](links[0])


def main() -> None:
    """Write the small model of one wine as JSON, read it, and predict for this wine and for one with more acid."""
    from sklearn.datasets import load_wine  # noqa: PLC0415 - the function above needs no package

    from heedful import AttentionLasso  # noqa: PLC0415 - the same

    wine = load_wine(as_frame=True).data
    X, y = wine.drop(columns="proline"), wine["proline"]
    model = AttentionLasso(random_state=0).fit(X.iloc[1::2], y.iloc[1::2])
    text = json.dumps(model.local_models(X.iloc[[54]]).to_dict())
    told = json.loads(text)

    row = X.iloc[54].to_dict()
    here, sourer = predict_plain(told, 0, row), predict_plain(told, 0, row | {"malic_acid": row["malic_acid"] + 0.5})
    print(f"wine 54, predicted from {len(text) / 1000:.1f} kB of JSON: {here:.4f}")
    print(f"wine 54, predicted by heedful: {model.predict(X.iloc[[54]])[0]:.4f}")
    print(f"the same model with 0.5 more malic acid: {sourer:.4f}")


if __name__ == "__main__":
    main()
