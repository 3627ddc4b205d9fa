"""Simulations with their true models, and the paper's tables from a folder."""

from heedful.datasets._claims import Claims, make_claims
from heedful.datasets._download import download_tables
from heedful.datasets._effects import Effects, make_effects
from heedful.datasets._groups import make_mixture, make_subgroups
from heedful.datasets._regimes import make_regimes
from heedful.datasets._rents import Rents, make_rents
from heedful.datasets._stream import make_stream
from heedful.datasets._survival import make_survival
from heedful.datasets._tables import load_table, load_us_change
from heedful.datasets._tissue import make_tissue
from heedful.datasets._truth import Simulation

__all__ = [
    "Claims",
    "Effects",
    "Rents",
    "Simulation",
    "download_tables",
    "load_table",
    "load_us_change",
    "make_claims",
    "make_effects",
    "make_mixture",
    "make_regimes",
    "make_rents",
    "make_stream",
    "make_subgroups",
    "make_survival",
    "make_tissue",
]
