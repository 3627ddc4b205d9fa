"""The figures of ``summary()``."""

import numpy as np
import pandas as pd

from heedful._explaining.held_out import read_held_out
from heedful._explaining.value_function import systematic, value_function_of
from heedful._flow import FittedAttention, Run, Wanted, known_attention
from heedful._frames import DATES, TableReader
from heedful.explain import Summary, describe_measures

# Training rows, at equal steps of their weight, that stand for all of them.
MOST_ROWS = 200
ROUNDING = 1e-12


def summarise(fitted: FittedAttention, name: str, unseen: pd.Series, run: Run) -> Summary:
    """Return how good a model is, how much attention it uses, and which columns matter."""
    rows, tuned, models = fitted.rows, fitted.tuned, fitted.models
    return Summary(
        name=name,
        # of effects, which nobody observes, the response is the outcome with all that was learned of it
        response=", ".join(map(str, rows.response.columns[: None if fitted.response.words.seen else 1])),
        words=fitted.response.words,
        n_rows=rows.n_given,
        n_missing=int(rows.give_rows(np.isnan(models.train_codes()).sum(axis=1)).sum()),
        columns=count_columns(rows.reader),
        held_out_error=unseen,
        beside=_measures(fitted),
        mixing=tuned.mixing,
        n_heads=tuned.share.size,
        n_used=int((tuned.share > 0).sum()),
        n_eff=median_rows(fitted) if tuned.mixing > 0 else np.nan,
        importances=importances(fitted, run._replace(verbose=0)),
        rival=models.rival,
        share=models.share,
        curves=(1 - tuned.mixing) * tuned.additive,
        smooth=(1 - tuned.mixing) * tuned.smooth,
    )


def _measures(fitted: FittedAttention) -> tuple[tuple[str, str], ...]:
    """Return the measures on held-out rows other than the error; none for effects, which are never observed."""
    if fitted.held_out is None or not fitted.response.words.seen:
        return ()
    held_out = read_held_out(fitted)
    return tuple(describe_measures(held_out.predicted, held_out.rival))


def count_columns(reader: TableReader) -> pd.Series:
    kinds = [
        "categories" if levels is not None else "dates" if DATES in kinds else "numbers"
        for kinds, levels in zip(reader.kinds, reader.levels, strict=True)
    ]
    return pd.Series(kinds).value_counts().reindex(["numbers", "dates", "categories"], fill_value=0)


def median_rows(fitted: FittedAttention) -> float:
    """Return the weighted median of the effective numbers of rows that training rows, each left out, attend to."""
    chosen, share = systematic(fitted.rows.weight, MOST_ROWS)
    prediction = fitted.predict(fitted.left_out(chosen), Wanted(models=False, attention=True), Run())
    n_eff = fitted.rows.give_back(known_attention(prediction)).n_eff
    order = np.argsort(n_eff, kind="stable")
    return float(n_eff[order][np.searchsorted(np.cumsum(share[order]), 0.5 - 1e-9)])


def importances(fitted: FittedAttention, run: Run) -> pd.Series:
    """Return the weighted mean absolute contribution of each column over training rows, the largest first."""
    function = value_function_of(fitted, run)
    compared = function.compared
    chosen, share = systematic(compared.share, MOST_ROWS)
    rows, link = compared.rows.take(chosen), compared.link[chosen]
    added, _ = function.fast(fitted.read_rows(rows), rows.codes, link)
    # of several classes the most probable one is explained
    size = share @ np.abs(added[np.arange(chosen.size), link.argmax(axis=1)])
    # what rounding leaves moves nothing
    size[size < ROUNDING * np.abs(link).max()] = 0.0
    sizes = pd.Series(size, fitted.rows.reader.names, name="importance")
    return sizes.sort_values(ascending=False, kind="stable")
