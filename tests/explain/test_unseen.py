"""The error on held-out rows in words: better, equal or worse than the model for all rows."""

import numpy as np
import pandas as pd
import pytest

from heedful.explain import describe_error
from heedful.explain._errors import compare_errors


def errors(own, plain, **more):
    return pd.Series({"attention": own, "baseline": plain, **more}, name="loss")


@pytest.mark.parametrize(
    ("own", "plain", "mixing", "words"),
    [
        (8.0, 10.0, 0.5, "loss on held-out rows 8, one lasso for all rows 10: 20 % lower"),
        (9.75, 10.0, 0.5, ": 2.5 % lower"),
        (9.95, 10.0, 0.5, ": no better than one lasso"),
        (10.0, 10.0, 0.0, ": attention does not help here and is not used"),
        (8.0, 10.0, 0.0, ": 20 % lower"),
        (10.5, 10.0, 0.5, ": 5.0 % higher"),
        (-2.0, -1.0, 0.5, ": better than one lasso"),
        (0.0, 0.0, 0.5, ": no better than one lasso"),
        (np.nan, np.nan, 0.5, "unknown on held-out rows"),
    ],
)
def test_the_verdict_is_in_plain_words(own, plain, mixing, words):
    assert words in describe_error(errors(own, plain), mixing)


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("own", "plain", "mixing", "words"),
    [
        (8.0, 10.0, 0.5, "It predicts new rows better than the model."),
        (
            8.0,
            10.0,
            0.0,
            "It predicts new rows better than the model, without attention: ",
        ),
        (9.95, 10.0, 0.5, "The model predicts new rows as well and is easier to interpret."),
        (10.05, 10.0, 0.5, "The model predicts new rows as well and is easier to interpret."),
        (10.5, 10.0, 0.5, "The model predicts new rows better: use it, or fit to more rows."),
        (-2.0, -1.0, 0.5, "It predicts new rows better than the model."),
        (-1.0, -2.0, 0.5, "The model predicts new rows better: use it, or fit to more rows."),
        (np.nan, 1.0, 0.5, "No model was evaluated on held-out rows"),
    ],
)
def test_what_that_means_follows_from_which_is_lower(own, plain, mixing, words):
    assert compare_errors(errors(own, plain), mixing, "the model").meaning.startswith(words)


@pytest.mark.one_value
@pytest.mark.parametrize(("doubt", "sure"), [(0.75, True), (0.85, False)])
def test_a_gain_of_few_standard_errors_may_be_chance(doubt, sure):
    found = errors(8.0, 10.0, standard_error=doubt)
    assert ("may be chance" in describe_error(found, 0.5)) != sure
    assert compare_errors(found, 0.5).meaning.startswith("It predicts" if sure else "It is not clear")
    other = errors(10.0, 8.0, standard_error=doubt)
    assert ("may be chance" in describe_error(other, 0.5)) != sure
    assert compare_errors(other, 0.5).meaning.startswith(
        "One lasso for all rows predicts" if sure else "It is not clear"
    )
    below = errors(-12.0, -10.0, standard_error=doubt)
    assert ("may be chance" in describe_error(below, 0.5)) != sure
