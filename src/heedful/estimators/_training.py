"""The training table as every estimator needs it: read, merged, selected, with its folds."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.validation import check_consistent_length

from heedful._checks import check_weights
from heedful._frames import Dummies, TableReader, as_table, freeze, merge_rows, read_table, select, take, thaw
from heedful.attention import Attention, over_background
from heedful.baseline import fold_pattern, translate, user_splits

# Rows are repeated for learners as long as that makes them this many times more on average.
MOST_COPIES = 20


class Training:
    """Distinct training rows of positive weight, in an order that depends on the rows only.

    ``codes``, ``y`` and ``weight`` (mean one) are those of the distinct rows; ``splits`` the user's folds of them, if
    any; ``counts`` how often each was given, for learners that count rows; ``table`` the rows as they were given, if
    they are to be kept. Knows how to read further tables the same way and how to give attention back on the user's own
    rows.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any,
        *,
        keep_rows: bool,
        keep_table: bool = False,
    ):
        table = read_table(estimator, X, reset=True)
        given = y
        if y is None:
            raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None.")
        y = estimator._read_response(y)
        check_consistent_length(table, y)
        n_rows = y.shape[0]
        weight = estimator._reweigh(y, check_weights(sample_weight, n_rows))
        self._model_columns = select(table, estimator.model_features, "model_features")
        self._seen_columns = select(table, estimator.similarity_features, "similarity_features")
        self._reader, self._named = TableReader().fit(table), isinstance(table, pd.DataFrame)
        codes = self._reader.read(table)
        splits = user_splits(estimator.cv, table, y.reshape(n_rows, -1)[:, 0], groups)
        if keep_rows:
            first = self._inverse = np.arange(n_rows)
        else:
            first, self._inverse = merge_rows(codes, y, fold_pattern(splits, n_rows), weight)
        self.codes, self.y = codes[first], y[first]
        self.table = self._keep(table, first) if keep_table else None
        index = table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(n_rows)
        self.response = as_frame(given, index)
        kept = self._inverse >= 0
        merged = np.bincount(self._inverse[kept], weights=weight[kept], minlength=first.size)
        self.weight = merged / merged.mean()
        self.splits = translate(splits, self._inverse)
        self._given_weight, self._merged_weight = weight, merged
        self.counts = count_copies(merged)
        self._model = self._dummies(self._model_columns)
        self._seen = self._dummies(self._seen_columns)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes with the response as arrays, as skops cannot save a frame; learners keep the table."""
        return self.__dict__ | {"response": freeze(self.response), "table": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"response": thaw(state["response"])})

    def _dummies(self, columns: np.ndarray) -> Dummies:
        names, levels = ([values[j] for j in columns] for values in (self._reader.names, self._reader.levels))
        return Dummies().fit(self.codes[:, columns], names, levels, self.weight)

    @property
    def names(self) -> list[str]:
        """Names of the columns that the linear models use."""
        return self._model.names

    def labelled(self, rows: np.ndarray) -> pd.DataFrame | np.ndarray:
        """Return model rows under their names if the user's table had names."""
        return pd.DataFrame(rows, columns=self.names) if self._named else rows

    def read(self, estimator: Any, X: Any) -> np.ndarray:
        """Return the codes of a table to predict."""
        return self._reader.read(read_table(estimator, X, reset=False))

    def model_rows(self, codes: np.ndarray, reach: float | None = None) -> np.ndarray:
        """Return rows as the linear models see them, pulled back into reach of the training range."""
        return self._model.limit(self._model.transform(codes[:, self._model_columns]), reach)

    @property
    def plain_names(self) -> list[str]:
        """Names of the columns of the table that the models use."""
        return [self._reader.names[j] for j in self._model_columns]

    @property
    def has_levels(self) -> bool:
        """Whether a column that the models use holds text or categories."""
        return any(self._reader.levels[j] is not None for j in self._model_columns)

    def plain_rows(self, codes: np.ndarray) -> np.ndarray:
        """Return the columns that the models use: categories as numbers, missing as NaN."""
        return _pick(codes, self._model_columns)

    def filled_rows(self) -> np.ndarray:
        """Return the plain training rows with missing values as means."""
        rows = self.plain_rows(self.codes)
        known = ~np.isnan(rows)
        mass = np.maximum(self.weight @ known, 1e-300)
        return np.where(known, rows, self.weight @ np.where(known, rows, 0.0) / mass)

    def given_rows(self, X: Any) -> pd.DataFrame | np.ndarray:
        """Return the columns of a table that was read, as they were given."""
        return self._given(as_table(X))

    def _given(self, table: pd.DataFrame | np.ndarray) -> pd.DataFrame | np.ndarray:
        return table.iloc[:, self._model_columns] if isinstance(table, pd.DataFrame) else table[:, self._model_columns]

    def _keep(self, table: pd.DataFrame | np.ndarray, first: np.ndarray) -> pd.DataFrame | np.ndarray:
        """Return the distinct rows as they were given; without names and levels those are the codes."""
        return take(self._given(table), first) if isinstance(table, pd.DataFrame) else self.plain_rows(self.codes)

    def seen_rows(self, codes: np.ndarray, similarity: Any) -> np.ndarray:
        """Return rows as a similarity sees them."""
        columns = _pick(codes, self._seen_columns)
        return columns if similarity.takes == "codes" else self._seen.transform(columns)

    def seen_names(self, similarity: Any) -> list[str]:
        """Return the names of the columns that a similarity sees."""
        return [self._reader.names[j] for j in self._seen_columns] if similarity.takes == "codes" else self._seen.names

    def context(self, codes: np.ndarray, index: pd.Index) -> pd.DataFrame:
        """Return the columns that similarities see and models do not, as they were given."""
        return self._reader.decode(codes, np.setdiff1d(self._seen_columns, self._model_columns), index)

    def given_context(self) -> pd.DataFrame:
        """Return the context of the training rows as given; rows without weight have none."""
        codes = np.vstack([self.codes, np.full(self.codes.shape[1], np.nan)])
        return self.context(codes[self._inverse], self.response.index)

    def give_back(self, attention: Attention) -> Attention:
        """Return attention over distinct rows as attention over the rows that the user gave."""
        n_given = self._inverse.size
        kept = np.flatnonzero(self._inverse >= 0)
        part = self._given_weight[kept] / self._merged_weight[self._inverse[kept]]
        spread = sparse.csr_array((part, (self._inverse[kept], kept)), shape=(self.weight.size, n_given))
        sample_weight = self._given_weight / self._given_weight.mean()
        background = attention.background * self.weight.sum() / n_given
        return over_background(sparse.csr_array(attention.bumps() @ spread), background, sample_weight)


def _pick(codes: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return some columns; all of them are the very array, so that a model holds its training rows once."""
    return codes if np.array_equal(columns, np.arange(codes.shape[1])) else codes[:, columns]


def as_frame(y: Any, index: pd.Index) -> pd.DataFrame:
    """Return a response as the user gave it, as columns under the labels of the rows."""
    if isinstance(y, np.ndarray) and y.dtype.names is not None:
        return pd.DataFrame({name: y[name] for name in y.dtype.names}, index)
    if hasattr(y, "columns"):
        return pd.DataFrame({str(name): np.asarray(y[name]) for name in y.columns}, index)
    values = np.asarray(y)
    name = getattr(y, "name", None) or "response"
    if values.ndim == 2 and values.shape[1] == 2:
        return pd.DataFrame(values, index, ["event", "time"])
    return pd.DataFrame({str(name): values.ravel()}, index)


def count_copies(weight: np.ndarray) -> np.ndarray:
    """Return weights that are small whole numbers as counts of rows; else every row counts once."""
    counts = np.rint(weight)
    whole = np.array_equal(counts, weight) and counts.sum() <= MOST_COPIES * weight.size
    return counts.astype(np.int64) if whole else np.ones(weight.size, np.int64)


def rows_to_try(tuning_rows: int | None, n_rows: int, seed: np.random.RandomState) -> np.ndarray:
    """Return the rows on which heads are tried: all, or as many as asked for, drawn at random."""
    if tuning_rows is None or tuning_rows >= n_rows:
        return np.arange(n_rows)
    return np.sort(seed.choice(n_rows, int(tuning_rows), replace=False))


def unit_response(y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return a response with mean 0 and deviation 1, rounded to nine digits, as similarities are fitted to.

    Trees do not split tiny variances and break ties between equal splits by the last bits of sums; neither the unit nor
    the origin of the response must decide.
    """
    centred = y - np.average(y, weights=weight)
    unit = np.sqrt(np.average(centred**2, weights=weight))
    return np.round(centred / unit, 9) if unit > 1e-12 * np.abs(y).max() else np.zeros(y.size)
