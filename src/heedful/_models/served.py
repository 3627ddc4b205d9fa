"""A fitted model as it is served: its predictions of rows, their leaves, and the columns that it takes."""

import re
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_array

from heedful._ensembles import ACCEPTED, Ensemble, is_ensemble, is_fitted, read_ensemble
from heedful._frames import as_table, is_frame
from heedful._responses import Classification, Regression, Response, ServedCosts

# Names that packages give to columns without one.
NO_NAME = re.compile(r"(Column_|f)?\d+")
MOST_LISTED = 5
# Of boosters under a log link, the power of the mean that the variance is taken to grow with.
POWERS = {"poisson": 1.0, "gamma": 2.0, "tweedie": 1.5}


class ServedModel:
    """Any fitted model with ``predict``; it is read and never changed.

    ``response`` is what it predicts: numbers, or classes. ``ensemble`` are its trees, or those of a pipeline's last
    step; None if it has none.
    """

    def __init__(self, model: Any, *, needs_leaves: bool):
        self.model = model.estimator if isinstance(model, FrozenEstimator) else model
        steps = isinstance(self.model, Pipeline)
        self._before: Pipeline | None = self.model[:-1] if steps else None
        self._last: Any = self.model[-1] if steps else self.model
        self._check(needs_leaves)
        self.ensemble: Ensemble | None = read_ensemble(self._last) if is_ensemble(self._last) else None
        self.response: Response = self._read_response()
        self.adds_up = False
        self.names = column_names(self.model)
        self.n_features: int | None = getattr(self.model, "n_features_in_", None)
        if self.n_features is None and self.ensemble is not None and self._before is None:
            self.n_features = self.ensemble.n_features

    def _check(self, needs_leaves: bool) -> None:
        if not callable(getattr(self.model, "predict", None)) or isinstance(self.model, type):
            raise TypeError(f"`model` must be a fitted model with `predict`, got {self.model!r}.")
        if needs_leaves and not is_ensemble(self._last):
            raise TypeError(
                f"`model` gives no leaves: for similarity='leaves' it must be {ACCEPTED}, got {self.model!r}. Leave "
                "out `similarity` for a forest on the residuals of the model."
            )
        learns = isinstance(self._last, BaseEstimator) and hasattr(self._last, "fit")
        if (is_ensemble(self._last) or learns) and not is_fitted(self._last):
            raise NotFittedError(f"`model` must be fitted, got {self.model!r}, which is not. Call its `fit` first.")

    def values(self, X: Any) -> np.ndarray:
        """Return predictions (n_rows, 1), or the probabilities (n_rows, n_classes)."""
        if self.response.classes is None:
            values = self._predict(X)
        elif self.ensemble is not None and not hasattr(self.model, "predict_proba"):
            values = self._chances(self.ensemble, X)
        else:
            values = self.model.predict_proba(X)
        values = np.asarray(values, dtype=np.float64).reshape(len(X), -1)
        width = self.response.n_values
        if values.shape[1] != width or not np.isfinite(values).all():
            gaps = "" if np.isfinite(values).all() else " with NaN or infinity"
            raise ValueError(
                f"`model` must predict {width} finite number{'s' if width > 1 else ''} per row, got shape "
                f"{values.shape}{gaps}. Use a model with one response."
            )
        return values

    @property
    def trees(self) -> Ensemble:
        """The ensemble of a model that has one."""
        if self.ensemble is None:
            raise TypeError(f"`model` gives no leaves: it must be {ACCEPTED}, got {self.model!r}.")
        return self.ensemble

    def leaves(self, X: Any) -> np.ndarray:
        rows = X if self._before is None else self._before.transform(X)
        rows = rows.toarray() if hasattr(rows, "toarray") else rows
        return self.trees.row_leaves(rows)

    def notice(self, base: np.ndarray, leaves: np.ndarray) -> None:
        """Notice whether predictions are, to the last bit, what the leaves of these rows add up to."""
        known = self.ensemble is not None and self.response.classes is None and leaves.size > 0
        self.adds_up = known and np.array_equal(self.trees.raw(leaves.T), base)

    def values_and_leaves(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return predictions of rows and their leaves; it is asked once if leaves add up to predictions."""
        leaves = self.leaves(X)
        return self.trees.raw(leaves.T) if self.adds_up else self.values(X), leaves

    def read(self, X: Any) -> pd.DataFrame | np.ndarray:
        """Return rows as the model takes them; raise unless they have its columns."""
        table = as_table(X) if is_frame(X) else check_array(X, dtype=None, ensure_all_finite=False, input_name="X")
        if isinstance(table, pd.DataFrame) and self.names is not None:
            self._compare_names([_plain(name) for name in table.columns])
        if self.n_features is not None and table.shape[1] != self.n_features:
            raise ValueError(f"`X` must have {self.n_features} columns as `model` was fitted on, got {table.shape[1]}.")
        return table

    def _compare_names(self, given: list[str]) -> None:
        names = [_plain(name) for name in self.names or []]
        if given == names:
            return
        absent, extra = ([n for n in a if n not in b][:MOST_LISTED] for a, b in ((names, given), (given, names)))
        what = f"without {absent}, with {extra}" if absent or extra else f"in another order: {given[:MOST_LISTED]}"
        raise ValueError(
            f"`X` must have the columns that `model` was fitted on, in their order, got a table {what}. Select them: "
            f"X[{list(self.names or [])[:MOST_LISTED]}{' and so on' if len(names) > MOST_LISTED else ''}]."
        )

    def _read_response(self) -> Response:
        """Return what the model predicts: labels, numbers, or by a booster with a log link counts or costs."""
        if hasattr(self.model, "predict_proba") and hasattr(self._last, "classes_"):
            return Classification(np.asarray(self.model.classes_))
        if not hasattr(self._last, "fit") and self.ensemble is not None and self.ensemble.loss == "log":
            return Classification(np.arange(max(2, self.ensemble.start.size)))
        learned = getattr(self._last, "response_", None)
        served = learned.served() if isinstance(learned, Response) else None
        if served is not None:
            return served
        # forests know a Poisson loss too, without a link
        power = POWERS.get(self.ensemble.loss) if self.ensemble is not None and self.ensemble.boosted else None
        return Regression() if power is None else ServedCosts(power)

    def _predict(self, X: Any) -> Any:
        """Return predictions; a bare XGBoost takes tables of its own."""
        bare = None if hasattr(self._last, "fit") else getattr(self.ensemble, "predict", None)
        return self.model.predict(X) if bare is None else bare(X)

    def _chances(self, ensemble: Ensemble, X: Any) -> np.ndarray:
        """Return the probabilities of a bare booster: its own, or those of its raw scores."""
        if ensemble.bare_chances:
            chance = np.asarray(self._predict(X), dtype=np.float64).reshape(len(X), -1)
            return np.hstack([1.0 - chance, chance]) if chance.shape[1] == 1 else chance
        raw = ensemble.raw(ensemble.leaves(X))
        raw = np.hstack([np.zeros(raw.shape), raw]) if raw.shape[1] == 1 else raw
        return softmax(raw, axis=1)


def column_names(model: Any) -> list[str] | None:
    """Return the names of the columns that a model was fitted on; None if they had none."""
    names = getattr(model, "feature_names_in_", None)
    for other in ("feature_name", "feature_names", "feature_names_"):
        if names is None:
            names = getattr(model, other, None)
    names = names() if callable(names) else names
    if names is None or all(NO_NAME.fullmatch(str(name)) for name in names):
        return None
    return [str(name) for name in names]


def _plain(name: Any) -> str:
    """Return a name as LightGBM keeps it, without blanks."""
    return str(name).replace(" ", "_")
