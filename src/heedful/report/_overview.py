"""What kind of response was predicted, and how well: the head of the page."""

from typing import Any

import numpy as np
import pandas as pd

from heedful._responses import Regression, Words
from heedful.explain import Explanation
from heedful.explain._errors import errors_of, facts_beside, read_predicted, say_change, say_seen
from heedful.report._compact import short, text, texts


def words_of(explanation: Explanation) -> Words:
    """Return what people call the response; numbers, if the explanation does not say."""
    return explanation.words or Regression.words


def is_effect(explanation: Explanation) -> bool:
    """Return whether predictions are effects, which nobody ever sees."""
    return not words_of(explanation).seen


def noun_of(explanation: Explanation) -> str:
    """Return what the page calls any prediction."""
    return "effect" if is_effect(explanation) else "prediction"


def response_words(explanation: Explanation) -> dict[str, Any]:
    """Return what the page calls predictions and classes."""
    words, outputs = words_of(explanation), explanation.outputs
    return {
        "task": explanation.task,
        "noun": noun_of(explanation),
        "prediction": text(words.prediction),
        "link": text(words.link),
        "error": words.error,
        "factor": words.factor,
        "multiplies": words.multiplies,
        "numeric": words_of(explanation).numeric,
        "outputs": None if outputs is None else texts(outputs),
    }


def cards(explanation: Explanation) -> list[dict[str, str]]:
    """Return the figures at the top of the page: a name, a value and a remark."""
    width = len(explanation.features)
    used = int((explanation.coef.to_numpy().reshape(-1, width) != 0).any(axis=0).sum())
    verb = "effects learned" if is_effect(explanation) else "predicted"
    found = [
        card("queries", str(len(explanation.index)), f"{verb} from {len(explanation.train)} training rows"),
        card("response", words_of(explanation).response, _response_note(explanation)),
        *_exposure_card(explanation),
        card("columns", f"{used} of {width}", f"in at least one {'small ' if explanation.slopes else ''}model"),
        *_attention_cards(explanation),
    ]
    return found + _error_cards(explanation)


def _attention_cards(explanation: Explanation) -> list[dict[str, str]]:
    mixing, n_eff = explanation.mixing.round(3), explanation.n_eff
    if explanation.alone:
        return [card("mixing", "0", "the model for all rows predicts alone")]
    return [
        card("mixing", _middle(mixing), f"share of the local fits{_name(explanation)}" + _range(mixing)),
        card("effective rows", _middle(n_eff), "attended to per query" + _range(n_eff)),
    ]


def describe_error(explanation: Explanation) -> str:
    """Return how good the predictions are, in a sentence."""
    errors, words = errors_of(explanation), words_of(explanation)
    if is_effect(explanation):
        return (
            "An effect is never seen, so that no error of these can be told. They mean what a treatment does only if "
            "nothing that was not measured decides both treatment and outcome."
        )
    if errors is None:
        unknown = "How good these predictions are is not known: explain(X, y) with their responses would say it."
        return unknown + _say_held_out(explanation)
    own, base = errors["attention"], errors["baseline"]
    change = say_change(explanation)
    return (
        f"On these {len(explanation.index)} queries the error ({words.error}) is {short(own, 3)}; "
        f"one model for all rows has {short(base, 3)}: {change}.{also_measured(explanation)}{_say_seen(explanation)}"
        f"{_say_held_out(explanation)}"
    )


def also_measured(explanation: Explanation) -> str:
    """Return what else tells how good predictions are: accuracy of classes, concordance of times, Kaplan-Meier."""
    found = facts_beside(read_predicted(explanation))
    return "".join(f" {name[0].upper()}{name[1:]}: {said}." for name, said in found)


def _say_held_out(explanation: Explanation) -> str:
    """Return how good the model is on training rows that were held out, where any were."""
    return "" if explanation.held_out is None else f" Training rows, held out: {explanation.held_out.say()}."


def _say_seen(explanation: Explanation) -> str:
    said = say_seen(explanation)
    return f" {said[0].upper()}{said[1:]}." if said else ""


def _error_cards(explanation: Explanation) -> list[dict[str, str]]:
    errors = errors_of(explanation)
    if errors is None:
        return []
    own, base = errors["attention"], errors["baseline"]
    return [
        card("error with attention", short(own, 3), say_change(explanation)),
        card("error of the baseline", short(base, 3), words_of(explanation).error + ", one model for all rows"),
    ]


def _exposure_card(explanation: Explanation) -> list[dict[str, str]]:
    if explanation.offset is None:
        return []
    exposure = np.exp(explanation.offset)
    return [card("exposure", _middle(exposure), f"that {words_of(explanation).prediction}s are of" + _range(exposure))]


def card(name: str, value: str, note: str) -> dict[str, str]:
    """Return one figure."""
    return {"name": name, "value": value, "note": note}


def _middle(values: pd.Series) -> str:
    return short(values.median(), 3)


def _name(explanation: Explanation) -> str:
    """Return what the local models are, in brackets."""
    return f" ({explanation.local_name})" if explanation.local_name else ""


def _range(values: pd.Series) -> str:
    low, high = short(values.min(), 3), short(values.max(), 3)
    return "" if low == high else f": median; {low} to {high}"


def _response_note(explanation: Explanation) -> str:
    if explanation.outputs is not None:
        return f"{len(explanation.outputs)} classes"
    if is_effect(explanation):
        return "never seen: learned from outcomes and treatments"
    return "column " + ", ".join(texts(explanation.train.columns))
