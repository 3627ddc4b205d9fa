"""Fitted tree ensembles of any package, read as leaves and what each leaf adds."""

from heedful._ensembles._ensemble import ACCEPTED, Ensemble
from heedful._ensembles._read import is_ensemble, is_fitted, read_ensemble
from heedful._ensembles._trees import check_flat, flatten

__all__ = ["ACCEPTED", "Ensemble", "check_flat", "flatten", "is_ensemble", "is_fitted", "read_ensemble"]
