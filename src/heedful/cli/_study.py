"""The table of ``heedful effect``: features, treatments and outcomes."""

from argparse import Namespace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from heedful._frames import parse_number
from heedful.cli._columns import WORDS, kind_of, read_features, require_columns
from heedful.cli._errors import UserError
from heedful.cli._tasks import read_labels, read_numbers, whole_column


class Study(NamedTuple):
    """Features, outcome, treatment and what else ``fit`` takes; ``named`` are their columns by option."""

    X: pd.DataFrame
    outcome: pd.Series
    treatment: pd.Series
    known: dict[str, Any]
    named: dict[str, str]
    columns: list[dict[str, Any]]


def read_study(arguments: Namespace, table: pd.DataFrame) -> Study:
    """Return what the options name, checked."""
    path, named = arguments.table, _name_columns(arguments)
    require_columns(path, table, arguments.drop, "--drop")
    for option, name in named.items():
        require_columns(path, table, [name], f"--{option}")
    treatment = read_labels(path, table[named["treatment"]])
    if arguments.treated is not None:
        treatment = put_in_order(path, treatment, arguments.treated)
    X, columns = read_features(arguments, table, named)
    outcome = read_labels(path, table[named["outcome"]])
    return Study(X, outcome, treatment, _known(arguments, table, named), named, columns)


def _name_columns(arguments: Namespace) -> dict[str, str]:
    """Return the columns that options name, each of which can be one thing only."""
    named: dict[str, str] = {}
    for option in ("outcome", "treatment", "weight", "group", "propensity"):
        name = getattr(arguments, option)
        if not isinstance(name, str):
            continue
        first = next((other for other, same in named.items() if same == name), None)
        if first is not None:
            raise UserError(f"--{first} and --{option} name the same column, {name!r}. Use different columns.")
        named[option] = name
    return named


def _known(arguments: Namespace, table: pd.DataFrame, named: dict[str, str]) -> dict[str, Any]:
    """Return weights, groups and propensities as ``fit`` takes them."""
    path, known = arguments.table, {"propensity": arguments.propensity}
    for option, argument in {"weight": "sample_weight", "propensity": "propensity"}.items():
        if option in named:
            known[argument] = read_numbers(path, table[named[option]]).to_numpy()
    if "group" in named:
        known["groups"] = whole_column(path, table[named["group"]]).to_numpy()
    return known


def put_in_order(path: Path, treatment: pd.Series, treated: str) -> pd.Series:
    """Return a treatment of two values as categories, of which the second is the one that is ``treated``.

    Numbers and booleans may be written in several ways.
    """
    levels = sorted(treatment.unique().tolist(), key=str)
    value = treated if kind_of(treatment) == "text" else parse_number(WORDS.get(treated.lower(), treated))
    order = sorted(levels, key=lambda level: level == value)
    if len(levels) != 2 or value not in levels:
        shown = ", ".join(repr(str(level)) for level in levels[:5]) + (" and others" if len(levels) > 5 else "")
        raise UserError(
            f"{path}: --treated {treated} must be one of two values of column {treatment.name!r}, which has {shown}. "
            "Keep the rows of two of them, or leave it out."
        )
    return pd.Series(pd.Categorical(treatment, categories=order, ordered=True), treatment.index, name=treatment.name)
