"""The printed overview of an explanation."""

import numpy as np
import pandas as pd

from heedful._responses import Regression
from heedful._show import Sketch, count, cut, middle_and_range, short, shorten
from heedful.explain._columns import summarise_columns
from heedful.explain._errors import describe_change, describe_training_rows, errors_of
from heedful.explain._explained import Explained
from heedful.explain._measures import describe_measures, read_predicted
from heedful.explain._notebook import draw_sizes, lay_out, table_facts
from heedful.explain._query import explain_query

N_IMPORTANT = 8


def sketch(explanation: Explained) -> Sketch:
    e, words = explanation, explanation.words or Regression.words
    facts = [
        ("response", f"{words.response} ({cut(', '.join(map(str, e.train.columns)))})"),
        (cut(words.prediction), _format_predictions(e.prediction)),
        ("mixing", middle_and_range(e.mixing)),
        ("effective sample size", "all: the global model predicts alone" if e.alone else middle_and_range(e.n_eff)),
        ("columns", f"{e.values.shape[1]}: {cut(', '.join(map(str, e.values.columns)))}"),
    ]
    if e.slopes and e.local_name:
        facts.append(("local models", e.local_name))
    known = getattr(e.attribution, "known", None)
    if known is not None and known.checked is not None and not known.checked.all():
        n_rough = count(int((~known.checked).sum()), "query", "queries")
        text = f'approximate for {n_rough} unlike the rows checked; method="shapley" is slower but accurate'
        facts.append(("contributions", text))
    if e.fidelity is not None:
        facts.append(("columns in a small model", f"{middle_and_range(e.n_nonzero)} of {len(e.features)}"))
        facts.append(("fidelity", middle_and_range(e.fidelity)))
    errors = errors_of(e)
    if errors is not None:
        own, plain = errors["attention"], errors["baseline"]
        facts.append((words.error, f"{short(own)}, one model for all rows {short(plain)}: {describe_change(e)}"))
        facts += describe_measures(read_predicted(e))
    if seen := describe_training_rows(e):
        facts.append(("training rows", seen))
    title = f"Explanation of {count(len(e.index), 'query', 'queries')}, from {count(len(e.train), 'training row')}"
    return Sketch(title, facts, "Look at query(label), top_features(), top_rows(), clusters(); heedful.report.show")


def page(explanation: Explained) -> str:
    """Return a single query as a picture; of several the overview, and how much each column matters."""
    if len(explanation.index) == 1:
        return explain_query(explanation, 0)._repr_html_()
    if explanation.attribution is None:
        return sketch(explanation).html()
    sizes = summarise_columns(explanation, None)["contribution"].head(N_IMPORTANT)
    # once contributions are known the sketch says whether they are rough
    overview = sketch(explanation)
    parts = [("Overview", table_facts(overview.facts)), ("Importance: mean absolute contribution", draw_sizes(sizes))]
    return lay_out(overview.title, parts, overview.hint)


def _format_predictions(prediction: pd.Series | pd.DataFrame) -> str:
    """Return the range of numbers, or how often each class is the most probable one."""
    if isinstance(prediction, pd.Series):
        return middle_and_range(prediction)
    often = np.bincount(prediction.to_numpy().argmax(axis=1), minlength=prediction.shape[1])
    classes = [(cut(prediction.columns[k]), str(often[k])) for k in np.argsort(-often, kind="stable")]
    return "most probable: " + ", ".join(" ".join(pair) for pair in shorten(classes))
