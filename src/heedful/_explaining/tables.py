"""The models behind some predictions, as tables."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._explaining.plain import Cells, tell_equations, tell_label
from heedful._explaining.small import SmallModels
from heedful._flow import FittedModels, Prediction, View, as_frame
from heedful._responses import Response
from heedful._show import Sketch, count, cut, middle_and_range
from heedful.attention import Attention
from heedful.explain import Explanation


class LocalModels(NamedTuple):
    """Models of some queries, indexed like the queries.

    ``coef`` is the small model of each query, which has at most ``max_terms`` columns of the table that are not 0:
    slopes fitted to what is predicted around the query. ``link`` is ``intercept + (coef * design).sum(axis=1)``: the
    prediction itself for numbers and survival, its log-odds for two classes. ``design`` has the queries as small models
    take them: numbers as they are, dates in days since 1970, and 1 for a category, whose coefficient is that of the
    query's level against ``reference``, and for a missing number. ``terms`` are ``coef`` times the distance from the
    reference, the mean of a number; ``start`` and all terms add up to the link. ``fidelity`` is the share of the
    variation of predictions around the query that its small model has. With more classes ``prediction``, ``link``,
    ``intercept`` and ``start`` have a column for each, and ``coef`` and ``terms`` two levels of columns, class and
    feature.

    ``lasso_coef`` are the coefficients of the method: local lassos, blended with each other and with the model for all
    rows. They are shrunk, and a row that moves is compared with other rows, so they are no slopes of the prediction.
    ``link`` is ``lasso_intercept + (lasso_coef * lasso_design + shape).sum(axis=1)``, where ``shape`` is what the
    additive model adds: for each feature its curve times the query's own ``multiple`` of it. What the smooth model adds
    to the link of a query is ``smooth``, a part of ``lasso_intercept``. ``lasso_design`` has one
    column per level of a category, missing numbers filled in, far values pulled back. ``local_coef`` are those of the
    local lassos alone, ``baseline_coef`` of the model for all rows. ``local_name`` says what the local models are:
    those of classes, survival, counts and costs are by default one Newton step from the global model.

    Without ``slopes`` the models are not linear: ``coef`` and ``lasso_coef`` hold the importance of each column in the
    query's model, and intercepts are NaN. ``models`` are the fitted learners where they were to be kept. ``values``
    are the queries as they were given. ``coding`` says what the columns are, in plain values; empty where there are no
    small models.
    """

    prediction: pd.Series | pd.DataFrame
    link: pd.Series | pd.DataFrame
    intercept: pd.Series | pd.DataFrame
    coef: pd.DataFrame
    design: pd.DataFrame
    mixing: pd.Series
    baseline_prediction: pd.Series | pd.DataFrame
    lasso_intercept: pd.Series | pd.DataFrame
    lasso_coef: pd.DataFrame
    lasso_design: pd.DataFrame
    local_intercept: pd.Series | pd.DataFrame
    local_coef: pd.DataFrame
    baseline_intercept: float | pd.Series
    baseline_coef: pd.Series
    slopes: bool
    models: list[Any]
    multiple: pd.Series | pd.DataFrame
    shape: pd.DataFrame
    local_shape: pd.DataFrame
    smooth: pd.Series | pd.DataFrame
    local_name: str = ""
    start: pd.Series | pd.DataFrame | None = None
    terms: pd.DataFrame | None = None
    reference: pd.DataFrame | None = None
    fidelity: pd.Series | None = None
    effect: pd.DataFrame | None = None
    values: pd.DataFrame | None = None
    coding: dict[str, Any] = {}  # noqa: RUF012 - a field of a named tuple; nobody writes to it

    def to_dict(self) -> dict[str, Any]:
        """Return the models as plain values, for use without heedful.

        Numbers, text, lists and dictionaries only, as JSON has them: ``columns`` say what the columns are, ``models``
        have for each query its small model, one equation for each output, and the prediction that it gives.

        Returns
        -------
        dict
            See ``docs/deployment.md`` for the keys, and for a function of twelve lines that predicts from them.

        Examples
        --------
        >>> import json
        >>> import numpy as np
        >>> from heedful import AttentionLasso
        >>> X = np.random.default_rng(0).normal(size=(80, 2))
        >>> models = AttentionLasso(mixing=0, random_state=0).fit(X, 3 * X[:, 0]).local_models(X[:1])
        >>> told = json.loads(json.dumps(models.to_dict()))
        >>> [column["name"] for column in told["columns"]], sorted(told["models"][0]["equations"][0])
        (['x0', 'x1'], ['intercept', 'output', 'terms'])
        """
        if not self.coding or self.reference is None or self.values is None:
            raise ValueError(
                "`to_dict` must have small models, which attention lassos have, got other models. Use an attention "
                "lasso, such as AttentionLasso; `save_model` keeps estimators of every kind."
            )
        outputs = list(self.link.columns) if isinstance(self.link, pd.DataFrame) else [None]
        intercept, prediction = (
            part.to_numpy().reshape(len(self.mixing), -1) for part in (self.intercept, self.prediction)
        )
        told, cells = [tell_label(output) for output in outputs], Cells(self.values, self.reference)
        models = [
            {
                "query": tell_label(label),
                "prediction": value[0] if len(value) == 1 else value,
                "mixing": share,
                "equations": equations,
            }
            for label, value, share, equations in zip(
                self.mixing.index,
                prediction.tolist(),
                self.mixing.tolist(),
                tell_equations(self.coding["columns"], intercept, self.coef, cells, told),
                strict=True,
            )
        ]
        return self.coding | {"models": models}

    def __repr__(self) -> str:
        return self._sketch().text()

    def _repr_html_(self) -> str:
        return self._sketch().html()

    def _sketch(self) -> Sketch:
        facts = [
            ("columns", f"{self.design.shape[1]}: {cut(', '.join(map(str, self.design.columns)))}"),
            ("mixing", middle_and_range(self.mixing)),
        ]
        if self.fidelity is not None:
            used = (self.coef != 0).to_numpy().reshape(len(self.mixing), -1, self.design.shape[1]).any(axis=1)
            facts.append(("columns of a small model", middle_and_range(used.sum(axis=1))))
            facts.append(("fidelity", middle_and_range(self.fidelity)))
        facts.append(("local models", self.local_name if self.slopes else "not linear: coef holds importances"))
        hint = "Look at prediction, coef, intercept, terms, fidelity, mixing; lasso_coef"
        return Sketch(f"Models of {count(len(self.mixing), 'query', 'queries')}", facts, hint)


class GlobalCoef(NamedTuple):
    """Intercepts of the global model, if it has any, and coefficients (n_outputs, n_columns), shapes last.

    ``smooth`` is the share of the smooth model in it.
    """

    intercept: np.ndarray | None
    coef: np.ndarray
    smooth: float = 0.0


# What an explanation takes over from the models as it is.
SHARED = (
    *("prediction", "link", "intercept", "coef", "design", "mixing", "baseline_prediction", "baseline_coef"),
    *("local_coef", "lasso_intercept", "lasso_coef", "lasso_design", "slopes", "local_name"),
    *("start", "terms", "reference", "fidelity", "effect"),
)


class Frames:
    """Turns arrays with queries first and outputs after them into tables."""

    def __init__(self, index: pd.Index, features: list[str], outputs: list | None):
        self.index, self.features, self.outputs = index, features, outputs

    def per_output(self, values: np.ndarray, name: str) -> pd.Series | pd.DataFrame:
        """Return (n_query, n_outputs) as a column, or as one for each class."""
        if self.outputs is None:
            return pd.Series(values[:, -1], self.index, name=name)
        return pd.DataFrame(values, self.index, self.outputs)

    def per_feature(self, values: np.ndarray) -> pd.DataFrame:
        """Return (n_query, n_outputs, n_features) with a column per feature, or per class and feature."""
        return pd.DataFrame(values.reshape(values.shape[0], -1), self.index, self.columns)

    @property
    def columns(self) -> pd.Index:
        """Names of the coefficients."""
        if self.outputs is None:
            return pd.Index(self.features)
        return pd.MultiIndex.from_product([self.outputs, self.features], names=["class", "feature"])


def table_models(
    index: pd.Index,
    models: FittedModels,
    family: Response,
    design: np.ndarray,
    view: View,
    base: GlobalCoef,
    found: Prediction,
    small: SmallModels | None = None,
    offset: np.ndarray | None = None,
) -> LocalModels:
    """Return the models of queries as tables; coefficients of shapes come after those of the columns."""
    outputs, n_names = models.response.outputs, len(models.names)
    frames = Frames(index, models.names, outputs)
    coefs = Frames(index, models.names, outputs if models.linear else None)
    mixing = found.mixing[:, None, None]
    both = (1 - mixing) * base.coef + mixing * found.coef
    (coef, multiple), (local_coef, own) = (np.split(part, [n_names], axis=2) for part in (both, found.coef))
    shape, local_shape = (_shape(models, view, part) for part in (multiple, own))
    link, local_link = (family.link_of(value) for value in (found.value, found.local))
    intercepts = (
        _at_zero(part, slopes, design) - added.sum(axis=2) if models.linear else np.full(part.shape, np.nan)
        for part, slopes, added in ((link, coef, shape), (local_link, local_coef, local_shape))
    )
    intercept, local_intercept = (frames.per_output(part, "intercept") for part in intercepts)
    # what the user does to it must not reach the table that was asked about
    lasso = {
        "intercept": intercept,
        "coef": coefs.per_feature(coef),
        "design": pd.DataFrame(design, index, models.names, copy=True),
    }
    shown = lasso if small is None else small_tables(index, models, link, small)
    return LocalModels(
        prediction=frames.per_output(models.response.expected(found.value, offset), "prediction"),
        link=frames.per_output(link, "link"),
        mixing=pd.Series(found.mixing, index, name="mixing"),
        baseline_prediction=frames.per_output(models.response.expected(found.base, offset), "prediction"),
        local_intercept=local_intercept,
        local_coef=coefs.per_feature(local_coef),
        baseline_intercept=_base_intercept(base, outputs),
        baseline_coef=pd.Series(base.coef[:, :n_names].ravel(), coefs.columns),
        slopes=models.linear,
        models=found.models,
        multiple=_multiples(index, multiple, outputs),
        shape=coefs.per_feature(shape),
        local_shape=coefs.per_feature(local_shape),
        smooth=frames.per_output(_smooth(models, view, (1 - found.mixing) * base.smooth, link.shape), "smooth"),
        local_name=models.local_name,
        **shown,
        **{f"lasso_{name}": part for name, part in lasso.items()},
    )


def shape_tables(models: FittedModels, tables: LocalModels, base: np.ndarray) -> dict[str, Any]:
    """Return the curves, if any model has some of them, and how much of them is in the model of each query.

    ``base`` are the coefficients of the global model, those of shapes last.
    """
    if models.shapes is None:
        return {}
    share = base[:, len(models.names) :]
    bent = share.any() or tables.multiple.to_numpy().any()
    curves = models.curves(share) if bent else None
    return {"multiple": tables.multiple, "shape": tables.shape, "curves": curves}


def small_tables(index: pd.Index, models: FittedModels, link: np.ndarray, small: SmallModels) -> dict[str, Any]:
    """Return small models as tables: slopes, and terms that add up to the link from where they start."""
    reader = models.rows.reader
    frames = Frames(index, reader.names, models.response.outputs)
    away = np.where(np.isnan(small.reference), 0.0, small.design - small.reference)
    terms = small.coef * away[:, None]
    return {
        "intercept": frames.per_output(_at_zero(link, small.coef, small.design), "intercept"),
        "coef": frames.per_feature(small.coef),
        "design": pd.DataFrame(small.design, index, reader.names),
        "start": frames.per_output(link - terms.sum(axis=2), "start"),
        "terms": frames.per_feature(terms),
        "reference": reader.decode(small.compared, np.arange(len(reader.names)), index),
        "fidelity": pd.Series(small.fidelity, index, name="fidelity"),
        "effect": frames.per_feature(small.effect),
    }


def explain_models(tables: LocalModels, response: Response, shown: dict[str, Any]) -> Explanation:
    """Return the explanation of queries from their models and what else is shown of them."""
    index = tables.coef.index
    named = (name for name in ("loss", "baseline_loss", "null_loss") if name in shown)
    losses: dict[str, Any] = {name: pd.Series(shown.pop(name), index, name=name) for name in named}
    if "y" in shown:
        losses["y"] = as_frame(shown.pop("y"), index)
    return Explanation(
        **{name: getattr(tables, name) for name in SHARED},
        n_eff=pd.Series(_effective_rows(tables, shown["attention"]), index, name="n_eff"),
        task=response.task,
        words=response.words,
        **shown | {"mean": pd.DataFrame(shown["mean"], index, tables.lasso_design.columns)},
        **losses,
    )


def _effective_rows(tables: LocalModels, attention: Attention) -> np.ndarray:
    """Return the effective numbers of rows attended to; all rows where the model for all rows predicts alone."""
    weight = attention.sample_weight
    every = weight.sum() ** 2 / (weight**2).sum()
    return np.where(tables.mixing == 0, every, attention.n_eff)


def _base_intercept(base: GlobalCoef, outputs: list | None) -> float | pd.Series:
    if base.intercept is None:
        return np.nan
    return float(base.intercept[0]) if outputs is None else pd.Series(base.intercept, outputs)


def _smooth(models: FittedModels, view: View, share: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return what shares (n_query,) of the smooth model add to linear predictors (n_query, n_outputs)."""
    if models.smooth is None:
        return np.zeros(shape)
    return share[:, None] * (models.smooth.added(view.x) - models.smooth.level)


def _shape(models: FittedModels, view: View, multiple: np.ndarray) -> np.ndarray:
    """Return what multiples (n_query, n_outputs, n_outputs) of the curves add (n_query, n_outputs, n_features)."""
    if models.shapes is None:
        return np.zeros((*multiple.shape[:2], len(models.names)))
    return _at_places(models, view, np.einsum("qkl,qjl->qkj", multiple, models.shape_parts(view.codes)))


def _at_places(models: FittedModels, view: View, values: np.ndarray) -> np.ndarray:
    """Return values of the table's columns (n_query, n_outputs, n_columns) under the features that stand for them."""
    placed = np.zeros((*values.shape[:2], len(models.names)))
    place = models.rows.model_places(view.codes)[:, None, :]
    np.put_along_axis(placed, np.broadcast_to(place, values.shape), values, axis=2)
    return placed


def _multiples(index: pd.Index, multiple: np.ndarray, outputs: list | None) -> pd.Series | pd.DataFrame:
    """Return how much of the additive model is in each query's model; of each class in each class's."""
    if outputs is None:
        return pd.Series(multiple[:, 0, 0] if multiple.shape[2] else np.zeros(len(multiple)), index, name="multiple")
    full = multiple if multiple.shape[2] else np.zeros((len(multiple), len(outputs), len(outputs)))
    columns = pd.MultiIndex.from_product([outputs, outputs], names=["class", "shape"])
    return pd.DataFrame(full.reshape(len(full), -1), index, columns)


def _at_zero(link: np.ndarray, coef: np.ndarray, design: np.ndarray) -> np.ndarray:
    """Return the intercepts with which coefficients give the linear predictor."""
    return link - np.einsum("qkj,qj->qk", coef, design)
