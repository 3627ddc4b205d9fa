"""How alike are a query and a training row."""

from heedful.similarity._boosted import BoostedProximity
from heedful.similarity._callable import CallableSimilarity
from heedful.similarity._forest import ForestProximity
from heedful.similarity._gaussian import GaussianSimilarity
from heedful.similarity._leaf_proximity import LeafProximity, LeafScores
from heedful.similarity._past import PastSimilarity
from heedful.similarity._protocol import Similarity, refit, wants_residuals
from heedful.similarity._resolve import default_forests, resolve
from heedful.similarity._ridge import RidgeSimilarity
from heedful.similarity._teacher import TeacherSimilarity

__all__ = [
    "BoostedProximity",
    "CallableSimilarity",
    "ForestProximity",
    "GaussianSimilarity",
    "LeafProximity",
    "LeafScores",
    "PastSimilarity",
    "RidgeSimilarity",
    "Similarity",
    "TeacherSimilarity",
    "default_forests",
    "refit",
    "resolve",
    "wants_residuals",
]
