"""Models of queries as JSON, used without heedful: by a function that needs nothing but Python."""

import json
import math
from bisect import bisect_left
from typing import Any


def predict_plain(told: dict[str, Any], number: int, row: dict[str, Any]) -> float | list[float]:
    """Return what the model of one query says of a row, given by column; a cell that is None or left out is missing.

    ``told`` is what ``local_models(X).to_dict()`` gives, ``number`` the place of the query in it. Dates come as days
    since 1970, durations and times of day as days.
    """
    design, curves = {}, []
    for column in told["columns"]:
        cell = row.get(column["name"])
        if column["kind"] == "levels":
            place = column["levels"].index(cell) if cell in column["levels"] else None
            feature = column["missing"] if place is None else column["features"][place]
            if feature is not None:
                design[feature] = 1.0
        else:
            place = cell = None if cell is None or column["kind"] == "none" else float(cell)
            value = column["missing"] if cell is None else cell
            low, high = column["low"], column["high"]
            design[column["feature"]] = value if low is None else min(max(value, low), high)
            if cell is not None and "curve" in column:
                place = bisect_left(column["curve"]["cuts"], cell)
        if "curve" in column:
            curves.append(column["curve"]["missing"] if place is None else column["curve"]["adds"][place])
    # of each output, over all columns; nothing where there are no curves
    sums = [sum(heights) for heights in zip(*curves, strict=True)]
    links = [
        equation["intercept"]
        + sum(slope * design.get(feature, 0.0) for feature, slope in equation["coef"].items())
        + sum(share * total for share, total in zip(equation["curves"], sums, strict=False))
        for equation in told["models"][number]["equations"]
    ]
    if told["inverse_link"] == "softmax":
        masses = [math.exp(link - max(links)) for link in links]
        return [mass / sum(masses) for mass in masses]
    ways = {"identity": float, "exp": math.exp, "logistic": lambda link: 1.0 / (1.0 + math.exp(-link))}
    return ways[told["inverse_link"]](links[0])


def main() -> None:
    """Write the model of one wine as JSON, read it again, and ask it about the wine and about one that is stronger."""
    from sklearn.datasets import load_wine  # noqa: PLC0415 - the function above needs no package

    from heedful import AttentionLasso  # noqa: PLC0415 - the same

    wine = load_wine(as_frame=True).data
    X, y = wine.drop(columns="proline"), wine["proline"]
    model = AttentionLasso(random_state=0).fit(X.iloc[1::2], y.iloc[1::2])
    text = json.dumps(model.local_models(X.iloc[[54]]).to_dict())
    told = json.loads(text)

    row = X.iloc[54].to_dict()
    here, stronger = predict_plain(told, 0, row), predict_plain(told, 0, row | {"alcohol": row["alcohol"] + 0.5})
    print(f"wine 54 by its model in {len(text) / 1000:.0f} kB of JSON: {here:.4f}")
    print(f"wine 54 by heedful: {model.predict(X.iloc[[54]])[0]:.4f}")
    print(f"the same model with 0.5 % more alcohol: {stronger:.4f}")


if __name__ == "__main__":
    main()
