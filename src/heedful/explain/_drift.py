"""What a drift corrector found: how far the model was off on recent rows, and what correcting it does."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from heedful._show import Shown, Sketch
from heedful.explain._drift_moved import RELATION_MOVED, find
from heedful.explain._drift_verdict import verdict
from heedful.explain._sketches import sketch_drift

# A query counts as corrected if its correction is larger than so many of its standard errors.
STANDARD_ERRORS = 2.0
MEANINGS = {
    "recent rows": "labelled rows that corrections are made of",
    "temperature": "of the head with the largest share, if it has one; lower attends to fewer rows",
    "mixing": "share of the correction that is applied; 0 is the model as it is",
    "guard": "share of the fitted correction that the guard lets through, 0 to 1",
    "error before": "of the model on the recent rows",
    "error after": "on the same rows, each corrected by the others only",
    "error change (%)": "after against before; negative is better",
    "mean residual": "response less prediction of the model, on average",
    "correction": "typical size (root mean square) over the queries",
    "rows explained": "share of recent rows that the correction brings closer to the response",
    "reference rows": "rows of the model's own time that it was not trained on",
    "error on the reference": "of the model on these rows",
    "mean residual of the reference": "as that of the recent rows",
    "effective rows": "recent rows that a query's correction rests on, median",
    "queries corrected": f"share of queries corrected by more than {STANDARD_ERRORS:g} standard errors",
}


@dataclass(frozen=True, kw_only=True, repr=False)
class DriftReport(Shown):
    """Tell whether anything moved, and where a model is corrected.

    Made by ``drift_report()`` of a :class:`heedful.DriftCorrector`.

    Parameters
    ----------
    summary : DataFrame
        One row per measure: its value and its meaning.
    features : DataFrame
        One row per column, the most telling first: how far its values differ between queries that are corrected and
        queries that are not (0 to 1), and its usual value in both. Empty if all queries are alike in this.
    rows : DataFrame
        The recent rows: time, response, prediction of the model, and that prediction corrected by the other rows.
    queries : DataFrame
        The correction of each query, its standard error, and the effective number of rows that it rests on.
    heads : DataFrame
        The similarities and temperatures that were tried: error on recent rows and share.
    error : str
        Name of the error: root mean squared error or log loss.
    tests : DataFrame
        One row per test that was made: its statistic ``z`` (standard normal if there is nothing to be found), the ``p``
        value, and what a small one says. Without a reference only whether recent rows can be improved.
    columns : DataFrame
        One row per column, or level of a category, the one that moved most first: its mean (the share of a level) in
        the reference and in the recent rows, how far its values differ (0 to 1), and its effect on the response before
        and after: the slope of a linear model of all columns, fitted to rows that both periods have alike. ``change``
        is that of the effect, with its standard error. Empty without a reference.

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
    >>> report.finding  # whether that is new takes a reference
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
        """What moved, by the tests.

        One of "nothing moved", "rows moved", "relation moved" (whether rows did or not), "improvable anywhere" (nothing
        moved, but columns tell how far the model is off) and, without a reference or with few recent rows, "not known".
        """
        return find(self.tests)

    @property
    def verdict(self) -> str:
        """What moved, and what correcting the model does, in plain words."""
        return verdict(self)

    def __str__(self) -> str:
        return self.frame.to_string()

    def _sketch(self) -> Sketch:
        return sketch_drift(self)


def summarise(
    rows: pd.DataFrame,
    queries: pd.DataFrame,
    tuned: dict[str, float],
    squared: bool,
    reference: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the measures of a report; errors of numbers are root mean squares."""
    weight = rows["weight"]
    before, after = (np.average(rows[name], weights=weight) for name in ("loss", "corrected_loss"))
    before, after = (before**0.5, after**0.5) if squared else (before, after)
    found = {
        "recent rows": len(rows),
        **tuned,
        "error before": before,
        "error after": after,
        "error change (%)": 100.0 * (after / before - 1.0) if before > 0 else 0.0,
        "mean residual": np.average(rows["residual"], weights=weight),
        **({} if reference is None else _summarise_reference(reference, squared)),
        "correction": np.sqrt(np.mean(queries["correction"] ** 2)),
        "rows explained": np.average(rows["corrected_loss"] < rows["loss"], weights=weight),
        "effective rows": queries["n_eff"].median(),
        "queries corrected": is_corrected(queries).mean(),
    }
    table = pd.DataFrame({"value": pd.Series(found, dtype=object)})
    return table.assign(meaning=[MEANINGS[name] for name in table.index])


def _summarise_reference(rows: pd.DataFrame, squared: bool) -> dict[str, float]:
    error, residual = (np.average(rows[name], weights=rows["weight"]) for name in ("loss", "residual"))
    return {
        "reference rows": len(rows),
        "error on the reference": error**0.5 if squared else error,
        "mean residual of the reference": residual,
    }


def order_columns(columns: pd.DataFrame, finding: str) -> pd.DataFrame:
    """Return the columns that moved most first: by their effects if the relation moved, else by their values."""
    if columns.empty:
        return columns
    size = columns["change"].abs() / columns["standard_error"] if finding == RELATION_MOVED else columns["separation"]
    return columns.iloc[np.argsort(-size.to_numpy(), kind="stable")]


def is_corrected(queries: pd.DataFrame) -> np.ndarray:
    """Return which corrections are larger than chance."""
    return (queries["correction"].abs() > STANDARD_ERRORS * queries["standard_error"]).to_numpy()


def separate(table: pd.DataFrame, corrected: np.ndarray) -> pd.DataFrame:
    """Return for each column how far its values differ between corrected and other rows, the largest first.

    The largest difference of the two distribution functions (Kolmogorov-Smirnov) of numbers, half the sum of the
    differences of frequencies of anything else; missing values are left out.
    """
    found = []
    for name in table:
        known = table[name].notna().to_numpy()
        inside, outside = table.loc[known & corrected, name], table.loc[known & ~corrected, name]
        if len(inside) and len(outside):
            found.append((str(name), *_compare(inside, outside)))
    columns = ["feature", "separation", "kind", "corrected", "others"]
    sorted_rows = sorted(found, key=lambda row: -row[1])
    return pd.DataFrame(sorted_rows, columns=columns).set_index("feature")


def _compare(inside: pd.Series, outside: pd.Series) -> tuple[float, str, object, object]:
    if pd.api.types.is_numeric_dtype(inside.dtype) and not pd.api.types.is_bool_dtype(inside.dtype):
        values = np.sort(np.concatenate([inside, outside]).astype(np.float64))
        at = [np.searchsorted(np.sort(part), values, side="right") / len(part) for part in (inside, outside)]
        means = [float(f"{part.mean():.4g}") for part in (inside, outside)]
        return float(np.abs(at[0] - at[1]).max()), "number", means[0], means[1]
    share = [part.astype(str).value_counts(normalize=True) for part in (inside, outside)]
    gap = share[0].sub(share[1], fill_value=0.0).abs().sum() / 2
    return float(gap), "category", share[0].index[0], share[1].index[0]
