"""Answers about a treatment: average effect, heterogeneity and overlap."""

from collections.abc import Sequence
from typing import Any

from heedful.explain import AverageEffect, Heterogeneity, Overlap
from heedful.report._compact import numbers, text

Answer = AverageEffect | Heterogeneity | Overlap
TITLES = {AverageEffect: "Average effect", Heterogeneity: "Heterogeneity", Overlap: "Overlap"}
# Columns of the curve that are drawn.
CURVE = ("gain", "low", "high", "random")


def collect_answers(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Return each answer as a title, one sentence, facts under their names, and a curve if it has one."""
    return [_collect_answer(answer) for answer in answers]


def _collect_answer(answer: Answer) -> dict[str, Any]:
    if not isinstance(answer, Answer):
        raise TypeError(
            "`answers` must hold results of `average_effect()`, `heterogeneity()` and `overlap()` of an estimator of "
            f"effects, got {type(answer).__name__}. Pass a list of them."
        )
    lines = [getattr(answer, "verdict", "")]
    if isinstance(answer, Overlap):
        lines = answer.warnings or lines
    curve: dict[str, Any] | None = None
    if isinstance(answer, Heterogeneity):
        table = answer.curve
        curve = {
            "share": numbers([0.0, *table.index], 3),
            "smaller": answer.smaller_is_better,
            **{name: numbers([0.0, *table[name]], 4) for name in CURVE},
        }
    facts = [(name, value) for name, value in answer._sketch().facts if name not in ("verdict", "warning")]
    return {
        "title": TITLES[type(answer)],
        "lines": [line for line in lines if line],
        "facts": [[text(name), value] for name, value in facts],
        "curve": curve,
    }
