"""The report of a drift corrector: errors of the model on recent rows, tests, and corrections."""

from dataclasses import dataclass

import pandas as pd

from heedful._show import Shown, Sketch, count, cut, format_p, percent, short
from heedful.explain._drift_measures import (
    IMPROVABLE,
    IMPROVABLE_ANYWHERE,
    LEVEL,
    NOT_KNOWN,
    RELATION_MOVED,
    ROWS_MOVED,
    find,
)

# Columns that are named at first sight.
N_DRIFTING = 3
# The effect of a column is named if it changed by more than so many standard errors.
CLEAR = 3.0
ASK = (
    "Drift cannot be tested without a reference: rows from the time of training that the model was not trained on, "
    "drift_report(reference=(X, y))."
)


@dataclass(frozen=True, kw_only=True, repr=False)
class DriftReport(Shown):
    """Report whether data or relation drifted, and where the model is corrected.

    Made by ``drift_report()`` of a :class:`heedful.DriftCorrector`.

    Parameters
    ----------
    summary : DataFrame
        One row per measure: its value and its meaning.
    features : DataFrame
        One row per column, the largest difference first: how much its distribution differs between corrected and other
        queries (0 to 1), and its typical value in both. Empty if all or none of the queries are corrected.
    rows : DataFrame
        The recent rows: time, response, prediction of the model, and that prediction corrected by the other rows.
    queries : DataFrame
        The correction of each query, its standard error and its effective sample size.
    heads : DataFrame
        The similarities and temperatures that were tried: error on recent rows and share.
    error : str
        Name of the error: root mean squared error or log loss.
    tests : DataFrame
        One row per test: its statistic ``z`` (standard normal under the null hypothesis), the ``p`` value, and what a
        small one means. Without a reference, only the test whether predictions of recent rows can be improved.
    columns : DataFrame
        One row per column, or level of a category, the largest drift first: its mean (the share of a level) in the
        reference and in the recent rows, how much its distribution differs (0 to 1), and its effect on the response
        before and after: the slope in a linear model of all columns, fitted where both periods overlap. ``change`` is
        the change of the effect, with its standard error. Empty without a reference.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import GradientBoostingRegressor
    >>> from heedful import DriftCorrector
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> model = GradientBoostingRegressor(random_state=0).fit(X[:200], X[:200, 0])
    >>> report = DriftCorrector(model, random_state=0).fit(X[200:], X[200:, 0] + 3 * (X[200:, 1] > 0)).drift_report()
    >>> report.features.index[0]
    'x1'
    >>> report.frame.loc[("drift", "error change (%)"), "value"] < -50
    np.True_
    >>> report.finding  # whether that is drift needs a reference
    'not known'
    """

    summary: pd.DataFrame
    features: pd.DataFrame
    rows: pd.DataFrame
    queries: pd.DataFrame
    heads: pd.DataFrame
    error: str
    tests: pd.DataFrame
    columns: pd.DataFrame

    @property
    def frame(self) -> pd.DataFrame:
        """Summary and features as one table, with values and meanings."""
        meaning = [
            f"{'' if kind == 'number' else 'mostly '}{there} where corrected, {elsewhere} elsewhere"
            for kind, there, elsewhere in self.features[["kind", "corrected", "others"]].itertuples(index=False)
        ]
        features = pd.DataFrame({"value": self.features["separation"].astype(object), "meaning": meaning})
        return pd.concat({"drift": self.summary, "feature": features}, names=["part", "measure"])

    @property
    def finding(self) -> str:
        """What drifted, by the tests.

        One of "nothing moved", "rows moved" (covariate shift), "relation moved" (with or without covariate shift),
        "improvable anywhere" (no drift, but columns predict the residuals) and, without a reference or
        with few recent rows, "not known".
        """
        return find(self.tests)

    @property
    def verdict(self) -> str:
        """What drifted, and what the correction achieves, in words."""
        if float(self.summary["value"]["mixing"]) == 0:
            return f"{_what_moved(self)} The model is not corrected: mixing is 0."
        value = self.summary["value"]
        before, after = (short(value[name]) for name in ("error before", "error after"))
        return (
            f"{_what_moved(self)} Correcting the model with {value['recent rows']} recent rows changes its "
            f"{self.error} from {before} to {after} ({_percent(value['error change (%)'])}), each row corrected by "
            "the others."
        )

    def __str__(self) -> str:
        return self.frame.to_string()

    def _sketch(self) -> Sketch:
        value = self.summary["value"]
        facts = [
            ("verdict", self.verdict),
            ("queries corrected", f"{percent(value['queries corrected'])} of {len(self.queries)}"),
        ]
        if self.finding == RELATION_MOVED:
            effects = self.columns[["effect_before", "effect_after"]].head(N_DRIFTING)
            facts += [
                (cut(name), f"effect {short(before)} before, {short(after)} now")
                for name, before, after in effects.itertuples()
            ]
        facts += [
            (cut(name), f"{cut(inside)} where corrected, {cut(outside)} elsewhere")
            for name, inside, outside in self.features[["corrected", "others"]].head(N_DRIFTING).itertuples()
        ]
        title = f"Drift report on {count(int(value['recent rows']), 'recent row')}"
        return Sketch(title, facts, "Look at tests, columns, summary, features, frame; heedful.report.show")


def _what_moved(report: DriftReport) -> str:
    finding, value, p_value = report.finding, report.summary["value"], report.tests["p"].map(format_p)
    if report.tests.empty:
        return f"{value['recent rows']} recent rows are too few to test for drift."
    if finding == NOT_KNOWN:
        improvable = report.tests.loc[IMPROVABLE, "p"] <= LEVEL
        start = "The model can be improved" if improvable else "There is no evidence that the model can be improved"
        return f"{start} on the recent rows ({p_value[IMPROVABLE]}). {ASK}"
    if finding == RELATION_MOVED:
        rows = f" The rows moved too ({p_value[ROWS_MOVED]})." if report.tests.loc[ROWS_MOVED, "p"] <= LEVEL else ""
        return f"The relation moved ({p_value[RELATION_MOVED]}): {_where(report)}.{rows}"
    if finding == ROWS_MOVED:
        first = report.columns.iloc[0]
        return (
            f"The rows moved ({p_value[ROWS_MOVED]}), most of all {cut(report.columns.index[0])}: a mean of "
            f"{short(first['mean_before'])} before, {short(first['mean_after'])} now. There is no evidence that the "
            f"relation moved ({p_value[RELATION_MOVED]})."
        )
    shown = f"{value['reference rows']} reference and {value['recent rows']} recent rows"
    nothing = f"Nothing moved, as far as {shown} can show."
    if finding == IMPROVABLE_ANYWHERE:
        return f"{nothing} The model can be improved on rows from the time of training and on recent rows alike."
    return nothing


def _where(report: DriftReport) -> str:
    """Return the effect that changed most, or the change of the level if no effect clearly changed."""
    first, value = report.columns.iloc[0], report.summary["value"]
    if abs(first["change"]) > CLEAR * first["standard_error"]:
        before, after = (short(first[name]) for name in ("effect_before", "effect_after"))
        return f"most of all the effect of {cut(report.columns.index[0])}, {before} before, {after} now"
    before, after = (short(value[name]) for name in ("mean residual of the reference", "mean residual"))
    return f"the response less the prediction is {before} on average before, {after} now"


def _percent(change: float) -> str:
    rounded = round(float(change), 0 if abs(change) >= 10 else 1)
    # no minus before nothing
    return f"{rounded + 0.0:+.10g}\N{NO-BREAK SPACE}%".replace("-", "\N{MINUS SIGN}")
