"""The training table as every estimator needs it: read, merged, selected, with its folds."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse

from heedful._file_checks import require, require_indices, require_numbers
from heedful._folds import Split, fold_pattern, translate
from heedful._frames import (
    Dummies,
    Observations,
    TableReader,
    find_observations,
    freeze,
    sort_rows,
    take,
    thaw,
    warn_of_suspicious_columns,
)
from heedful._trees import Binned, Bins
from heedful.attention import Attention, over_background

# Rows are repeated for learners as long as that makes them this many times more on average.
MOST_COPIES = 20


class Columns(NamedTuple):
    """Positions of the columns that models use, and of those that similarities see."""

    model: np.ndarray
    similarity: np.ndarray


class GivenRows(NamedTuple):
    """What is known of rows as they were given: how many copies each stands for, its folds, and its group.

    ``splits`` are the user's, if any; ``groups`` numbers of groups, None without. ``draws`` says whether equal rows are
    observations of their own; None if it is to be seen from them.
    """

    counts: np.ndarray
    splits: list[Split]
    groups: np.ndarray | None = None
    draws: bool | None = None


class TrainingTable:
    """Training rows of positive weight, in an order that depends on the rows only.

    ``codes``, ``y`` (encoded), ``weight`` (mean one) and ``groups`` (None without) are those of the observations to
    learn from; ``splits`` the user's folds of them, if any; ``counts`` how often each was given, for learners that
    count rows; ``table`` the rows as they were given, if they are to be kept; ``response`` that of all rows, as it was
    given; ``reader`` reads further tables the same way. Copies of one row are one observation of their weight, unless
    ``merge`` is False. With ``keep_rows`` all rows are as they were given. Doubts about columns are ``told``.
    """

    def __init__(
        self,
        table: pd.DataFrame | np.ndarray,
        y: np.ndarray,
        weight: np.ndarray,
        response: pd.DataFrame,
        columns: Columns,
        given: GivenRows,
        *,
        merge: bool = True,
        keep_rows: bool = False,
        keep_table: bool = False,
        told: bool = True,
    ):
        self._columns, self.response = columns, response
        self.reader, self._named = TableReader().fit(table), isinstance(table, pd.DataFrame)
        codes = self.reader.read(table)
        if told:
            warn_of_suspicious_columns(table)
        every = np.arange(y.shape[0])
        if keep_rows:
            self.observations, self.codes, self.y = Observations(every, every, weight, every), codes, y
        else:
            self.observations = _observe(codes, y, weight, given) if merge else _sort(codes, y, weight)
            self.codes, self.y = codes[self.observations.source], y[self.observations.source]
        self.table = self._keep(table, self.observations.source) if keep_table else None
        self.weight = self.observations.weight / self.observations.weight.mean()
        self.splits = translate(given.splits, self.observations)
        self.groups = None if given.groups is None else given.groups[self.observations.source]
        self._given_weight = weight
        self.counts = count_copies(self.observations.weight)
        self._model = self._dummies(columns.model)
        self._seen = self._dummies(columns.similarity)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes with the response as arrays, as skops cannot save a frame; learners keep the table."""
        return self.__dict__ | {"response": freeze(self.response), "table": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"response": thaw(state["response"])})

    def check_loaded(self) -> None:
        """Raise if what came from a file has other rows in one part than in another."""
        n_rows, observations = self.weight.size, self.observations
        n_given, n_distinct = observations.distinct.size, int(observations.number.max()) + 1
        for values, size in ((self.weight, n_rows), (observations.weight, n_rows), (self._given_weight, n_given)):
            require_numbers(values, size)
        # rows without weight are none of the distinct ones
        require_indices(observations.distinct + 1, n_distinct + 1, n_given)
        require_indices(observations.source, n_given, n_rows)
        require_indices(observations.number, n_distinct, n_rows)
        step = np.diff(observations.number, prepend=0)
        require((step >= 0).all() and (step <= 1).all() and observations.number[0] == 0, "rows are out of order")
        same = len(self.y) == len(self.codes) == self.counts.size == n_rows and len(self.response) == n_given
        require(same and self.codes.dtype == np.float64 and self.codes.ndim == 2, "rows are missing")
        for dummies, columns in zip((self._model, self._seen), self._columns, strict=True):
            require_indices(columns, self.codes.shape[1], columns.size)
            require_numbers(dummies.mean, columns.size)
            require_numbers(dummies.low, len(dummies.names))
            require_numbers(dummies.high, len(dummies.names))
        for split in self.splits:
            for part in (split.train, split.test):
                require_indices(part, n_rows, part.size)

    def _dummies(self, columns: np.ndarray) -> Dummies:
        names, levels = ([values[j] for j in columns] for values in (self.reader.names, self.reader.levels))
        return Dummies().fit(_pick(self.codes, columns), names, levels, self.weight)

    @property
    def names(self) -> list[str]:
        """Names of the columns that the linear models use."""
        return self._model.names

    def labelled(self, rows: np.ndarray) -> pd.DataFrame | np.ndarray:
        """Return model rows under their names if the user's table had names."""
        return pd.DataFrame(rows, columns=self.names) if self._named else rows

    def check(self, table: pd.DataFrame | np.ndarray) -> None:
        """Raise unless the columns of a table to predict are of the kinds of the training rows."""
        self.reader.check(table)

    def read(self, table: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Return the codes of a checked table to predict."""
        return self.reader.read(table)

    def model_rows(self, codes: np.ndarray, reach: float | None = None) -> np.ndarray:
        """Return rows as the linear models see them, pulled back into reach of the training range."""
        return self._model.limit(self._model.transform(_pick(codes, self._columns.model)), reach)

    def model_places(self, codes: np.ndarray) -> np.ndarray:
        """Return which column of the models stands for each cell (n_rows, number of columns of the table in use)."""
        return self._model.place(_pick(codes, self._columns.model))

    @property
    def model_columns(self) -> np.ndarray:
        """Positions of the columns of the table that the models use."""
        return self._columns.model

    @property
    def similarity_columns(self) -> np.ndarray:
        """Positions of the columns of the table that similarities see."""
        return self._columns.similarity

    @property
    def model_sources(self) -> np.ndarray:
        """Which of these each column of the linear models stands for, in ascending order."""
        return self._model.sources

    @property
    def plain_names(self) -> list[str]:
        """Names of the columns of the table that the models use."""
        return [self.reader.names[j] for j in self._columns.model]

    @property
    def has_levels(self) -> bool:
        """Whether a column that the models use holds text or categories."""
        return any(self.reader.levels[j] is not None for j in self._columns.model)

    def plain_rows(self, codes: np.ndarray) -> np.ndarray:
        """Return the columns that the models use: categories as numbers, missing as NaN."""
        return _pick(codes, self._columns.model)

    def plain_table(self) -> pd.DataFrame | np.ndarray:
        """Return the plain training rows, under their names if the user's table had names."""
        rows = self.plain_rows(self.codes)
        return pd.DataFrame(rows, columns=self.plain_names) if self._named else rows

    def filled_rows(self) -> np.ndarray:
        """Return the plain training rows with missing values as means."""
        return fill_missing(self.plain_rows(self.codes), self.weight)

    def given_rows(self, table: pd.DataFrame | np.ndarray) -> pd.DataFrame | np.ndarray:
        """Return the columns of a table that the models use, as they were given."""
        return table.iloc[:, self._columns.model] if isinstance(table, pd.DataFrame) else table[:, self._columns.model]

    def _keep(self, table: pd.DataFrame | np.ndarray, first: np.ndarray) -> pd.DataFrame | np.ndarray:
        """Return the distinct rows as they were given; without names and levels those are the codes."""
        return take(self.given_rows(table), first) if isinstance(table, pd.DataFrame) else self.plain_rows(self.codes)

    def seen_rows(self, codes: np.ndarray, takes: str) -> np.ndarray | Binned:
        """Return rows as a similarity sees them that takes "codes", "bins" or "dummies"."""
        columns = self.seen_codes(codes)
        if takes == "bins":
            return self._bins.transform(columns)
        return columns if takes == "codes" else self._seen.transform(columns)

    def seen_codes(self, codes: np.ndarray) -> np.ndarray:
        """Return the columns that similarities see: categories as numbers, missing as NaN."""
        return _pick(codes, self._columns.similarity)

    @property
    def seen_unordered(self) -> np.ndarray:
        """Which of these hold categories."""
        return self.reader.unordered[self._columns.similarity]

    def model_bins(self, codes: np.ndarray) -> Binned:
        """Return the columns that the models use, in bins."""
        return self._model_bins.transform(_pick(codes, self._columns.model))

    @property
    def sees_model_bins(self) -> bool:
        """Whether similarities see the columns that the models use, and no others: bins are then the same."""
        return np.array_equal(self._columns.model, self._columns.similarity)

    def model_levels(self) -> list[list | None]:
        """Return the levels of each column of the table that the models use, None for numeric ones."""
        return [self.reader.levels[j] for j in self._columns.model]

    @property
    def mass(self) -> np.ndarray:
        """Sample weight of the rows, as it was given."""
        return self.observations.weight

    @cached_property
    def _bins(self) -> Bins:
        """Bins of the columns that similarities see, the same for all of them and for all folds."""
        return self._cut(self._columns.similarity)

    @cached_property
    def _model_bins(self) -> Bins:
        """Bins of the columns that the models use; mostly those of similarities."""
        return self._bins if self.sees_model_bins else self._cut(self._columns.model)

    def _cut(self, columns: np.ndarray) -> Bins:
        return Bins().fit(_pick(self.codes, columns), self.reader.unordered[columns], self.weight)

    def seen_names(self, takes: str) -> list[str]:
        """Return the names of the columns that such a similarity sees."""
        return [self.reader.names[j] for j in self._columns.similarity] if takes != "dummies" else self._seen.names

    def seen_numbers(self) -> dict[str, np.ndarray]:
        """Return the training rows' values of the columns that similarities see and that hold numbers or dates."""
        measured = [j for j in self._columns.similarity if self.reader.levels[j] is None]
        return {self.reader.names[j]: self.codes[:, j] for j in measured}

    def context(self, codes: np.ndarray, index: pd.Index) -> pd.DataFrame:
        """Return the columns that similarities see and models do not, as they were given."""
        return self.reader.decode(codes, np.setdiff1d(self._columns.similarity, self._columns.model), index)

    def given_context(self) -> pd.DataFrame:
        """Return the context of the training rows as given; rows without weight have none."""
        codes = np.vstack([self.codes, np.full(self.codes.shape[1], np.nan)])
        return self.context(codes[self.observations.place], self.response.index)

    def given_values(self) -> pd.DataFrame | None:
        """Return all columns of the training rows as given; None if they are not known."""
        if self.codes.shape[1] != len(self.reader.names):
            return None
        codes = np.vstack([self.codes, np.full(self.codes.shape[1], np.nan)])
        return self.reader.decode(codes[self.observations.place], np.arange(self.codes.shape[1]), self.response.index)

    @property
    def given(self) -> np.ndarray:
        """Positions of the rows that were given with a weight."""
        return np.flatnonzero(self.observations.distinct >= 0)

    @property
    def given_weight(self) -> np.ndarray:
        """Weights of the rows as given."""
        return self._given_weight

    @property
    def first_given(self) -> np.ndarray:
        """Where, among the rows as given, each row is found first."""
        return self.observations.source

    @property
    def n_given(self) -> int:
        """Number of rows that were given with a weight."""
        return self.given.size

    def give_rows(self, values: np.ndarray) -> np.ndarray:
        """Return values of rows as those of the rows that were given with a weight; means over observations."""
        return self.observations.give(values)[self.given]

    def give_back(self, attention: Attention) -> Attention:
        """Return attention over observations as attention over the rows that the user gave."""
        number, distinct = self.observations.number, self.observations.distinct
        n_given = distinct.size
        if np.array_equal(distinct, np.arange(n_given)) and number.size == n_given:
            return attention
        kept = self.given
        part = self._given_weight[kept] / np.bincount(number, self.observations.weight)[distinct[kept]]
        shape = (number[-1] + 1, n_given)
        spread = sparse.csr_array((part, (distinct[kept], kept)), shape=shape)
        one = np.ones(number.size)
        added = sparse.csr_array((one, (np.arange(number.size), number)), shape=(number.size, shape[0]))
        sample_weight = self._given_weight / self._given_weight.mean()
        background = attention.background * self.weight.sum() / n_given
        return over_background(sparse.csr_array(attention.excess() @ added @ spread), background, sample_weight)


def _observe(codes: np.ndarray, y: np.ndarray, weight: np.ndarray, given: GivenRows) -> Observations:
    """Return the observations of rows; those in different folds or groups are never one."""
    fold = fold_pattern(given.splits, y.shape[0])
    fold = fold if given.groups is None else np.column_stack([fold, given.groups])
    return find_observations(codes, y, fold, weight, given.counts, given.draws)


def _sort(codes: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Observations:
    """Return every row of positive weight as an observation of its own."""
    order, place = sort_rows(codes, y, weight)
    return Observations(order, np.arange(order.size), weight[order], place)


def _pick(codes: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return some columns; all of them are the very array, so that a model holds its training rows once."""
    return codes if np.array_equal(columns, np.arange(codes.shape[1])) else codes[:, columns]


def fill_missing(rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return rows with weighted means in place of missing numbers."""
    known = ~np.isnan(rows)
    total = np.maximum(weight @ known, 1e-300)
    return np.where(known, rows, weight @ np.where(known, rows, 0.0) / total)


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
