"""Everything that the page shows, as plain lists."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from heedful.explain import Explanation
from heedful.report._answers import Answer, collect_answers
from heedful.report._certainty import collect_interval, collect_survival
from heedful.report._clusters import cluster_table, coefficient_map, find_clusters
from heedful.report._columns import collect_drivers, collect_whole
from heedful.report._compact import counts, numbers, numbers_if, per_output, table, text, texts
from heedful.report._curves import collect_curves
from heedful.report._overview import cards, noun_of, response_words, verdict
from heedful.report._rows import collect_attended, collect_compared
from heedful.report._small import collect_small_models
from heedful.report._tuning import collect_tuning
from heedful.report._what_if import collect_what_if


def collect(
    explanation: Explanation,
    title: str | None,
    n_clusters: int | None,
    interval: Any = None,
    survival: Any = None,
    answers: Sequence[Answer] = (),
) -> dict[str, Any]:
    """Return the data of the page; it holds only lists, texts and numbers."""
    clusters = find_clusters(explanation, n_clusters)
    n_query = len(explanation.index)
    return {
        "title": text(title) if title is not None else f"Explanation of {noun_of(explanation)}s",
        "words": response_words(explanation),
        "answers": collect_answers(answers),
        "verdict": verdict(explanation),
        "cards": cards(explanation),
        "whole": collect_whole(explanation),
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
        "loss": numbers_if(explanation.loss, 4),
        "baseline_loss": numbers_if(explanation.baseline_loss, 4),
        "interval": collect_interval(explanation, interval),
        "survival": collect_survival(explanation, survival),
        "small": collect_small_models(explanation),
        "what_if": collect_what_if(explanation),
        "drivers": collect_drivers(explanation),
        "curves": collect_curves(explanation),
        "attended": collect_attended(explanation),
        "compared": collect_compared(explanation),
        "clusters": None if clusters is None else cluster_table(clusters),
        "map": None if clusters is None else coefficient_map(explanation, clusters),
        "tuning": collect_tuning(explanation.heads),
    }
