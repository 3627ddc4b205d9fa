"""Similarity of a query and a training row."""

from heedful.similarity._boosted import BoostedProximity
from heedful.similarity._callable import CallableSimilarity
from heedful.similarity._forest import ForestProximity
from heedful.similarity._gaussian import GaussianSimilarity
from heedful.similarity._leaf_proximity import LeafProximity as LeafProximity, LeafScores as LeafScores
from heedful.similarity._near import NearSimilarity
from heedful.similarity._own_forest import OwnForest as OwnForest
from heedful.similarity._past import PastSimilarity
from heedful.similarity._protocol import Similarity, refit as refit, target_of as target_of
from heedful.similarity._resolve import NAMES as NAMES, default_forests, resolve as resolve
from heedful.similarity._ridge import RidgeSimilarity
from heedful.similarity._teacher import TeacherSimilarity

__all__ = [
    "BoostedProximity",
    "CallableSimilarity",
    "ForestProximity",
    "GaussianSimilarity",
    "NearSimilarity",
    "PastSimilarity",
    "RidgeSimilarity",
    "Similarity",
    "TeacherSimilarity",
    "default_forests",
]
