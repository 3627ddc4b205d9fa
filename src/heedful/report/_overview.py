"""The top of the page: kind of response, and errors."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._responses import Regression, Words
from heedful.explain import (
    Explanation,
    describe_change,
    describe_measures,
    describe_training_rows,
    errors_of,
    read_predicted,
)
from heedful.report._compact import short, text, texts

NEVER_SEEN = (
    "Effects cannot be measured directly, so their error is unknown. They are causal only without unmeasured "
    "confounding: nothing that was not measured may affect both treatment and outcome."
)
NOT_KNOWN = "The error of these predictions is unknown: use explain(X, y) with their responses."


def words_of(explanation: Explanation) -> Words:
    """Return the names of response and prediction; of regression, if the explanation has none."""
    return explanation.words or Regression.words


def is_seen(explanation: Explanation) -> bool:
    """Return whether rows have responses that predictions can be compared with; effects are never seen."""
    return words_of(explanation).seen


def noun_of(explanation: Explanation) -> str:
    """Return what the page calls any prediction."""
    return "prediction" if is_seen(explanation) else "effect"


def response_words(explanation: Explanation) -> dict[str, Any]:
    """Return what the page calls predictions and classes, and what kind of numbers they are."""
    words, outputs = words_of(explanation), explanation.outputs
    return {
        "noun": noun_of(explanation),
        "prediction": text(words.prediction),
        "link": text(words.link),
        "error": words.error,
        "factor": words.factor,
        "multiplies": words.multiplies,
        "seen": words.seen,
        "numeric": words.numeric,
        "probability": words.inverse_link in ("logistic", "softmax"),
        "outputs": None if outputs is None else texts(outputs),
    }


def cards(explanation: Explanation) -> list[dict[str, str]]:
    """Return the figures at the top of the page: a name, a value and a remark."""
    width = len(explanation.features)
    used = int((explanation.coef.to_numpy().reshape(-1, width) != 0).any(axis=0).sum())
    verb = "predicted" if is_seen(explanation) else "effects estimated"
    return [
        card("queries", str(len(explanation.index)), f"{verb} from {len(explanation.train)} training rows"),
        card("response", words_of(explanation).response, _response_note(explanation)),
        *_exposure_card(explanation),
        card("columns", f"{used} of {width}", f"in at least one {'small ' if explanation.slopes else ''}model"),
        *_attention_cards(explanation),
        *_error_cards(explanation),
    ]


def card(name: str, value: str, note: str) -> dict[str, str]:
    """Return one figure."""
    return {"name": name, "value": value, "note": note}


def _median_card(name: str, values: pd.Series, note: str) -> dict[str, str]:
    """Return the median of numbers, with the smallest and the largest in the remark if these differ."""
    low, middle, high = (short(value, 3) for value in (values.min(), values.median(), values.max()))
    return card(name, middle, note if low == high else f"{note}: median; {low} to {high}")


def _response_note(explanation: Explanation) -> str:
    if explanation.outputs is not None:
        return f"{len(explanation.outputs)} classes"
    if not is_seen(explanation):
        return "estimated from outcomes and treatments"
    return "column " + ", ".join(texts(explanation.train.columns))


def _exposure_card(explanation: Explanation) -> list[dict[str, str]]:
    if explanation.offset is None:
        return []
    return [_median_card("exposure", np.exp(explanation.offset), f"of these {words_of(explanation).prediction}s")]


def _attention_cards(explanation: Explanation) -> list[dict[str, str]]:
    if explanation.alone:
        return [card("mixing", "0", "the global model predicts alone")]
    name = f" ({explanation.local_name})" if explanation.local_name else ""
    return [
        _median_card("mixing", explanation.mixing.round(3), f"share of the local models{name}"),
        _median_card("effective sample size", explanation.n_eff, "training rows per query"),
    ]


def _error_cards(explanation: Explanation) -> list[dict[str, str]]:
    errors = errors_of(explanation)
    if errors is None:
        return []
    note = words_of(explanation).error + ", global model"
    return [
        card("error with attention", short(errors["attention"], 3), describe_change(explanation)),
        card("error of the baseline", short(errors["baseline"], 3), note),
    ]


def verdict(explanation: Explanation) -> str:
    """Return a few sentences on how good the predictions are."""
    if not is_seen(explanation):
        return NEVER_SEEN
    errors, held_out = errors_of(explanation), explanation.held_out
    if errors is None:
        sentences = [NOT_KNOWN]
    else:
        seen = describe_training_rows(explanation)
        name, own, base = words_of(explanation).error, short(errors["attention"], 3), short(errors["baseline"], 3)
        sentences = [
            f"On these {len(explanation.index)} queries the error ({name}) is {own};",
            f"one model for all rows has {base}: {describe_change(explanation)}.",
            *(f"{_capital(name)}: {value}." for name, value in describe_measures(read_predicted(explanation))),
            *([f"{_capital(seen)}."] if seen else []),
        ]
    if held_out is not None:
        sentences.append(f"Training rows, held out: {held_out.say()}.")
    return " ".join(sentences)


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]
