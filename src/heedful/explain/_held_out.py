"""``HeldOutPredictions``: out-of-fold predictions of the training rows."""

from dataclasses import dataclass, field

import pandas as pd

from heedful._responses import Words
from heedful._show import Shown, Sketch, count
from heedful.explain._calibration import calibrate
from heedful.explain._errors import describe_error
from heedful.explain._measures import Predicted, describe_measures, other_measures


@dataclass(frozen=True, kw_only=True, repr=False)
class HeldOutPredictions(Shown):
    """Out-of-fold predictions of the training rows.

    Made by ``held_out()`` of an estimator; tables are indexed like the training rows.

    Parameters
    ----------
    y : DataFrame
        The response.
    prediction, baseline_prediction : Series or DataFrame
        Predictions of the model and of the global model, as in ``explain``: the probability of the second class for
        binary, one column per class for multiclass classification; log hazards for survival.
    weight : Series
        Sample weights.
    error : Series
        ``held_out_error_`` of the estimator.
    mixing : float
        Its ``mixing_``.
    task : str
        Kind of response.
    words : Words
        Names of the response and of its error.
    rival : str
        Name of the global model.
    predicted : Predicted
        The same as arrays.
    offset : Series or None, default=None
        Logarithms of exposures.

    Examples
    --------
    >>> from heedful import AttentionCox
    >>> from heedful.datasets import make_survival
    >>> table = make_survival(200, 6, random_state=0)
    >>> held_out = AttentionCox(random_state=0).fit(table.X, table.y).held_out()
    >>> list(held_out.measures().index)
    ['concordance']
    >>> held_out.calibration(4, time=0.5)["rows"].tolist()
    [50, 50, 50, 50]
    """

    y: pd.DataFrame
    prediction: pd.Series | pd.DataFrame
    baseline_prediction: pd.Series | pd.DataFrame
    weight: pd.Series
    error: pd.Series
    mixing: float
    task: str
    words: Words
    rival: str
    predicted: Predicted = field(repr=False)
    offset: pd.Series | None = None

    @property
    def index(self) -> pd.Index:
        """Labels of the training rows."""
        return self.y.index

    def measures(self) -> pd.DataFrame:
        """Return measures other than the error.

        Returns
        -------
        DataFrame
            By measure, ``attention`` and ``baseline``: accuracy for classification, for binary also the Brier score;
            Harrell's concordance index for survival.
        """
        measures = other_measures(self.predicted)
        columns = {"attention": [part.own for part in measures], "baseline": [part.plain for part in measures]}
        return pd.DataFrame(columns, pd.Index([part.name for part in measures], name="measure"))

    def calibration(self, n_bins: int = 10, *, time: float | None = None) -> pd.DataFrame:
        """Return predicted and observed responses in bins.

        Parameters
        ----------
        n_bins : int, default=10
            Number of bins, with about the same number of rows.
        time : float, default=None
            Time at which survival is compared; None uses the median event time.

        Returns
        -------
        DataFrame
            As of :meth:`heedful.explain.Explanation.calibration`.
        """
        return calibrate(self.predicted, n_bins, time)

    def say(self) -> str:
        """Describe how good the predictions are in a sentence.

        Returns
        -------
        str
            Both errors, which of them is lower, and the other measures.
        """
        return "; ".join([describe_error(self.error, self.mixing, self.rival), *map(" ".join, self._facts())])

    def _facts(self) -> list[tuple[str, str]]:
        return describe_measures(self.predicted, self.rival)

    def _sketch(self) -> Sketch:
        facts = [("error", describe_error(self.error, self.mixing, self.rival)), *self._facts()]
        return Sketch(f"Held-out predictions of {count(len(self.y), 'training row')}", facts, "Look at calibration()")
