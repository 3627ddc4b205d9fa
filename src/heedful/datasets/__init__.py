"""The paper's simulations and others, each with the truth it was drawn from; the paper's tables from a folder."""

from heedful.datasets._claims import Claims, make_claims
from heedful.datasets._download import download_tables
from heedful.datasets._drift import make_drift
from heedful.datasets._effects import Effects, make_effects
from heedful.datasets._gradients import make_continuous, make_high_dimensional, make_soft_clusters
from heedful.datasets._groups import make_mixture, make_subgroups
from heedful.datasets._hourly import Hourly, make_hourly
from heedful.datasets._moving import make_moving
from heedful.datasets._outcomes import make_binary, make_survival
from heedful.datasets._regimes import make_regimes
from heedful.datasets._stream import make_stream
from heedful.datasets._tables import load_table, load_us_change
from heedful.datasets._tissue import make_tissue
from heedful.datasets._toy import make_toy
from heedful.datasets._truth import Simulation

__all__ = [
    "Claims",
    "Effects",
    "Hourly",
    "Simulation",
    "download_tables",
    "load_table",
    "load_us_change",
    "make_binary",
    "make_claims",
    "make_continuous",
    "make_drift",
    "make_effects",
    "make_high_dimensional",
    "make_hourly",
    "make_mixture",
    "make_moving",
    "make_regimes",
    "make_soft_clusters",
    "make_stream",
    "make_subgroups",
    "make_survival",
    "make_tissue",
    "make_toy",
]
