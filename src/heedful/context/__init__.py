"""What surrounds a row, as columns of it: its past and its neighbours, for similarities to look at."""

from heedful.context._lags import lag_features
from heedful.context._neighbors import neighbor_features

__all__ = ["lag_features", "neighbor_features"]
