"""What a kind of local models offers: settings to fit, the fitted models, and problems under weights."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import pandas as pd

from heedful._flow.table import TrainingTable
from heedful._folds import Split
from heedful._kernels.shapes import LeafRows, NearRows, ScoreRows, Table
from heedful._responses import Response
from heedful._trees import Binned
from heedful.attention import Weighting
from heedful.similarity import Similarity


class Run(NamedTuple):
    """How work is done: in how many threads, and whether it shows."""

    n_jobs: int | None = None
    verbose: int = 0


class Variants(NamedTuple):
    """What heads of one weighting differ in: the ratio of the local penalty, and whether they use shapes.

    Ratios descend, first those without shapes and then those with them.
    """

    ratios: np.ndarray
    shaped: np.ndarray

    @property
    def size(self) -> int:
        return self.ratios.size


class BlockFits(NamedTuple):
    """Local models of a block of queries.

    ``values`` (n_query, n_weighting, n_variant, n_values) are what each head predicts; ``coef`` (n_query, n_outputs,
    n_features) is blended by share; ``failed`` counts fits that did not converge; ``models`` holds fitted learners if
    they are kept.
    """

    values: np.ndarray
    coef: np.ndarray
    failed: int = 0
    models: tuple[Any, ...] = ()


class Anchor(NamedTuple):
    """A teacher's predictions of a block of queries, on the scale of the table, and their ``weight``.

    Each is one more row of a local fit, of weight ``weight / sqrt(n_eff)`` beside the others, which sum to one.
    """

    prediction: np.ndarray
    weight: float


class HeldOut(NamedTuple):
    """Training rows ``number``, as local models take them in ``x``, and a problem that has not seen their response."""

    problem: "Problem"
    x: Any
    number: np.ndarray


class Problem(Protocol):
    """Local models to fit: training rows with their response, and a way to fit them under any weights."""

    @property
    def family(self) -> Response:
        """Return the training rows with their loss."""

    @property
    def weight(self) -> np.ndarray:
        """Return their sample weights."""

    @property
    def largest_block(self) -> int:
        """Return how many queries to fit at a time at most."""

    def fit(
        self,
        rows: ScoreRows,
        x: Any,
        weightings: list[Weighting],
        wanted: np.ndarray,
        shares: np.ndarray,
        anchor: Anchor | None,
    ) -> BlockFits:
        """Fit the wanted heads (n_weighting, n_variant) of a block of queries."""

    def held_out(self, splits: list[Split]) -> Iterable[HeldOut]:
        """Return the training rows to try heads on, with problems that leave out no more than they must.

        The row itself is masked in the weights.
        """

    def fold(self, number: int, split: Split) -> HeldOut:
        """Return the problem of one fold's training part, and the rows of its other part to try heads on."""


@runtime_checkable
class NearProblem(Problem, Protocol):
    """Local models that can predict rows near a query from the query's own fits."""

    def fits_near(self) -> bool:
        """Return whether they can as they are set."""

    def fit_near(self, rows: NearRows, forest: LeafRows, weightings: list[Weighting], wanted: np.ndarray) -> np.ndarray:
        """Return what the wanted heads predict of rows near queries (n_moved, n_weighting, n_variant, n_values)."""


class LinearRows(NamedTuple):
    """Training rows of linear models: a table with the working response of each output, in units of their own.

    A coefficient per original unit of a column times ``unit`` (n_names,) is one of these tables.
    """

    tables: tuple[Table, ...]
    unit: np.ndarray


class ScoredRows(NamedTuple):
    """Scores of some training rows by one similarity, and a way to weigh them."""

    scores: ScoreRows
    weighting: Weighting


# From numbers of training rows to their scores of all training rows, by one similarity after the other.
ScoresOf: TypeAlias = Callable[[np.ndarray], Iterable[ScoredRows]]


class View(NamedTuple):
    """Queries read once: their ``codes``, as numbers to show (``design``) and as local models take them (``x``).

    ``base`` (n_query, n_values) is what the global model predicts, ``additive`` and ``smooth`` what an additive and a
    smooth model do, if there are any. ``leaves`` are those of a model that is kept, where similarities look at them;
    ``bins`` those that an additive model has looked at, where similarities see the same columns.
    """

    codes: np.ndarray
    design: np.ndarray
    x: Any
    base: np.ndarray
    leaves: np.ndarray = np.empty((0, 0), np.int32)
    additive: np.ndarray | None = None
    smooth: np.ndarray | None = None
    bins: Binned | None = None


class AdditiveModel(Protocol):
    """One curve for each column, on the scale of the linear predictor."""

    @property
    def start(self) -> np.ndarray:
        """Return the means of the linear predictors (n_outputs,) over the training rows."""


class SmoothModel(Protocol):
    """A smooth function of all columns that is added to the linear predictor."""

    @property
    def level(self) -> np.ndarray:
        """Return what is added everywhere (n_outputs,)."""

    @property
    def slope(self) -> np.ndarray:
        """Return the typical slope of each column (n_columns,)."""

    def added(self, x: np.ndarray) -> np.ndarray:
        """Return what is added to the linear predictors of rows (n_rows, n_outputs)."""


class FittedModels:
    """The global model of a kind of local models, fitted to a table, and what turns into local models under weights.

    A kind overrides what is not so for it. ``baseline`` is the global model as users see it, ``linear`` whether
    coefficients are slopes (else they are importances), ``names`` the columns they belong to, ``coef`` (n_outputs,
    n_features) and ``intercept`` those of the global model.
    """

    linear: bool = False
    baseline: Any
    names: list[str]
    coef: np.ndarray
    intercept: np.ndarray | None = None
    shapes: AdditiveModel | None = None
    smooth: SmoothModel | None = None
    # whether coefficients are slopes of the table's own columns, or of their levels
    by_column: bool = False
    # whether the global model was handed in fitted, and reads tables by itself
    given: bool = False
    # whether one local model takes so long that few can be asked for
    slow: bool = False
    # whether a query attends to rows by the best head even where no head is used
    attends_when_idle: bool = False
    # what people call the global model, and what the mixing is a share of
    rival: str = "one model for all rows"
    share: str = "of each prediction comes from local models"

    @property
    def local_name(self) -> str:
        """Kind of the local models, to label their coefficients."""
        return "models of weighted rows"

    def __init__(self, rows: TrainingTable, response: Response):
        self.rows, self.response = rows, response

    def make_problem(self, variants: Variants, fixed: bool, seed: np.random.RandomState) -> Problem:
        """Return the local models to fit; if all is ``fixed``, heads are not tried on rows that are left out."""
        raise NotImplementedError

    def narrow(self, problem: Problem, splits: list[Split], looks: ScoresOf) -> Problem:
        """Return the local models to fit of a table with so many columns that they cannot all be used."""
        return problem

    def view(self, table: pd.DataFrame | np.ndarray) -> View:
        """Return a checked table of queries as the models take it."""
        return self.view_of(self.rows.read(table), self.given_rows(table))

    def view_of(self, codes: np.ndarray, given: Any) -> View:
        """Return rows that were read as the models take them; ``given`` are those rows as ``given_rows`` has them."""
        raise NotImplementedError

    def given_rows(self, table: pd.DataFrame | np.ndarray) -> Any:
        """Return the columns that the models want as they were given; None if codes are all they want."""
        return None

    @property
    def given_columns(self) -> np.ndarray:
        """Positions of these columns in the table."""
        return self.rows.model_columns

    def train_codes(self) -> np.ndarray:
        """Return the training rows as codes of all columns."""
        return self.rows.codes

    def train_given(self, problem: Problem) -> Any:
        """Return the training rows as ``given_rows`` has them; local models may be those that keep them."""
        return None

    def base_values(self, table: pd.DataFrame | np.ndarray) -> np.ndarray:
        """Return what the global model alone predicts of queries."""
        return self.view(table).base

    def left_out(self, problem: Problem, out_of_bag: bool, run: Run) -> np.ndarray:
        """Return what global models that did not see a training row predict of it; NaN where there is none.

        Out of bag each row is left out on its own, otherwise by the folds.
        """
        raise NotImplementedError

    def others_left_out(self) -> dict[str, np.ndarray]:
        """Return what other global models that did not see a training row predict of it, by their names."""
        return {}

    def finish(self) -> None:
        """Free what was needed only to fit."""

    def shape_parts(self, codes: np.ndarray) -> np.ndarray:
        """Return what each column of the table adds in the additive model (n_rows, n_columns, n_outputs)."""
        raise NotImplementedError

    def curves(self, share: np.ndarray) -> pd.DataFrame:
        """Return the curves of the additive model as a table, and what they add by shares of them."""
        raise NotImplementedError

    def to_predict(self, problem: Problem, keep_models: bool = False) -> Problem:
        """Return the local models to fit in ``predict``, where it is asked for with the fitted learners kept."""
        return problem

    def train_design(self) -> np.ndarray:
        """Return the training rows as numbers to show."""
        return self.rows.filled_rows()

    def train_view(self) -> View:
        """Return the training rows as similarities see them."""
        nothing = np.empty((0, 0))
        return View(self.rows.codes, nothing, nothing, nothing)

    def seen(self, view: View, takes: Sequence[str]) -> list[Any]:
        """Return rows as similarities see them that take these; those that take the same share them."""
        known = {"leaves": view.leaves, "bins": view.bins if self.rows.sees_model_bins else None}
        seen = {kind: self.rows.seen_rows(view.codes, kind) for kind in set(takes) if known.get(kind) is None}
        return [(known | seen)[kind] for kind in takes]

    def design(self, table: pd.DataFrame | np.ndarray, view: View) -> np.ndarray:
        """Return queries as numbers to show, missing ones as the models see them."""
        return view.design

    def similarity_target(self) -> np.ndarray:
        """Return what similarities are fitted to."""
        return self.response.similarity_target(self.rows.y, self.rows.weight)

    def train_frame(self) -> pd.DataFrame:
        """Return the response of the training rows as it was given, to show beside attention."""
        return self.rows.response

    def residuals(self) -> np.ndarray:
        """Return the out-of-fold residuals of a global model."""
        raise NotImplementedError

    def scores(self) -> Any:
        """Return minus the slopes of each training row's loss by the coefficients of a global model, as an array does.

        Rows and columns may be made as they are asked for.
        """
        raise NotImplementedError

    def anchor_weights(self, similarities: Sequence[Similarity]) -> list[float]:
        """Return the weight of a teacher's prediction in the fit of a query; 0 without an anchor."""
        return [0.0] * len(similarities)

    def original(self, coef: np.ndarray) -> np.ndarray:
        """Return coefficients as heads give them per original unit of a column."""
        return coef

    def linear_rows(self, problem: Problem) -> LinearRows | None:
        """Return the training rows of linear models, for least squares around a query; None for other models."""
        return None

    def shrink(self, share: np.ndarray) -> np.ndarray:
        """Return the shares of heads after the guard, as they are used."""
        return share


class ModelKind(Protocol):
    """A kind of local models with its settings, not fitted.

    ``few_heads`` says that one local model is expensive. ``anchors`` and ``has_residuals`` say what similarities may
    ask for.
    """

    few_heads: bool
    anchors: bool
    has_residuals: bool

    @property
    def keeps_table(self) -> bool:
        """Return whether the models take the table as it was given; otherwise they get categories as numbers."""

    def fit(self, rows: TrainingTable, response: Response, splits: list[Split], run: Run) -> FittedModels:
        """Fit the global model."""


def rows_to_try(tuning_rows: int | None, n_rows: int, seed: np.random.RandomState) -> np.ndarray:
    """Return the rows on which heads are tried: all, or as many as asked for, drawn at random."""
    if tuning_rows is None or tuning_rows >= n_rows:
        return np.arange(n_rows)
    return np.sort(seed.choice(n_rows, int(tuning_rows), replace=False))
