"""``Summary``: how good a fitted estimator is and what it uses, as text."""

import textwrap
from dataclasses import dataclass

import numpy as np
import pandas as pd

from heedful._responses import Words
from heedful._show import Shown, Sketch, count, cut, percent, short
from heedful.explain._errors import compare_errors

N_FEATURES, WIDTH = 5, 100
# Shares of a prediction that are smaller are not worth a word.
LEAST_SAID = 0.005
NAMES = {"numbers": "numeric", "dates": "date", "categories": "categorical"}


@dataclass(frozen=True, kw_only=True, repr=False)
class Summary(Shown):
    """Say how good a fitted estimator is and what it uses.

    Made by ``summary()`` of an estimator. Print it for text; a notebook shows a table.

    Parameters
    ----------
    name : str
        Name of the estimator.
    response : str
        Name of the response.
    words : Words
        Names of the response, of the scale of contributions and of the error.
    n_rows, n_missing : int
        Training rows with a weight, and their missing cells.
    columns : Series
        Number of columns of each kind: "numbers", "dates", "categories".
    held_out_error : Series
        Errors on held-out rows: "attention" (the model) and "baseline" (the global model).
    mixing : float
        Total share of the heads.
    n_heads, n_used : int
        Heads that were tried, and heads that have weight.
    n_eff : float
        Effective sample size of a training row that is left out: weighted median.
    importances : Series
        Weighted mean absolute contribution of each column over the training rows, the largest first; for multiclass
        classification of contributions to the most probable class.
    rival : str
        Name of the global model.
    share : str
        What ``mixing`` is a share of.
    curves, smooth : float, default=0.0
        Shares of the additive and of the smooth global model in each prediction.
    beside : tuple of pairs of str, default=()
        Other measures on held-out rows and their values: accuracy and Brier score, concordance.

    Examples
    --------
    >>> import numpy as np
    >>> from heedful import AttentionLasso
    >>> X = np.random.default_rng(0).normal(size=(80, 3))
    >>> summary = AttentionLasso(random_state=0).fit(X, X[:, 0] * np.sign(X[:, 1])).summary()
    >>> summary.n_rows, sorted(summary.importances.index[:2])
    (80, ['x0', 'x1'])
    """

    name: str
    response: str
    words: Words
    n_rows: int
    n_missing: int
    columns: pd.Series
    held_out_error: pd.Series
    mixing: float
    n_heads: int
    n_used: int
    n_eff: float
    importances: pd.Series
    rival: str
    share: str
    curves: float = 0.0
    smooth: float = 0.0
    beside: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        sketch = self._sketch()
        parts = [f"{name[0].upper()}{name[1:]}: {said}" for name, said in sketch.facts]
        lines = (textwrap.fill(part, WIDTH, subsequent_indent="  ", break_on_hyphens=False) for part in parts)
        return "\n".join([sketch.title, *lines])

    def __repr__(self) -> str:
        return str(self)

    def _sketch(self) -> Sketch:
        errors = compare_errors(self.held_out_error, self.mixing, self.rival)
        facts = [
            ("table", self._describe_table()),
            ("error", f"{errors.figures}: {errors.outcome}."),
            *((name, f"{said}.") for name, said in self.beside),
            ("that means", " ".join([errors.meaning, *self._describe_typical_error()])),
            ("attention", self._describe_attention()),
            *([("global models", self._describe_rest())] if self.curves + self.smooth > 0 else []),
            (self._title_of_features(), self._describe_features()),
        ]
        return Sketch(f"{self.name} of {cut(self.response)} ({self.words.response})", facts)

    def _describe_table(self) -> str:
        kinds = ", ".join(f"{number} {NAMES[kind]}" for kind, number in self.columns.items() if number)
        missing = count(self.n_missing, "missing cell") if self.n_missing else "no missing cell"
        columns = count(int(self.columns.sum()), "column")
        return f"{count(self.n_rows, 'row')}, {columns} ({kinds}), {missing}."

    def _describe_typical_error(self) -> list[str]:
        own = self.held_out_error["attention"]
        return [f"Predictions for new rows are off by about {short(own)}."] if self.words.root and own == own else []

    def _describe_attention(self) -> str:
        if self.mixing == 0:
            return "not used: mixing is 0."
        heads = f"{self.n_used} of {count(self.n_heads, 'head')} {'has' if self.n_used == 1 else 'have'} weight"
        said = f"{percent(self.mixing)} {self.share} ({heads})."
        if np.isnan(self.n_eff):
            return said
        return f"{said} Effective sample size of a query: about {short(self.n_eff)} of {self.n_rows} rows."

    def _describe_rest(self) -> str:
        rest = {
            "the smooth model": self.smooth,
            "the additive model": self.curves,
            "the lasso": 1 - self.mixing - self.curves - self.smooth,
        }
        said = [f"{percent(part)} from {name}" for name, part in rest.items() if part >= LEAST_SAID]
        return f"{', '.join(said)}." if said else "less than 1 %."

    def _title_of_features(self) -> str:
        on = "" if self.words.link == self.words.prediction else f" to the {cut(self.words.link)}"
        return f"features, by mean absolute contribution{on}"

    def _describe_features(self) -> str:
        top = self.importances[self.importances > 0][:N_FEATURES]
        if top.empty:
            return "no column contributes."
        named = ", ".join(f"{cut(name)} {short(size)}" for name, size in top.items())
        return f"{named}."
