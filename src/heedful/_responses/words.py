"""Names of a response, its predictions and its error."""

from typing import Any, NamedTuple


class Words(NamedTuple):
    """Names of a response, its prediction, the scale on which contributions add up, and its error.

    With ``root`` the square root of the mean loss is shown; ``times`` multiplies the loss, as deviances are twice the
    minimised losses. ``factor`` is the name of the exponential of a contribution, empty if contributions are not
    logarithms; ``multiplies`` says that it multiplies the prediction itself. ``lasso`` is the name of the linear model,
    ``alone`` that of the usual null model without columns. ``inverse_link`` turns
    linear predictors into predictions: "identity", "exp", "logistic", "softmax", None for any other function.
    ``numeric`` says whether responses are numbers like predictions, ``seen`` whether responses are observed, so that
    predictions can be compared with them, ``n_classes`` the number of labels, 0 without classes, and ``timed`` whether
    responses are events and times.
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
