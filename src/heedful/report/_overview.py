"""What kind of response was predicted, and how well: the head of the page."""

from typing import Any

import numpy as np
import pandas as pd

from heedful.explain import Explanation
from heedful.report._compact import short, text, texts

# How a task is called, its prediction, the scale on which contributions add up, and its error.
TASKS = {
    "number": ("a number", "prediction", "prediction", "root mean squared error"),
    "two classes": ("two classes", "probability", "log-odds", "log loss"),
    "classes": ("several classes", "probability", "linear predictor", "log loss"),
    "survival": ("survival", "log hazard", "log hazard", "minus log likelihood"),
}


def response_words(explanation: Explanation, task: str) -> dict[str, Any]:
    """Return what the page calls predictions and classes."""
    _, prediction, link, error = TASKS[task]
    outputs = explanation.outputs
    words = {"task": task, "prediction": prediction, "link": link, "error": error}
    if task == "two classes":
        # a probability of two classes is that of the second in sorted order
        second = text(np.unique(explanation.train.iloc[:, 0].to_numpy())[-1])
        words |= {"prediction": f"probability of {second}", "link": f"log-odds of {second}"}
    return {**words, "outputs": None if outputs is None else texts(outputs)}


def cards(explanation: Explanation, task: str) -> list[dict[str, str]]:
    """Return the figures at the top of the page: a name, a value and a remark."""
    width = len(explanation.features)
    used = int((explanation.coef.to_numpy().reshape(-1, width) != 0).any(axis=0).sum())
    mixing = explanation.mixing.round(3)
    found = [
        card("queries", str(len(explanation.index)), f"predicted from {len(explanation.train)} training rows"),
        card("response", TASKS[task][0], _response_note(explanation)),
        card("features", f"{used} of {width}", "used by at least one model"),
        card("mixing", _middle(mixing), "share of the local fits" + _range(mixing)),
        card("effective rows", _middle(explanation.n_eff), "attended to per query" + _range(explanation.n_eff)),
    ]
    return found + _error_cards(explanation, task)


def _error_cards(explanation: Explanation, task: str) -> list[dict[str, str]]:
    if explanation.loss is None or explanation.baseline_loss is None:
        return []
    own, base = float(explanation.loss.mean()), float(explanation.baseline_loss.mean())
    if task == "number":
        own, base = own**0.5, base**0.5
    better = f"{abs(100 * (1 - own / base)):.0f} % {'lower' if own <= base else 'higher'} than the baseline's"
    return [
        card("error with attention", short(own, 3), better if base > 0 else ""),
        card("error of the baseline", short(base, 3), TASKS[task][3] + ", one model for all rows"),
    ]


def card(name: str, value: str, note: str) -> dict[str, str]:
    """Return one figure."""
    return {"name": name, "value": value, "note": note}


def _middle(values: pd.Series) -> str:
    return short(values.median(), 3)


def _range(values: pd.Series) -> str:
    low, high = short(values.min(), 3), short(values.max(), 3)
    return "" if low == high else f": median; {low} to {high}"


def _response_note(explanation: Explanation) -> str:
    if explanation.outputs is not None:
        return f"{len(explanation.outputs)} classes"
    return "column " + ", ".join(texts(explanation.train.columns))
