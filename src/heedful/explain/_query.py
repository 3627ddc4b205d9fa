"""``ExplainedQuery``: a short explanation of one prediction, as text and as a picture in a notebook."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from heedful._responses import Regression
from heedful._show import Shown, Sketch, cut, percent, short
from heedful.explain._columns import attributed, read_terms
from heedful.explain._explained import Explained
from heedful.explain._find import find_output
from heedful.explain._notebook import draw_waterfall, has_slope, lay_out, table_rows, table_terms
from heedful.explain._rows import NO_ROWS, OWN, rename_taken, top_of
from heedful.explain._values import format_cell, format_value

# Columns that are named, and attended rows.
N_FEATURES, N_ROWS = 8, 5
# How many of them a line of text holds; and the part of all that is rounding.
N_SAID, NOTHING = 3, 1e-9


@dataclass(frozen=True, repr=False)
class ExplainedQuery(Shown):
    """One prediction: its small model, contributions and largest weights.

    Made by ``explanation.query(label)``. Print it, or show it in a notebook.

    Parameters
    ----------
    label : label
        The query.
    prediction, link : float
        The prediction, and the same on the scale on which terms and contributions add up.
    base_value : float or None
        Mean of the link over the training rows, where contributions start.
    contributions : DataFrame or None
        The largest contributions: ``feature``, ``value``, ``contribution``. None, like the base value, if not known.
    start, fidelity : float or None
        Value of the small model at the reference, and its R2 on predictions around the query; None where models have no
        slopes.
    terms : DataFrame or None
        The small model: ``feature``, ``value``, ``reference``, ``slope`` and ``term``.
    rows : DataFrame
        The training rows with the largest weights: ``row``, ``weight`` and their response. No rows if ``mixing`` is 0.
    names : tuple of str
        Names of the prediction and of the link.
    output : label, default=None
        The class that is explained, for multiclass classification.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = AttentionLasso(mixing=0.0, random_state=0).fit(X, 3 * X[:, 0])
    >>> query = model.explain(X[:5]).query(0)
    >>> query.terms["feature"].tolist(), bool(np.isclose(query.start + query.terms["term"].sum(), query.prediction))
    (['x0'], True)
    """

    label: Any
    prediction: float
    link: float
    base_value: float | None
    contributions: pd.DataFrame | None
    start: float | None
    fidelity: float | None
    terms: pd.DataFrame | None
    rows: pd.DataFrame
    names: tuple[str, str]
    output: Any = None

    @property
    def equation(self) -> str:
        """The prediction as a sum: "prediction 23.1 = 21 + 2.1 (weight = 2200)"."""
        link = f"{self.names[1]} {short(self.link)}"
        if self.terms is None or self.start is None:
            return link
        pairs = zip(self.terms["feature"], self.terms["value"], self.terms["term"], strict=True)
        parts = [f"{_format_signed(term)} ({cut(format_value(feature, value))})" for feature, value, term in pairs]
        return " ".join([f"{link} = {short(self.start)}", *parts])

    def _sketch(self) -> Sketch:
        predicted, link = self.names
        facts = [] if predicted == link else [(cut(predicted), short(self.prediction))]
        if self.terms is not None and self.fidelity is not None:
            facts += [(cut(term.feature), _format_term(term)) for term in self.terms.itertuples()]
            facts.append(("fidelity", f"{short(self.fidelity)} (R2 on predictions around it)"))
        if self.contributions is not None and self.base_value is not None:
            most = self.contributions.head(N_SAID)
            pairs = zip(most["feature"], most["contribution"], strict=True)
            parts = [f"{cut(name)} {_format_signed(part)}" for name, part in pairs]
            facts.append(("contributions", f"from the mean {short(self.base_value)}: {', '.join(parts) or 'none'}"))
        most = self.rows.head(N_SAID)
        pairs = zip(most["row"], most["weight"], strict=True)
        attended = ", ".join(f"row {cut(row)} ({percent(weight)})" for row, weight in pairs)
        facts.append(("compared with", attended or NO_ROWS))
        return Sketch(f"Query {cut(self.label)}: {self.equation}", facts)

    def _repr_html_(self) -> str:
        predicted, link = map(cut, self.names)
        parts = []
        if self.contributions is not None and self.base_value is not None:
            picture = self._draw_contributions(self.base_value, self.contributions)
            parts.append((f"Contributions to the {link}", picture))
        if self.terms is not None and self.start is not None and self.fidelity is not None:
            heading = f"Small model of the {link}, fidelity {short(self.fidelity)}"
            parts.append((heading, table_terms(self.terms, self.start, self.link)))
        parts.append(("Training rows with the largest weights", table_rows(self.rows) if len(self.rows) else NO_ROWS))
        return lay_out(f"Query {cut(self.label)}: {predicted} {short(self.prediction)}", parts)

    def _draw_contributions(self, base: float, table: pd.DataFrame) -> str:
        """Return bars from the mean to this query; columns that are not named are the last one."""
        names = [cut(format_value(name, value)) for name, value in zip(table["feature"], table["value"], strict=True)]
        parts = table["contribution"].tolist()
        rest = self.link - base - sum(parts)
        if abs(rest) > NOTHING * sum(map(abs, [self.link, *parts])):
            names, parts = [*names, "other columns"], [*parts, rest]
        return draw_waterfall(["overall mean", *names, "this query"], base, parts, self.link)


def explain_query(e: Explained, row: int, output: Any = None) -> ExplainedQuery:
    """Return the explanation of the query at a position; of one class, where there are several."""
    output = find_output(e, row, output)
    words = e.words or Regression.words
    names = words.prediction, words.link
    rows, weights = top_of(e.attention, row, 0 if e.alone else min(N_ROWS, len(e.train)))
    response = rename_taken(e.train.iloc[rows], "response", OWN).reset_index(drop=True)
    return ExplainedQuery(
        label=e.index[row],
        prediction=_of(e.prediction, row, output),
        link=_of(e.link, row, output),
        rows=pd.concat([pd.DataFrame({"row": e.train.index[rows], "weight": weights}), response], axis=1),
        names=names if output is None else (f"{names[0]} of {output}", f"{names[1]} of {output}"),
        output=output,
        **_small_model(e, row, output),
        **_contributions(e, row, output),
    )


def _of(part: pd.Series | pd.DataFrame, row: int, output: Any) -> float:
    return float(part.iloc[row] if output is None else part[output].iloc[row])


def _small_model(e: Explained, row: int, output: Any) -> dict[str, Any]:
    if e.terms is None or e.start is None or e.fidelity is None:
        return {"start": None, "fidelity": None, "terms": None}
    every = read_terms(e, output)
    terms = every.table[every.query == row].drop(columns="class", errors="ignore").reset_index(drop=True)
    return {"start": _of(e.start, row, output), "fidelity": float(e.fidelity.iloc[row]), "terms": terms}


def _contributions(e: Explained, row: int, output: Any) -> dict[str, Any]:
    if e.attribution is None:
        return {"base_value": None, "contributions": None}
    attribution, place = attributed(e), 0 if e.outputs is None else e.outputs.index(output)
    added = attribution.total[row, place]
    largest = np.argsort(-np.abs(added), kind="stable")[:N_FEATURES]
    largest = largest[added[largest] != 0]
    cells = e.values.astype(object).iloc[row].to_numpy()
    table = {"feature": e.values.columns[largest], "value": cells[largest], "contribution": added[largest]}
    return {"base_value": float(attribution.base[place]), "contributions": pd.DataFrame(table)}


def _format_signed(part: float) -> str:
    return f"{'+' if part >= 0 else '-'} {short(abs(part))}"


def _format_term(term: Any) -> str:
    """Return a term in words: slope times distance of a number, or what a cell is compared with."""
    reference = cut(format_cell(term.reference))
    text = f"{_format_signed(term.term)}: {cut(format_cell(term.value))} instead of {reference}"
    return f"{text}, slope {short(term.slope)}" if has_slope(term) else text
