"""``local_lasso``: the bare solver, one weighted lasso per row of weights."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from heedful import _blocks
from heedful._checks import check_choice, check_classes, check_number, check_offset, check_positive, check_response
from heedful._responses import POWERS, Classification, CountsOrCosts, Regression, Response, SurvivalTimes, with_offset
from heedful._solver.constraints import check_outputs, make_rule, read_constraints
from heedful._solver.paths import fit_paths, no_model, warn_unconverged
from heedful._solver.table import build_table, measure
from heedful._solver.weights import read_weights, whole_table

COST_FAMILIES = (*POWERS, "tweedie")
FAMILIES = ("gaussian", "binomial", "multinomial", "cox", *COST_FAMILIES)
WITH_OFFSET = ("binomial", *COST_FAMILIES)


class LocalFits(NamedTuple):
    """One fitted model per query: ``intercept_`` and ``coef_``, queries first, features last.

    With family multinomial there is a class axis before the features. ``classes_`` are the sorted labels of a
    classification response.
    """

    intercept_: np.ndarray
    coef_: np.ndarray
    classes_: np.ndarray | None = None


def local_lasso(
    X: Any,
    y: Any,
    weights: Any,
    *,
    alpha: float,
    family: str = "gaussian",
    power: float = 1.5,
    offset: Any = None,
    standardize: str | bool = "global",
    penalty_factor: Any = None,
    limits: Any = None,
    groups: Any = None,
    tol: float = 1e-7,
    max_iter: int = 10_000,
    n_jobs: int | None = -1,
) -> LocalFits:
    """Fit one weighted lasso per row of ``weights``.

    Each fit minimises the weighted mean loss plus ``alpha`` times the L1 norm of the scaled coefficients, with a free
    intercept: glmnet's objective. A column without weighted variance gets coefficient 0. Losses other than the squared
    error are minimised by Newton steps to convergence. If all n rows of a fit have the same class, it predicts this
    class with a probability of about 1 - 1 / (2 n).

    Parameters
    ----------
    X : array-like of shape (n_train, n_features)
        Training rows.
    y : array-like of shape (n_train,)
        Response: numeric, labels, or for family cox a structured array or frame with event and time.
    weights : array-like, sparse matrix or Attention of shape (n_query, n_train)
        One row per fit, not negative; each row is normalised to sum to one.
    alpha : float
        Penalty. Larger gives fewer non-zero coefficients; infinity gives the weighted mean.
    family : {"gaussian", "binomial", "multinomial", "cox", "poisson", "gamma", "tweedie"}, default="gaussian"
        Loss: half the squared error, the negative log likelihood of two or more classes, the negative log partial
        likelihood (Breslow's ties, weights also in the risk sets), or half the deviance of counts and costs with a log
        link.
    power : float, default=1.5
        With family tweedie, the variance power, from 1 (counts) to 2 (costs > 0).
    offset : array-like of shape (n_train,), default=None
        Added to the linear predictor of each row, such as the logarithm of its exposure. For families binomial,
        poisson, gamma and tweedie. Coefficients and intercept are for rows with offset 0.
    standardize : {"global", "weighted"} or False, default="global"
        Scale of the penalised coefficients: columns divided once by their unweighted standard deviation, by their
        weighted one in each fit (glmnet's rule), or not at all.
    penalty_factor : array-like of shape (n_features,), default=None
        Factors of the penalty of each column; 0 means no penalty. As in glmnet, factors are divided by their mean, so
        only their ratios matter.
    limits : pair of float or array-like, or list of {"+", "-", None}, default=None
        Lower and upper limits of the coefficients on the original scale, lower <= 0 <= upper, for all columns or for
        each; or signs. Not with family multinomial.
    groups : array-like of shape (n_features,), default=None
        Labels of groups of columns for the group lasso: the penalty is the norm of each group's scaled coefficients
        times the root of the group size. Not with limits or family multinomial.
    tol : float, default=1e-7
        A fit ends when a sweep over all coefficients moves no fitted value by more than ``tol`` standard deviations
        of the response, or a Newton step no scaled coefficient by more than ``tol``.
    max_iter : int, default=10000
        Largest number of sweeps, and of Newton steps, per fit.
    n_jobs : int, default=-1
        Threads; -1 uses all cores. Results do not depend on it.

    Returns
    -------
    LocalFits
        ``intercept_`` (n_query,) and ``coef_`` (n_query, n_features) on the original scale of the columns. Family
        multinomial has a class axis after the queries; Cox models have intercept 0.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(6.0)[:, None]
    >>> y = np.where(x[:, 0] < 3, x[:, 0], 10 - 2 * x[:, 0])
    >>> left, right = [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]
    >>> local_lasso(x, y, [left, right], alpha=1e-9).coef_.round(6)
    array([[ 1.],
           [-2.]])
    >>> local_lasso(x, [0, 0, 1, 0, 1, 1], [np.ones(6)], alpha=0.02, family="binomial").coef_.round(2)
    array([[1.06]])
    >>> claims, years = [0, 1, 0, 2, 3, 5], [1.0, 2.0, 1.0, 1.0, 1.0, 1.0]
    >>> local_lasso(x, claims, [np.ones(6)], alpha=0.1, family="poisson", offset=np.log(years)).coef_.round(2)
    array([[0.64]])
    """
    check_choice("family", family, FAMILIES)
    alpha = check_number("alpha", alpha, 0.0, np.inf, hint="0 is least squares.")
    if standardize is not False:
        check_choice("standardize", standardize, ("global", "weighted"))
    check_positive("tol", tol, "1e-7 is the default.")
    X = check_array(X, dtype=np.float64, input_name="X")
    response = _read_response(y, family, power, offset)
    check_consistent_length(X, response.outcome.value)
    constraints = read_constraints(penalty_factor, limits, groups, X.shape)
    check_outputs(response, constraints)
    rows, prior = read_weights(weights, X.shape[0])
    with _blocks.one_blas_thread():
        return _fit_rows(X, response, rows, prior, alpha, standardize, constraints, tol, max_iter, n_jobs)


def _read_response(y: Any, family: str, power: float, offset: Any) -> Response:
    if offset is not None and family not in WITH_OFFSET:
        raise ValueError(
            f"`offset` must be None with family={family!r}, got one. Families {', '.join(WITH_OFFSET)} have offsets."
        )
    response: Response
    if family == "gaussian":
        response, encoded = Regression(), check_response(y)
        if encoded.ndim != 1:
            raise ValueError(f"`y` must have one dimension, got shape {encoded.shape}. Use y.ravel() for one column.")
    elif family == "cox":
        response = SurvivalTimes()
        encoded = response.encode(y)
    elif family in ("binomial", "multinomial"):
        classes, encoded = check_classes(y)
        if family == "binomial" and classes.size != 2:
            raise ValueError(f"`y` must have two classes with family='binomial', got {classes.size}: {classes[:5]}.")
        response = Classification(classes, symmetric=family == "multinomial")
    else:
        response = costs_of(family, power)
        encoded = response.encode(y)
        response.reweigh(encoded, np.ones(len(encoded)))
    return response.with_rows(with_offset(encoded, check_offset(offset, len(encoded))))


def costs_of(family: str, power: float) -> CountsOrCosts:
    """Return counts or costs by the name of their family; ``power`` is that of family "tweedie"."""
    hint = "1.5 is the default."
    return CountsOrCosts(check_number("power", POWERS.get(family, power), 1.0, 2.0, hint=hint))


def _fit_rows(X, family, rows, prior, alpha, standardize, constraints, tol, max_iter, n_jobs) -> LocalFits:
    scale = measure(X, family.response)
    table = build_table(X, family.response, prior, scale)
    nothing, unit = no_model(family.n_outputs, scale.width), 1.0 if standardize else 1.0 / scale.unit
    how: dict[str, Any] = {"weighted": standardize == "weighted", "start": nothing.coef[0], "unit": unit}
    rule = make_rule(scale, constraints, tol=float(tol), max_iter=int(max_iter), **how)
    penalties, outcome = np.array([alpha / scale.y_unit]), family.outcome
    start = fit_paths(whole_table(), table, outcome, penalties, rule, nothing).model(0, 0)
    paths = fit_paths(rows, table, outcome, penalties, rule, start, n_jobs)
    warn_unconverged(paths.n_failed, rows.background.size, max_iter)
    intercept, coef = paths.unscaled(scale)
    if not family.has_level:
        intercept[:] = 0.0
    intercept, coef = intercept[:, 0], constraints.within(coef[:, 0])
    if family.n_outputs == 1:
        intercept, coef = intercept[:, 0], coef[:, 0]
    return LocalFits(intercept, coef, family.classes)
