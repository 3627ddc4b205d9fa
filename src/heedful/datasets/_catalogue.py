"""What the paper's tables must look like: rows and columns, and where they come from."""

import tomllib
from importlib.resources import files
from typing import NamedTuple

US_CHANGE_PAGE = "R package fpp3, data set us_change, as Rdatasets has it"
US_CHANGE_URL = "https://vincentarelbundock.github.io/Rdatasets/csv/fpp3/us_change.csv"


class Listed(NamedTuple):
    """A table of others: rows, features, responses, and its number in the UCI repository (None if it is not there)."""

    n: int
    features: list[str]
    targets: list[str]
    uci: int | None = None

    @property
    def page(self) -> str:
        """Where people find it."""
        return f"UCI Machine Learning Repository, id {self.uci}" if self.uci else US_CHANGE_PAGE

    @property
    def license(self) -> str:
        """What its owners allow."""
        return "CC BY 4.0" if self.uci else "GPL-3 (R package fpp3); the series are public data of US authorities"


TABLES = tomllib.loads(files("heedful.datasets").joinpath("tables.toml").read_text(encoding="utf-8"))
CATALOGUE = {name: Listed(**entry) for name, entry in TABLES.items()}
UCI_TABLES = tuple(name for name, listed in CATALOGUE.items() if listed.uci)
