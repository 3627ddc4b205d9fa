"""Everything that the page shows, as plain lists."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from heedful.explain import Explanation
from heedful.report._answers import Answer, tell_answers
from heedful.report._beside import beside
from heedful.report._certainty import interval_of, survival_of
from heedful.report._compact import counts, numbers, per_output, text, texts
from heedful.report._curves import curves
from heedful.report._drivers import attended, drivers, table
from heedful.report._groups import cluster_table, coefficient_map, find_clusters
from heedful.report._overview import cards, describe_error, noun_of, response_words
from heedful.report._small import small_models
from heedful.report._tuning import tuning
from heedful.report._what_if import what_if
from heedful.report._whole import whole


def collect(
    explanation: Explanation,
    title: str | None,
    n_clusters: int | None,
    interval: Any = None,
    survival: Any = None,
    answers: Sequence[Answer] = (),
) -> dict[str, Any]:
    """Return the data of the page; it holds only lists, texts and numbers."""
    found = find_clusters(explanation, n_clusters)
    n_query = len(explanation.index)
    return {
        "title": text(title) if title is not None else f"What the {noun_of(explanation)}s were made of",
        "words": response_words(explanation),
        "answers": tell_answers(answers),
        "verdict": describe_error(explanation),
        "cards": cards(explanation),
        "whole": whole(explanation),
        "labels": texts(explanation.index),
        "features": texts(explanation.lasso_features),
        "slopes": explanation.slopes,
        "prediction": per_output(explanation.prediction),
        "baseline": per_output(explanation.baseline_prediction),
        "likely": counts(np.asarray(explanation.link).reshape(n_query, -1).argmax(axis=1)),
        "exposure": None if explanation.offset is None else numbers(np.exp(explanation.offset), 4),
        "mixing": numbers(explanation.mixing, 3),
        "n_eff": numbers(explanation.n_eff, 3),
        "observed": None if explanation.y is None else table(explanation.y.reset_index(drop=True)),
        "loss": None if explanation.loss is None else numbers(explanation.loss, 4),
        "baseline_loss": None if explanation.baseline_loss is None else numbers(explanation.baseline_loss, 4),
        "interval": interval_of(explanation, interval),
        "survival": survival_of(explanation, survival),
        "small": small_models(explanation),
        "what_if": what_if(explanation),
        "drivers": drivers(explanation),
        "curves": curves(explanation),
        "attended": attended(explanation),
        "beside": beside(explanation),
        "clusters": None if found is None else cluster_table(found),
        "map": None if found is None else coefficient_map(explanation, found),
        "tuning": tuning(explanation.heads),
    }
