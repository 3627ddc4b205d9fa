"""What moved since a model was trained, in plain words."""

from typing import TYPE_CHECKING

from heedful._show import cut, short
from heedful.explain._drift_moved import (
    IMPROVABLE,
    IMPROVABLE_ANYWHERE,
    LEVEL,
    NOT_KNOWN,
    RELATION_MOVED,
    ROWS_MOVED,
)

if TYPE_CHECKING:
    from heedful.explain._drift import DriftReport

# The effect of a column is named if it changed by more than so many standard errors.
CLEAR = 3.0
ASK = (
    "Whether anything moved is not known: that takes a reference, rows of the model's own time that it was not trained "
    "on, drift_report(reference=(X, y))."
)


def verdict(report: "DriftReport") -> str:
    """Return what the tests of a report say, and what correcting the model does."""
    if float(report.summary["value"]["mixing"]) == 0:
        return f"{_found(report)} The model is left as it is: mixing is 0."
    return f"{_found(report)} {_correction(report)}"


def _found(report: "DriftReport") -> str:
    finding, value = report.finding, report.summary["value"]
    if report.tests.empty:
        return f"{value['recent rows']} recent rows are too few to tell whether anything moved."
    if finding == NOT_KNOWN:
        found = report.tests.loc[IMPROVABLE, "p"] <= LEVEL
        told = "The model can be improved" if found else "There is no sign that the model can be improved"
        return f"{told} on the recent rows ({_p(report, IMPROVABLE)}). {ASK}"
    if finding == RELATION_MOVED:
        rows = f" The rows moved too ({_p(report, ROWS_MOVED)})." if report.tests.loc[ROWS_MOVED, "p"] <= LEVEL else ""
        return f"The relation moved ({_p(report, RELATION_MOVED)}): {_where(report)}.{rows}"
    if finding == ROWS_MOVED:
        first = report.columns.iloc[0]
        return (
            f"The rows moved ({_p(report, ROWS_MOVED)}), most of all {cut(report.columns.index[0])}: a mean of "
            f"{short(first['mean_before'], 3)} before, {short(first['mean_after'], 3)} now. There is no sign that the "
            f"relation moved ({_p(report, RELATION_MOVED)})."
        )
    told = f"Nothing moved that {value['reference rows']} reference and {value['recent rows']} recent rows can tell."
    if finding == IMPROVABLE_ANYWHERE:
        return f"{told} The model can be improved anywhere, on rows of its own time as on recent ones."
    return told


def _where(report: "DriftReport") -> str:
    """Return the effect that changed most, or how the level did if none did for sure."""
    first, value = report.columns.iloc[0], report.summary["value"]
    if abs(first["change"]) > CLEAR * first["standard_error"]:
        before, after = (short(first[name], 3) for name in ("effect_before", "effect_after"))
        return f"most of all the effect of {cut(report.columns.index[0])}, {before} before, {after} now"
    before, after = (short(value[name], 3) for name in ("mean residual of the reference", "mean residual"))
    return f"the response less the prediction is {before} on average before, {after} now"


def _correction(report: "DriftReport") -> str:
    value = report.summary["value"]
    before, after = (short(value[name], 3) for name in ("error before", "error after"))
    return (
        f"Correcting the model by {value['recent rows']} recent rows takes its {report.error} from {before} to {after} "
        f"({_percent(value['error change (%)'])}), each row corrected by the others only."
    )


def _p(report: "DriftReport", name: str) -> str:
    p = float(report.tests.loc[name, "p"])
    return f"p = {short(p, 2)}" if p >= 0.001 else "p < 0.001"


def _percent(change: float) -> str:
    rounded = round(float(change), 0 if abs(change) >= 10 else 1)
    # no minus before nothing
    return f"{rounded + 0.0:+.10g}\N{NO-BREAK SPACE}%".replace("-", "\N{MINUS SIGN}")
