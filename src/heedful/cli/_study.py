"""The table of ``heedful effect``: rows as they were, what they got, and what came of it."""

from argparse import Namespace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from heedful.cli._columns import conform, describe_columns, kind_of, require_columns
from heedful.cli._errors import UserError
from heedful.cli._tasks import labels_of, numbers_of, whole_column


class Study(NamedTuple):
    """Features, outcome, treatment and what else ``fit`` takes; ``named`` are their columns by option."""

    X: pd.DataFrame
    outcome: pd.Series
    treatment: pd.Series
    known: dict[str, Any]
    kept: pd.DataFrame
    named: dict[str, str]
    columns: list[dict[str, Any]]


def read_study(arguments: Namespace, table: pd.DataFrame) -> Study:
    """Return what the options name, checked."""
    path, named = arguments.table, _named(arguments)
    require_columns(path, table, arguments.drop, "--drop")
    if arguments.queries is None:
        require_columns(path, table, arguments.keep, "--keep")
    for option, name in named.items():
        require_columns(path, table, [name], f"--{option}")
    given = {option: whole_column(path, table[name]) for option, name in named.items()}
    treatment = labels_of(path, given["treatment"])
    if arguments.treated is not None:
        treatment = put_in_order(path, treatment, arguments.treated)
    features = table.drop(columns=[*arguments.drop, *named.values()], errors="ignore")
    if not features.shape[1]:
        raise UserError(f"{path}: no column is left that effects may depend on. Drop fewer columns.")
    columns = describe_columns(path, features, arguments.dates)
    return Study(
        X=conform(path, features, columns),
        outcome=labels_of(path, given["outcome"]),
        treatment=treatment,
        known=_known(arguments, given),
        kept=table[arguments.keep] if arguments.queries is None else table[[]],
        named=named,
        columns=columns,
    )


def _named(arguments: Namespace) -> dict[str, str]:
    """Return the columns that options name, each of which can be one thing only."""
    options = {name: getattr(arguments, name) for name in ("outcome", "treatment", "weight", "group")}
    if isinstance(arguments.propensity, str):
        options["propensity"] = arguments.propensity
    named = {option: name for option, name in options.items() if name is not None}
    for option, name in named.items():
        first = next(other for other, same in named.items() if same == name)
        if first != option:
            raise UserError(f"--{first} and --{option} name one column, {name!r}. Each must have its own.")
    return named


def _known(arguments: Namespace, given: dict[str, pd.Series]) -> dict[str, Any]:
    """Return weights, groups and propensities as ``fit`` takes them."""
    path, known = arguments.table, dict[str, Any]()
    if "weight" in given:
        known["sample_weight"] = numbers_of(path, given["weight"]).to_numpy()
    if "group" in given:
        known["groups"] = given["group"].to_numpy()
    if "propensity" in given:
        known["propensity"] = numbers_of(path, given["propensity"]).to_numpy()
    elif arguments.propensity is not None:
        known["propensity"] = arguments.propensity
    return known


def put_in_order(path: Path, treatment: pd.Series, treated: str) -> pd.Series:
    """Return a treatment of two values as categories, of which the second is the one that is ``treated``."""
    levels = sorted(treatment.unique().tolist(), key=str)
    chosen = [level for level in levels if _is_level(level, treated, kind_of(treatment))]
    if len(levels) != 2 or len(chosen) != 1:
        shown = ", ".join(repr(str(level)) for level in levels[:5]) + (" and others" if len(levels) > 5 else "")
        raise UserError(
            f"{path}: --treated {treated} must be one of two values of column {treatment.name!r}, which has {shown}. "
            "Keep the rows of two of them, or leave it out."
        )
    order = [*(level for level in levels if level != chosen[0]), chosen[0]]
    return pd.Series(pd.Categorical(treatment, categories=order, ordered=True), treatment.index, name=treatment.name)


def _is_level(level: Any, text: str, kind: str | None) -> bool:
    """Return whether a value is what was typed; numbers and booleans may be written in several ways."""
    if kind == "text":
        return str(level) == text
    try:
        typed = {"true": 1.0, "false": 0.0}.get(text.lower())
        return float(level) == (float(text) if typed is None else typed)
    except (OverflowError, ValueError):
        return False
