"""Whether a model has drifted, in one sentence."""

from typing import TYPE_CHECKING

from heedful._show import short

if TYPE_CHECKING:
    from heedful.explain._drift import DriftReport

# The model has drifted if correcting it takes this share (%) off its error, and the guard lets so much of it
# through. Below the smaller share no drift was found; in between, or with less let through, it may have drifted.
LARGE_GAIN, SMALL_GAIN, SURE = 5.0, 1.0, 0.9


def verdict(report: "DriftReport") -> str:
    """Return what the measures of a report say, in plain words."""
    value = report.summary["value"]
    mixing, guard, gain = (float(value[name]) for name in ("mixing", "guard", "error change (%)"))
    gain = -gain
    if mixing == 0 and report.heads["error"].isna().all():
        return "Whether the model has drifted was not asked: mixing was set to 0, so nothing is corrected."
    if mixing == 0:
        return "No drift that a correction would mend was found: mixing is 0, the model is left as it is."
    if gain >= LARGE_GAIN and guard >= SURE:
        return f"The model has drifted: {_effect(report, 'lowers')}."
    if gain >= SMALL_GAIN:
        return (
            f"The model may have drifted: {_effect(report, 'lowers')}. The guard lets {short(guard, 2)} of it through."
        )
    effect = _effect(report, "takes", "the model")
    return f"No drift that a correction would mend was found: {effect}. Mixing is {short(mixing, 2)}."


def _effect(report: "DriftReport", does: str, whom: str = "it") -> str:
    value = report.summary["value"]
    before, after = (short(value[name], 3) for name in ("error before", "error after"))
    return (
        f"correcting {whom} by {value['recent rows']} recent rows {does} its {report.error} from {before} to {after} "
        f"({_percent(value['error change (%)'])}), each row corrected by the others only"
    )


def _percent(change: float) -> str:
    rounded = round(float(change), 0 if abs(change) >= 10 else 1)
    # no minus before nothing
    return f"{rounded + 0.0:+.10g}\N{NO-BREAK SPACE}%".replace("-", "\N{MINUS SIGN}")
