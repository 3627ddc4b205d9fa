"""Measures of a drift report: errors, corrections, columns in which corrected rows differ, and results of tests."""

import numpy as np
import pandas as pd
from scipy.stats import norm

from heedful.explain._distances import ks_distance
from heedful.explain._values import is_number

ROWS_MOVED, RELATION_MOVED = "rows moved", "relation moved"
IMPROVABLE, REFERENCE_IMPROVABLE = "recent rows improvable", "reference improvable"
# A test has found something if its p value is at most this.
LEVEL = 0.01
NOT_KNOWN, NOTHING_MOVED, IMPROVABLE_ANYWHERE = "not known", "nothing moved", "improvable anywhere"
TESTS = {
    ROWS_MOVED: "the columns distinguish recent rows from the reference",
    RELATION_MOVED: "at equal columns, residuals differ from those on the reference",
    IMPROVABLE: "the columns predict the residuals on recent rows",
    REFERENCE_IMPROVABLE: "the columns predict the residuals on the reference",
}
# A query counts as corrected if its correction is larger than so many of its standard errors.
STANDARD_ERRORS = 2.0
MEANINGS = {
    "recent rows": "labelled rows behind the corrections",
    "temperature": "of the head with the largest share; lower uses fewer rows, NaN if its weights have none",
    "mixing": "share of the correction that is applied; 0 is the uncorrected model",
    "guard": "share of the fitted correction that the guard keeps, 0 to 1",
    "error before": "of the model on the recent rows",
    "error after": "on the same rows, each corrected by the others",
    "error change (%)": "after relative to before; negative is better",
    "mean residual": "mean of response minus prediction",
    "correction": "typical size (root mean square) over the queries",
    "rows explained": "share of recent rows whose prediction gets closer to the response",
    "reference rows": "rows from the time of training that the model was not trained on",
    "error on the reference": "of the model on these rows",
    "mean residual of the reference": "mean of response minus prediction there",
    "effective rows": "effective sample size of a correction, median",
    "queries corrected": f"share of queries corrected by more than {STANDARD_ERRORS:g} standard errors",
}


def tabulate_tests(statistics: dict[str, float]) -> pd.DataFrame:
    """Return one row per test that was made: its statistic, its p value, and what a small one means."""
    names = [name for name in TESTS if name in statistics]
    z = np.array([statistics[name] for name in names], dtype=np.float64)
    index = pd.Index(names, name="test", dtype=object)
    return pd.DataFrame({"z": z, "p": norm.sf(z), "meaning": [TESTS[name] for name in names]}, index)


def find(tests: pd.DataFrame) -> str:
    if ROWS_MOVED not in tests.index:
        return NOT_KNOWN
    significant = set(tests.index[tests["p"] <= LEVEL])
    if RELATION_MOVED in significant or ROWS_MOVED in significant:
        return RELATION_MOVED if RELATION_MOVED in significant else ROWS_MOVED
    return IMPROVABLE_ANYWHERE if {IMPROVABLE, REFERENCE_IMPROVABLE} <= significant else NOTHING_MOVED


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
    of_reference: dict[str, float] = {}
    if reference is not None:
        error, residual = (np.average(reference[name], weights=reference["weight"]) for name in ("loss", "residual"))
        of_reference = {
            "reference rows": len(reference),
            "error on the reference": error**0.5 if squared else error,
            "mean residual of the reference": residual,
        }
    values = {
        "recent rows": len(rows),
        **tuned,
        "error before": before,
        "error after": after,
        "error change (%)": 100.0 * (after / before - 1.0) if before > 0 else 0.0,
        "mean residual": np.average(rows["residual"], weights=weight),
        **of_reference,
        "correction": np.sqrt(np.mean(queries["correction"] ** 2)),
        "rows explained": np.average(rows["corrected_loss"] < rows["loss"], weights=weight),
        "effective rows": queries["n_eff"].median(),
        "queries corrected": is_corrected(queries).mean(),
    }
    table = pd.DataFrame({"value": pd.Series(values, dtype=object)})
    return table.assign(meaning=[MEANINGS[name] for name in table.index])


def order_columns(columns: pd.DataFrame, finding: str) -> pd.DataFrame:
    """Return the columns that moved most first: by their effects if the relation moved, else by their values."""
    if columns.empty:
        return columns
    size = columns["change"].abs() / columns["standard_error"] if finding == RELATION_MOVED else columns["separation"]
    return columns.iloc[np.argsort(-size.to_numpy(), kind="stable")]


def is_corrected(queries: pd.DataFrame) -> np.ndarray:
    return (queries["correction"].abs() > STANDARD_ERRORS * queries["standard_error"]).to_numpy()


def separate(table: pd.DataFrame, corrected: np.ndarray) -> pd.DataFrame:
    """Return for each column how far its values differ between corrected and other rows, the largest first.

    The largest difference of the two distribution functions (Kolmogorov-Smirnov) of numbers, half the sum of the
    differences of frequencies of anything else; missing values are left out.
    """
    features = []
    for name in table:
        known = table[name].notna().to_numpy()
        inside, outside = table.loc[known & corrected, name], table.loc[known & ~corrected, name]
        if len(inside) and len(outside):
            features.append((str(name), *_compare(inside, outside)))
    columns = ["feature", "separation", "kind", "corrected", "others"]
    return pd.DataFrame(sorted(features, key=lambda row: -row[1]), columns=columns).set_index("feature")


def _compare(inside: pd.Series, outside: pd.Series) -> tuple[float, str, object, object]:
    if is_number(inside):
        means = [float(f"{part.mean():.4g}") for part in (inside, outside)]
        return ks_distance(inside.to_numpy(np.float64), outside.to_numpy(np.float64)), "number", means[0], means[1]
    share = [part.astype(str).value_counts(normalize=True) for part in (inside, outside)]
    gap = share[0].sub(share[1], fill_value=0.0).abs().sum() / 2
    return float(gap), "category", share[0].index[0], share[1].index[0]
