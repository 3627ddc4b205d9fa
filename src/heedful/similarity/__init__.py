"""How alike are a query and a training row."""

from heedful.similarity._boosted import BoostedProximity
from heedful.similarity._callable import CallableSimilarity
from heedful.similarity._forest import ForestProximity
from heedful.similarity._gaussian import GaussianSimilarity
from heedful.similarity._leaf_proximity import LeafProximity, LeafScores
from heedful.similarity._past import PastSimilarity
from heedful.similarity._protocol import DenseSimilarity, Similarity, wants_residuals
from heedful.similarity._resolve import default_forests, describe, prepare, resolve
from heedful.similarity._ridge import RidgeSimilarity
from heedful.similarity._teacher import TeacherSimilarity

__all__ = [
    "BoostedProximity",
    "CallableSimilarity",
    "DenseSimilarity",
    "ForestProximity",
    "GaussianSimilarity",
    "LeafProximity",
    "LeafScores",
    "PastSimilarity",
    "RidgeSimilarity",
    "Similarity",
    "TeacherSimilarity",
    "default_forests",
    "describe",
    "prepare",
    "resolve",
    "wants_residuals",
]
