"""The flow from a training table to a fitted attention model, and from queries to their predictions."""

from heedful._flow.fit import Seeds as Seeds, fit_global as fit_global, fit_heads as fit_heads
from heedful._flow.fitted import FittedAttention as FittedAttention
from heedful._flow.guard import mean_gain as mean_gain
from heedful._flow.held_out import HeldOutValues as HeldOutValues
from heedful._flow.kinds import (
    Anchor as Anchor,
    BlockFits as BlockFits,
    FittedModels as FittedModels,
    HeldOut as HeldOut,
    LinearRows as LinearRows,
    ModelKind as ModelKind,
    Problem as Problem,
    Run as Run,
    ScoredRows as ScoredRows,
    ScoresOf as ScoresOf,
    Variants as Variants,
    View as View,
    rows_to_try as rows_to_try,
)
from heedful._flow.predict import (
    BlockPrediction as BlockPrediction,
    Prediction as Prediction,
    QueryBatch as QueryBatch,
    Wanted as Wanted,
    centre_outputs as centre_outputs,
    known_attention as known_attention,
)
from heedful._flow.rows import CodedRows as CodedRows
from heedful._flow.settings import (
    Settings as Settings,
    check_features as check_features,
    check_learner as check_learner,
    check_mixing as check_mixing,
    check_settings as check_settings,
    check_similarity as check_similarity,
    check_temperature as check_temperature,
    warn_of_lags as warn_of_lags,
)
from heedful._flow.shares import OutOfFold as OutOfFold
from heedful._flow.similarities import check_columns as check_columns
from heedful._flow.table import (
    Columns as Columns,
    GivenRows as GivenRows,
    TrainingTable as TrainingTable,
    as_frame as as_frame,
    fill_missing as fill_missing,
)
from heedful._flow.tune import Tuned as Tuned
