"""A response of labels, under log loss."""

import logging
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import column_or_1d

from heedful._checks import check_classes, is_word, refuse_many_classes
from heedful._responses.protocol import Words, split_offset
from heedful._solver import Classes
from heedful.baseline import LogisticBaseline

LOG = logging.getLogger("heedful")


class Classification:
    """Labels, encoded by their place among ``classes``; what is blended are the probabilities of all classes."""

    n_encoded = 1

    estimator_type = "classifier"

    def __init__(self, classes: np.ndarray, class_weight: Any = None):
        self.classes: np.ndarray = classes
        self.class_weight = class_weight

    @classmethod
    def learn(cls, y: Any, class_weight: Any = None) -> "Classification":
        """Return the response whose classes are the labels of training rows."""
        classes, codes = check_classes(y)
        refuse_many_classes(classes.size, codes.size)
        alone = classes[np.bincount(codes) == 1]
        if alone.size:
            LOG.warning(
                "`y` has a single row of class %r: nothing is known of that class when the row is left out. "
                "Merge the class with another, or drop the row.",
                alone[0],
            )
        return cls(classes, class_weight)

    @property
    def task(self) -> str:
        """Return "binary" or "multiclass"."""
        return "binary" if self.classes.size == 2 else "multiclass"

    @property
    def words(self) -> Words:
        """Return what people call it."""
        if self.classes.size == 2:
            second = self.classes[1]
            names = (f"probability of {second}", f"log-odds of {second}", "log loss")
            return Words("two classes", *names, factor="odds ratio")
        return Words("several classes", "probability", "linear predictor", "log loss")

    @property
    def outputs(self) -> list[Any] | None:
        """Return the labels; None for two classes, which have one linear predictor."""
        return None if self.classes.size == 2 else list(self.classes)

    @property
    def n_values(self) -> int:
        """Return the number of classes."""
        return self.classes.size

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
        """Return the labels."""
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

    def family(self, encoded: np.ndarray) -> Classes:
        """Return the rows under log loss."""
        return Classes(self._codes(encoded), self.classes.size, offset=split_offset(encoded, self.n_encoded)[1])

    def strata(self, encoded: np.ndarray) -> np.ndarray:
        """Return the classes."""
        return split_offset(encoded, self.n_encoded)[0]

    def similarity_target(self, encoded: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
        """Return the places of the labels as text."""
        return self._codes(encoded).astype(str)

    def baseline(self, alpha: float | str, tol: float, n_jobs: int | None) -> LogisticBaseline:
        """Return an L1 logistic model."""
        return LogisticBaseline(alpha, classes=self.classes, tol=tol, n_jobs=n_jobs)

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
        other, own = values.T * np.exp([np.minimum(-offset, 0.0), np.minimum(offset, 0.0)])
        return np.column_stack([other, own]) / (other + own)[:, None]

    def predict(self, expected: np.ndarray) -> np.ndarray:
        """Return the label of the most probable class."""
        return self.classes[expected.argmax(axis=1)]

    def score(self, encoded: np.ndarray, values: np.ndarray, sample_weight: Any) -> float:
        """Return the accuracy."""
        found = self.expected(values, split_offset(encoded, self.n_encoded)[1]).argmax(axis=1)
        return float(accuracy_score(self._codes(encoded), found, sample_weight=sample_weight))

    def _check_offset(self, offset: np.ndarray | None) -> None:
        if offset is not None and self.classes.size > 2:
            raise ValueError(f"`offset` needs two classes, got {self.classes.size}. Leave it out.")

    def _codes(self, encoded: np.ndarray) -> np.ndarray:
        """Return the places of the classes, without offsets."""
        return split_offset(encoded, self.n_encoded)[0].astype(np.int64)


def knows_numbers(learner: Any) -> bool:
    """Return whether a learner is XGBoost's, which knows classes by number only."""
    last = learner[-1] if isinstance(learner, Pipeline) else learner
    return type(last).__module__.startswith("xgboost")
