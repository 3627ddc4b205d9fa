"""A response of labels, under log loss."""

import logging
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import column_or_1d

from heedful._checks import check_classes, is_word, refuse_many_classes
from heedful._kernels.shapes import BINOMIAL, MULTINOMIAL, Outcome
from heedful._responses.encoding import split_offset
from heedful._responses.response import FLAT, SMOOTH, Losses, Response, like_rows
from heedful._responses.softmax import largest_eigenvalue, softmax
from heedful._responses.words import Words

LOG = logging.getLogger("heedful")
# The level of two classes with offsets takes so many Newton steps, each with the curvature of all rows.
NULL_STEPS = 25


class Classification(Response):
    """Labels, encoded by their place among ``classes``; what is blended are the probabilities of all classes.

    Two classes have one output, the log-odds of the second, unless they are to be treated as alike (``symmetric``).
    Only then may rows have an ``offset``, which their loss adds to it; what is blended are probabilities without it.
    """

    estimator_type = "classifier"
    suits_learners = True
    classes: np.ndarray

    def __init__(self, classes: np.ndarray, class_weight: Any = None, *, symmetric: bool = False):
        self.classes, self.class_weight, self.symmetric = classes, class_weight, symmetric
        self.n_values = classes.size
        self.n_outputs = 1 if classes.size == 2 and not symmetric else classes.size
        self.outputs = None if classes.size == 2 else list(classes)

    @classmethod
    def learn(cls, y: Any, class_weight: Any = None) -> "Classification":
        """Return the response whose classes are the labels of training rows."""
        classes, codes = check_classes(y)
        refuse_many_classes(classes.size, codes.size)
        alone = classes[np.bincount(codes) == 1]
        if alone.size:
            LOG.warning(
                "`y` has a single row of class %r, so the class is unknown when the row is left out. "
                "Merge the class with another, or drop the row.",
                alone[0],
            )
        return cls(classes, class_weight)

    @property
    def task(self) -> str:
        return "binary" if self.classes.size == 2 else "multiclass"

    @property
    def words(self) -> Words:
        if self.classes.size == 2:
            second = self.classes[1]
            names = ("binary", f"probability of {second}", f"log-odds of {second}", "log loss")
            return Words(*names, factor="odds ratio", inverse_link="logistic", numeric=False, n_classes=2)
        names = ("multiclass", "probability", "linear predictor", "log loss")
        return Words(*names, inverse_link="softmax", numeric=False, n_classes=self.classes.size)

    def encode(self, y: Any) -> np.ndarray:
        """Return the places of labels among the classes; raise for a label that is none of them."""
        labels = column_or_1d(y, warn=True)
        known = {label: code for code, label in enumerate(self.classes.tolist())}
        codes = np.array([known.get(label, -1) for label in labels.tolist()], dtype=np.int64)
        if (codes < 0).any():
            unknown = sorted({str(label) for label in labels[codes < 0].tolist()})
            raise ValueError(
                f"`y` must hold labels that the model knows, {self.classes[:10].tolist()}, got "
                f"{', '.join(unknown[:5])}. Drop those rows or fit again."
            )
        return codes.astype(np.float64)

    def decode(self, encoded: np.ndarray) -> np.ndarray:
        return self.classes[self._codes(encoded)]

    def reweigh(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return sample weights times class weights; rows of two classes at least must have any."""
        self._check_offset(split_offset(encoded, self.n_encoded)[1])
        codes = self._codes(encoded)
        if is_word(self.class_weight, "balanced"):
            # classes of equal weight in all; scikit-learn would count rows, whatever they weigh
            mass = np.bincount(codes, weights=sample_weight, minlength=self.classes.size)
            weight = sample_weight * sample_weight.sum() / (np.maximum(mass, 1e-300)[codes] * np.count_nonzero(mass))
        else:
            weight = sample_weight * compute_sample_weight(self.class_weight, self.decode(encoded))
        present = np.bincount(codes, weights=weight, minlength=self.classes.size) > 0
        if present.sum() < 2:
            raise ValueError(
                "`sample_weight` and `class_weight` leave rows of one class only: give rows of at least 2 classes a "
                "positive weight."
            )
        return weight

    def strata(self, encoded: np.ndarray) -> np.ndarray:
        return split_offset(encoded, self.n_encoded)[0]

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the places of the labels as text."""
        return self._codes(encoded).astype(str)

    def learner_target(self, learner: Any, encoded: np.ndarray) -> np.ndarray:
        """Return the labels, or their places for a learner that knows classes by number only."""
        return self._codes(encoded) if knows_numbers(learner) else self.decode(encoded)

    def learner_values(self, model: Any, X: Any) -> np.ndarray:
        """Return the probabilities of all classes; one that the learner has not seen gets 0."""
        chance = np.zeros((X.shape[0], self.classes.size))
        known = np.asarray(model.classes_)
        places = known.astype(np.int64) if knows_numbers(model) else np.searchsorted(self.classes, known)
        chance[:, places] = model.predict_proba(X)
        return chance

    def expected(self, values: np.ndarray, offset: np.ndarray | None = None) -> np.ndarray:
        """Return the probabilities; an offset is added to the log-odds of the second of two classes."""
        self._check_offset(offset)
        if offset is None:
            return values
        # the sum of two terms whose larger one is 1: neither overflows
        first, second = values.T * np.exp([np.minimum(-offset, 0.0), np.minimum(offset, 0.0)])
        return np.column_stack([first, second]) / (first + second)[:, None]

    def predict(self, expected: np.ndarray) -> np.ndarray:
        return self.classes[expected.argmax(axis=1)]

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        predicted = self.expected(values, split_offset(encoded, self.n_encoded)[1]).argmax(axis=1)
        return float(accuracy_score(self._codes(encoded), predicted, sample_weight=sample_weight))

    def _check_offset(self, offset: np.ndarray | None) -> None:
        if offset is not None and self.classes.size > 2:
            raise ValueError(f"`offset` needs two classes, got {self.classes.size}. Leave it out.")

    def _codes(self, encoded: np.ndarray) -> np.ndarray:
        """Return the places of the classes, without offsets."""
        return split_offset(encoded, self.n_encoded)[0].astype(np.int64)

    def with_rows(self, encoded: np.ndarray) -> Self:
        rows = super().with_rows(encoded)
        rows.y = rows.y.astype(np.int64)
        return rows

    @property
    def outcome(self) -> Outcome:
        kind = BINOMIAL if self.n_outputs == 1 else MULTINOMIAL
        offset = np.empty(0) if self.offset is None else self.offset
        return Outcome(kind, self.y.astype(np.float64), np.empty(0), np.arange(self.y.size), offset=offset)

    def null_link(self, weight: np.ndarray) -> np.ndarray:
        """Return the log-odds of the class shares, or their centred logarithms."""
        share = np.average(self.means(), axis=0, weights=weight)
        link = self.mean_link(share, share)
        if self.offset is not None:
            for _ in range(NULL_STEPS):
                rows = np.tile(link, (self.y.size, 1))
                link = link + weight @ self.residual(rows, weight) / (weight @ self.hessian(rows, weight))
        return link

    def residual(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return self._outputs(np.eye(self.n_values))[self.y] - self._outputs(self.values(self._shifted(link)))

    def hessian(self, link: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return p (1 - p), times what makes it a bound for all classes together.

        The curvature of a softmax is not diagonal. The largest eigenvalue of ``V^-1/2 (diag(p) - pp') V^-1/2``, with V
        the diagonal ``p (1 - p)``, is 2 for two classes and close to 1 for many equal ones.
        """
        chance = np.clip(self.values(self._shifted(link)), 1e-6, 1.0 - 1e-6)
        bend = np.maximum(chance * (1.0 - chance), FLAT)
        if self.n_outputs == 1:
            return bend[:, 1:]
        return bend * largest_eigenvalue(1.0 / (1.0 - chance), chance / (1.0 - chance))[:, None]

    def means(self) -> np.ndarray:
        """Return one 0/1 column per output; with offsets another of the probabilities that these alone would give."""
        happened = self._outputs(np.eye(self.n_values))[self.y]
        if self.offset is None:
            return happened
        return np.column_stack([happened, self._outputs(self.values(self.offset[:, None]))])

    def mean_link(self, means: np.ndarray, overall: np.ndarray) -> np.ndarray:
        """Return the link of class shares, moved a little towards the overall ones so that none is 0 or 1."""
        share = (1.0 - SMOOTH) * means + SMOOTH * overall
        if self.n_outputs == 1:
            odds = np.log(share) - np.log1p(-share)
            return odds if self.offset is None else odds[..., :1] - odds[..., 1:]
        logarithm = np.log(np.maximum(share, 1e-12))
        return logarithm - logarithm.mean(axis=-1, keepdims=True)

    def values(self, link: np.ndarray) -> np.ndarray:
        """Return the probabilities of all classes, none of which is 0 or 1."""
        return softmax(link)

    def link_of(self, values: np.ndarray) -> np.ndarray:
        logarithm = np.log(np.clip(values, 1e-15, None))
        if self.n_outputs == 1:
            return logarithm[..., 1:] - logarithm[..., :1]
        return logarithm - logarithm.mean(axis=-1, keepdims=True)

    def observed(self, values: np.ndarray) -> np.ndarray:
        index = self.y.reshape(-1, *([1] * (values.ndim - 1)))
        return np.take_along_axis(values, index, axis=-1)[..., 0]

    def values_of(self, observed: np.ndarray) -> np.ndarray:
        second = np.where(self.y == 1, observed, 1.0 - observed)
        return np.column_stack([1.0 - second, second])

    def losses(self, observed: np.ndarray) -> Losses:
        chance = np.maximum(observed, 1e-15)
        if self.offset is None:
            return Losses(-np.log(chance), -1.0 / chance, chance**-2.0)
        # odds are multiplied by what an offset is the logarithm of, towards the class that was observed
        odds = np.exp(like_rows(np.where(self.y == 1, self.offset, -self.offset), observed))
        total = 1.0 - chance + chance * odds
        slope = (odds - 1.0) / total
        curve = np.maximum(chance**-2.0 - slope**2, FLAT)
        return Losses(np.log(total) - np.log(chance * odds), slope - 1.0 / chance, curve)

    def losses_of_others(self, observed: np.ndarray) -> np.ndarray:
        """Return minus log probabilities of all other classes together."""
        if self.n_outputs == 1:
            other = copy(self)
            other.y = 1 - self.y
            return other.losses(1.0 - observed).value
        return -np.log(np.maximum(1.0 - observed, 1e-15))

    def shift_columns(self, base: np.ndarray) -> np.ndarray:
        """Return classes as 0/1 columns, and their probabilities."""
        return np.hstack([np.eye(self.n_values)[self.y], base])

    def _shifted(self, link: np.ndarray) -> np.ndarray:
        """Return the linear predictor that the loss looks at."""
        return link if self.offset is None else link + self.offset[:, None]

    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        """Return the class columns that have an output."""
        return columns[..., 1:] if self.n_outputs == 1 else columns


def knows_numbers(learner: Any) -> bool:
    """Return whether a learner is XGBoost's, which knows classes by number only."""
    last = learner[-1] if isinstance(learner, Pipeline) else learner
    return type(last).__module__.startswith("xgboost")
