"""Named tuples of arrays that travel into the kernels. This file needs no numba."""

from typing import NamedTuple

import numpy as np

SOFTMAX, SHARE, LEAF = 0, 1, 2
GAUSSIAN, BINOMIAL, MULTINOMIAL, COX, POWER = 0, 1, 2, 3, 4
# A loss that no kernel knows: it is fitted by lassos of working responses.
OTHER = -1
# The code of a missing cell in binned columns.
MISSING = 255


class Table(NamedTuple):
    """Training rows and their sums under the prior weights; ``scatter`` is empty when columns outnumber rows.

    ``packed`` holds a row's features and response side by side, so that one row is one place in memory: the response in
    column ``y_column``, in the padding of the features if there is any.

    Where the prior is a sample weight times a curvature, ``inverse`` holds one over the curvatures and ``inverse_mean``
    its mean under the prior: a mean of ``inverse`` under weights with curvature is one over the mean curvature under
    those without. Otherwise it is empty.
    """

    packed: np.ndarray
    y_column: int
    y: np.ndarray
    prior: np.ndarray
    total: float
    mean: np.ndarray
    y_mean: float
    scatter: np.ndarray
    cross: np.ndarray
    y_scatter: float
    inverse: np.ndarray
    inverse_mean: float

    @property
    def x(self) -> np.ndarray:
        """Features of the rows, padding included."""
        return self.rows(slice(None))

    def rows(self, some: slice | np.ndarray) -> np.ndarray:
        """Return the features of some rows, padding included."""
        return unpack(self.packed[some], self.y_column, self.mean.size)

    def with_features(self, x: np.ndarray) -> "Table":
        """Return the table of as many rows with these features, padding included or not."""
        packed = np.zeros((len(x), self.packed.shape[1]))
        packed[:, : self.y_column], packed[:, self.y_column] = x[:, : self.y_column], self.y
        return self._replace(packed=packed)


def pack(y: np.ndarray, n_features: int, width: int) -> tuple[np.ndarray, int]:
    """Return rows with their response and room for features, then padding; and the column of the response."""
    column = n_features if width > n_features else width
    packed = np.zeros((y.size, max(width, -(-(column + 1) // 8) * 8)))
    packed[:, column] = y
    return packed, column


def unpack(packed: np.ndarray, y_column: int, width: int) -> np.ndarray:
    """Return the features of packed rows, padding included."""
    x, known = np.zeros((len(packed), width)), min(y_column, width)
    x[:, :known] = packed[:, :known]
    return x


EMPTY = np.empty(0)


class Outcome(NamedTuple):
    """Responses of the rows: 0/1, the number of a class, an event (0/1) with its time, a count or a cost.

    ``order`` sorts times. Counts and costs have a variance that is their mean to a ``power``. ``offset`` is what their
    loss, or that of 0/1, adds to the linear predictor of each row; empty if nothing. Other responses have a power
    of NaN: one type for all of them means that their fits are compiled once.
    """

    kind: int
    value: np.ndarray
    time: np.ndarray
    order: np.ndarray
    power: float = np.nan
    offset: np.ndarray = EMPTY


class Rule(NamedTuple):
    """How local fits are penalised, started and stopped; ``scale`` multiplies the penalty of each column.

    With ``weighted_scale`` the weighted standard deviation of the column does too. ``max_range`` is how far from the
    weighted mean response a head may predict, in weighted standard deviations of it. ``limits`` (2, n_columns) are the
    least and the largest coefficients, 0 between them; ``groups`` the number of each column's group, of which the norm
    is penalised. Both are None by default, and what they need is then not compiled.
    """

    scale: np.ndarray
    weighted_scale: bool
    start: np.ndarray
    tol: float
    max_iter: int
    max_range: float = np.inf
    limits: np.ndarray | None = None
    groups: np.ndarray | None = None


class ScoreRows(NamedTuple):
    """Scores of a block of queries as sparse rows; rows that are not stored have score 0.

    Empty ``indices`` mean that every query stores every training row in order; empty ``leaf`` that the similarity has
    no leaf weights. A score of ``-inf`` masks a training row. ``near`` is minus the distance of a query to every
    training row, stored or not, by which a kernel weighs them; empty if there is none.
    """

    indptr: np.ndarray
    indices: np.ndarray
    score: np.ndarray
    leaf: np.ndarray
    near: np.ndarray = EMPTY


class LeafRows(NamedTuple):
    """Training rows by leaf, how often each was drawn, the draws of each leaf, and what leaf weights are times."""

    starts: np.ndarray
    members: np.ndarray
    draws: np.ndarray
    drawn: np.ndarray
    per_weight: np.ndarray


class NearRows(NamedTuple):
    """Leaves of queries (n_query, n_tree) and of rows near them, the query of each row, ascending, and the rows."""

    leaves: np.ndarray
    moved_leaves: np.ndarray
    source: np.ndarray
    moved: np.ndarray


class Heads(NamedTuple):
    """Weightings and penalties of a grid of heads, which of them are wanted, and the share of each.

    Heads of a penalty use the first ``uses`` columns only.
    """

    kinds: np.ndarray
    temperatures: np.ndarray
    penalties: np.ndarray
    uses: np.ndarray
    wanted: np.ndarray
    shares: np.ndarray


def dense_rows(scores: np.ndarray) -> ScoreRows:
    """Return a dense matrix of scores as rows that store everything."""
    n_query, n_train = scores.shape
    indptr = np.arange(n_query + 1, dtype=np.int64) * n_train
    flat = np.ascontiguousarray(scores, dtype=np.float64).ravel()
    return ScoreRows(indptr, np.empty(0, np.int32), flat, np.empty(0))


class Growth(NamedTuple):
    """Trees as they grow, with room for the largest: nodes, sets of codes, and for each tree where its nodes begin.

    ``starts`` are where the buckets of leaves begin in ``members``, the rows, and ``draws``, how often each was drawn;
    ``every`` says whether these are all rows, or those drawn, by numbers of their own. ``inside`` (n_trees, n_rows)
    says which rows a tree drew, ``gains`` (n_trees, n_columns) what each column took off the squared error. ``ends``
    are how many nodes, sets and leaves there are.
    """

    nodes: np.ndarray
    sets: np.ndarray
    roots: np.ndarray
    starts: np.ndarray
    members: np.ndarray
    draws: np.ndarray
    inside: np.ndarray
    gains: np.ndarray
    ends: np.ndarray
    every: bool


class TreeTable(NamedTuple):
    """What trees are grown on: codes (n_columns, n_rows) of bins, whose values are ``centers`` (n_columns, 256).

    ``categories`` says which columns hold levels (None if none). ``values`` (n_rows, n_outputs) are the response in
    whole numbers, with ``weights`` (n_rows,); ``single`` stands for one output and rows that all weigh the same.
    ``unit`` is the weight of one row, ``bits`` how many of a number are squared, for exact sums. ``sums`` are running
    sums of the weights by which rows are drawn, empty if all weigh the same. Codes may be in another order than
    responses and weights: those of row ``i`` are in column ``places[i]``, and those in column ``c`` of row ``rows[c]``.
    """

    codes: np.ndarray
    centers: np.ndarray
    categories: np.ndarray | None
    values: np.ndarray
    weights: np.ndarray
    single: bool
    unit: float
    bits: int
    sums: np.ndarray
    places: np.ndarray
    rows: np.ndarray


class TreeWork(NamedTuple):
    """Working memory: drawn rows and others, room to part them, columns in order, nodes to do, bins and their order."""

    bag: np.ndarray
    others: np.ndarray
    spare: np.ndarray
    order: np.ndarray
    stack: np.ndarray
    tally: np.ndarray
    mask: np.ndarray
    levels: np.ndarray
    few: np.ndarray
    whole: np.ndarray
    members: np.ndarray


class StumpTable(NamedTuple):
    """What stumps are boosted on: codes (n_columns, n_rows) of bins, how many a column has, which hold levels.

    Of numbers with a sign, 1 or -1, steps go up or down only.
    """

    codes: np.ndarray
    categories: np.ndarray
    sizes: np.ndarray
    signs: np.ndarray


class StumpRule(NamedTuple):
    """How stumps and small trees are boosted; a step is at most ``max_step``, before the learning rate.

    A level of a category gains ``by_chance`` of the mean square by chance.
    """

    ridge: float
    min_hessian: float
    learning_rate: float
    max_step: float = np.inf
    by_chance: float = 0.0


class StumpWork(NamedTuple):
    """Working memory: bins of one column for all series, bins in order, best gains so far.

    ``hessians`` keeps those of the bins of every column, one after the other, until they are worked out anew, and
    ``inverses`` what the squared slopes of both sides of a cut after each bin are multiplied by. ``running`` holds for
    each series slope, slope on the left, gain without a cut, best gain, and the bin after which it is.
    """

    tally: np.ndarray
    hessians: np.ndarray
    inverses: np.ndarray
    running: np.ndarray
    order: np.ndarray
    best: np.ndarray
