"""What people call a response, its predictions and its error."""

from typing import Any, NamedTuple


class Words(NamedTuple):
    """How people call a response, its prediction, the scale on which contributions add up, and its error.

    ``root`` says that the square root of the mean loss is what is shown, ``times`` how many times the loss: deviances
    are twice the losses that are minimised. ``factor`` is what the exponential of a contribution is called, empty where
    contributions are no logarithms; ``multiplies`` says that it multiplies the prediction itself. ``lasso`` is what its
    linear model is called, ``alone`` an estimate without columns that people compare with. ``inverse_link`` turns
    linear predictors into predictions: "identity", "exp", "logistic", "softmax", None for a way of its own.
    ``numeric`` says whether responses are numbers like predictions, ``seen`` whether a row has a response of its own
    that predictions can be compared with, ``n_classes`` how many labels there are, 0 of what has none, and ``timed``
    whether responses are events and times.
    """

    response: str
    prediction: str
    link: str
    error: str
    root: bool = False
    factor: str = ""
    multiplies: bool = False
    times: float = 1.0
    lasso: str = "lasso"
    alone: str = ""
    inverse_link: str | None = None
    numeric: bool = True
    seen: bool = True
    n_classes: int = 0
    timed: bool = False

    def measured(self, loss: Any) -> Any:
        """Return mean losses as the error that ``error`` names, in the units that people know it in."""
        return (self.times * loss) ** (0.5 if self.root else 1.0)
