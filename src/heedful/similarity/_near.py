"""Attention that falls off with a distance: in time, in space, or in any columns of numbers."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from heedful._checks import check_grid, is_word
from heedful._file_checks import require
from heedful._kernels.shapes import ScoreRows
from heedful._show import short
from heedful._trees import Binned
from heedful._undo import all_or_nothing
from heedful.similarity._protocol import Similarity
from heedful.similarity._wrapping import WrappingSimilarity

# Widths that "auto" tries beside no kernel, in mean distances of two training rows; and rows that are looked at for it.
WIDTHS, LOOKED_AT = (1.0, 0.3, 0.1), 500


class NearSimilarity(WrappingSimilarity):
    """Multiply the weights of another similarity by a kernel of the distance.

    Use it for relations that change in time or space: among similar rows, those near the query get more weight. The
    width is tuned on held-out rows as temperatures are. The other similarity sees the columns of the kernel as well.

    Parameters
    ----------
    similarity : str, object, callable or list of them
        The similarity to multiply: whatever estimators accept as ``similarity``. Outside an estimator it must be an
        object of heedful.similarity.
    columns : str, int or list of them
        Columns with the time or place of a row, by name or by position among those that the similarity sees. Several
        columns must have the same unit. Dates are measured in days.
    width : float, list of float or "auto", default="auto"
        Distance over which weights fall by the factor e, in units of the columns; infinity means no kernel. "auto"
        tries no kernel, and 1, 0.3 and 0.1 times the mean distance between training rows.

    Notes
    -----
    The weight of row i is proportional to ``w_i exp(-d_i / width)``, where ``w_i`` is its weight by the other
    similarity (at a temperature, by share or by leaf) and ``d_i`` its Euclidean distance from the query. For a query in
    the future, the ratios of these kernel weights do not depend on how far away it is. A query without a known place
    gets no kernel.

    Examples
    --------
    >>> from heedful.similarity import GaussianSimilarity
    >>> near = NearSimilarity(GaussianSimilarity(), 0).fit([[1.0, 5.0], [2.0, 5.0], [4.0, 6.0]], [0.0, 1.0, 2.0])
    >>> near.distances([[2.5, 5.0]])
    array([[1.5, 0.5, 1.5]])
    >>> near.widths_
    (inf, 2.0, 0.6, 0.2)
    """

    _names: tuple[str, ...] = ()

    def __init__(self, similarity, columns, *, width="auto"):
        self.similarity = similarity
        self.columns = columns
        self.width = width

    def around(self, similarity: Similarity) -> "NearSimilarity":
        """Return the same kernel around another similarity.

        Parameters
        ----------
        similarity : Similarity
            The similarity to multiply.

        Returns
        -------
        NearSimilarity
            Not fitted.
        """
        check_widths(self.width)
        other = copy.copy(self)
        other.similarity = similarity
        return other

    def check_columns(self, names, numbers):
        """Raise if a column of the kernel is not there, or cannot be measured."""
        found_names = [names[find_column(entry, names)] for entry in self.places]
        for name in found_names:
            if name not in numbers:
                raise ValueError(
                    f"`columns` must hold numbers or dates, got {name!r}, which holds text or categories. Distances "
                    "are measured in them; categories are for the similarity itself."
                )
        self._check_places(np.column_stack([numbers[name] for name in found_names]))

    def with_columns(self, names):
        """Return the similarity with the positions of its columns."""
        positions = [find_column(entry, names) for entry in self.places]
        other = NearSimilarity(self.similarity.with_columns(names), positions, width=self.width)
        other._names = tuple(names[position] for position in positions)
        return other

    @all_or_nothing
    def fit(self, X, y=None, sample_weight=None):
        """Fit the other similarity, and keep where the training rows are."""
        check_widths(self.width)
        where = self._places_of(X)
        self._check_places(where)
        inner = clone(self.similarity)
        inner._verbose = self._verbose
        self.similarity_ = inner.fit(X, y, sample_weight)
        self.where_, self._n_train = where, len(where)
        return self

    def scores(self, X: Any) -> Any:
        """Return the scores that the other similarity gives new rows."""
        check_is_fitted(self)
        return self.similarity_.scores(X)

    def distances(self, X: Any) -> np.ndarray:
        """Return how far new rows are from all training rows.

        Parameters
        ----------
        X : array-like of shape (n_query, n_features)
            New rows.

        Returns
        -------
        ndarray of shape (n_query, n_train)
            Euclidean distances in the columns of the kernel; 0 for a row whose place is unknown.
        """
        check_is_fitted(self)
        return self._distances(self._places_of(X))

    def score_rows(self, X: np.ndarray) -> ScoreRows:
        """Return the scores of new rows, and how near they are."""
        return self._with_near(self.similarity_.score_rows(X), self._places_of(X))

    def train_rows(self, index: np.ndarray) -> ScoreRows:
        """Return the scores of training rows as if new, and how near they are."""
        return self._with_near(self.similarity_.train_rows(index), self.where_[index])

    @property
    def places(self) -> tuple[Any, ...]:
        """Columns of the kernel."""
        return tuple(as_list(self.columns))

    @property
    def widths_(self) -> tuple[float, ...]:
        """Widths to try, the widest first."""
        given = check_widths(self.width)
        return auto_widths(self.where_) if given is None else given

    @property
    def label(self) -> str:
        """Short name in tables of heads."""
        return self.similarity.label

    def label_at(self, width):
        """Return the short name with the columns and a width of the kernel."""
        names = ", ".join(self._names or map(str, self.places))
        return self.label if np.isinf(width) else f"{self.label} near {names} ({short(width)})"

    @property
    def bytes_per_query(self) -> int:
        """Upper estimate of the memory that one query's scores take."""
        return self.similarity_.bytes_per_query + 40 * self._n_train

    def check_loaded(self) -> None:
        """Raise if what came from a file has rows that are nowhere."""
        if hasattr(self, "where_"):
            shape = (self._n_train, len(self.places))
            right = self.where_.dtype == np.float64 and self.where_.shape == shape
            require(right and np.isfinite(self.where_).all(), "rows have no place")

    def _check_places(self, where: np.ndarray) -> None:
        what = " and ".join(repr(name) for name in self._names or self.places)
        if not np.isfinite(where).all():
            raise ValueError(
                f"`columns` must be known and finite in every training row, got missing or infinite values in {what}. "
                "Drop those rows."
            )
        if not np.ptp(where, axis=0).any():
            raise ValueError(
                f"`columns` must differ between rows, got the same value in every row of {what}. Choose a column that "
                "varies, or leave out the kernel."
            )

    def _places_of(self, X: Any) -> np.ndarray:
        """Return where rows are (n_rows, n_places), in units of the columns."""
        numbers = X.numbers if isinstance(X, Binned) else np.asarray(X, dtype=np.float64)
        positions = [find_column(entry, range(numbers.shape[1])) for entry in self.places]
        return np.ascontiguousarray(numbers[:, positions], dtype=np.float64)

    def _distances(self, where: np.ndarray) -> np.ndarray:
        known = np.isfinite(where).all(axis=1)
        distances = cdist(np.where(known[:, None], where, 0.0), self.where_)
        distances[~known] = 0.0
        return distances

    def _with_near(self, rows: ScoreRows, where: np.ndarray) -> ScoreRows:
        return ScoreRows(rows.indptr, rows.indices, rows.score, rows.leaf, -self._distances(where).ravel())


def as_list(columns: Any) -> list[Any]:
    """Return one column, or several of them, as a list."""
    several = list(columns) if isinstance(columns, list | tuple | np.ndarray) else [columns]
    if not several:
        raise ValueError("`columns` must name at least one column, got none. Name the column of time, or of a place.")
    return several


def find_column(entry: Any, names: Sequence[Any]) -> int:
    """Return the position of a column that is given by name or by position."""
    if isinstance(entry, int | np.integer) and not isinstance(entry, bool) and 0 <= entry < len(names):
        return int(entry)
    if isinstance(entry, str) and entry in names:
        return list(names).index(entry)
    seen = f"It sees {list(names)}" if isinstance(names, list) else f"It sees {len(names)} columns, known by position"
    raise ValueError(
        f"`columns` names {entry!r}, which the similarity does not see as a column of numbers. {seen}: see `features`."
    )


def check_widths(width: Any) -> tuple[float, ...] | None:
    """Return the widths to try, the widest first; None stands for "auto"."""
    if is_word(width, "auto"):
        return None
    hint = "It has the unit of `columns`; np.inf is no kernel."
    return tuple(sorted(check_grid("width", width, hint), reverse=True))


def auto_widths(where: np.ndarray) -> tuple[float, ...]:
    """Return no kernel, and widths by the mean distance of training rows, of some if they are many."""
    some = where[:: -(-len(where) // LOOKED_AT)]
    mean = cdist(some, some).sum() / (len(some) * (len(some) - 1))
    return (np.inf, *(float(mean * part) for part in WIDTHS))
