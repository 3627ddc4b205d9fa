"""Context of rows as columns for similarities: the past of a row and its neighbours."""

from heedful.context._lags import lag_features
from heedful.context._neighbors import neighbor_features

__all__ = ["lag_features", "neighbor_features"]
