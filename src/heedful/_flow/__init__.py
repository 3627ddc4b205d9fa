"""The flow from a training table to a fitted attention model, and from queries to their predictions."""

from heedful._flow.centred import centre_outputs
from heedful._flow.fit import Seeds, fit_global, fit_heads
from heedful._flow.fitted import FittedAttention
from heedful._flow.guard import mean_gain
from heedful._flow.held_out import HeldOutValues
from heedful._flow.kinds import (
    Anchor,
    BlockFits,
    FittedModels,
    HeldOut,
    LinearRows,
    ModelKind,
    Problem,
    Run,
    ScoredRows,
    ScoresOf,
    Variants,
    View,
    rows_to_try,
)
from heedful._flow.predict import BlockPrediction, Prediction, QueryBatch, Wanted, known_attention
from heedful._flow.rows import CodedRows
from heedful._flow.settings import (
    Settings,
    check_features,
    check_learner,
    check_mixing,
    check_settings,
    check_similarity,
    check_temperature,
    warn_of_lags,
)
from heedful._flow.shares import OutOfFold
from heedful._flow.similarities import check_columns
from heedful._flow.table import Columns, GivenRows, TrainingTable, as_frame, fill_missing
from heedful._flow.tune import Tuned

__all__ = [
    "Anchor",
    "BlockFits",
    "BlockPrediction",
    "CodedRows",
    "Columns",
    "FittedAttention",
    "FittedModels",
    "GivenRows",
    "HeldOut",
    "HeldOutValues",
    "LinearRows",
    "ModelKind",
    "OutOfFold",
    "Prediction",
    "Problem",
    "QueryBatch",
    "Run",
    "ScoredRows",
    "ScoresOf",
    "Seeds",
    "Settings",
    "TrainingTable",
    "Tuned",
    "Variants",
    "View",
    "Wanted",
    "as_frame",
    "centre_outputs",
    "check_columns",
    "check_features",
    "check_learner",
    "check_mixing",
    "check_settings",
    "check_similarity",
    "check_temperature",
    "fill_missing",
    "fit_global",
    "fit_heads",
    "known_attention",
    "mean_gain",
    "rows_to_try",
    "warn_of_lags",
]
