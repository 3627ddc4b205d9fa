"""The models behind some predictions, as tables."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from heedful._explaining.plain import describe_columns, describe_models
from heedful._explaining.small import SmallModels
from heedful._flow import FittedAttention, FittedModels, Prediction, QueryBatch, View
from heedful._show import Sketch, count, cut, middle_and_range


class LocalModels(NamedTuple):
    """Models of some queries, indexed like the queries.

    Fields in common with :class:`heedful.explain.Explanation` are described there. ``coef`` has up to ``max_terms``
    coefficients other than 0 per query. ``local_intercept`` and ``local_coef`` are those of the local models alone,
    ``baseline_intercept`` and ``baseline_coef`` those of the global model. ``shape`` is the part of the additive model:
    each feature's shape function times the query's ``multiple``; ``local_shape`` is the same for the local models.
    ``smooth`` is the part of the smooth model in the link, which is included in ``lasso_intercept``. ``models`` are the
    fitted learners with ``keep_models=True``. ``coding`` describes the columns in plain values; it is empty without
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

        The values are of JSON types: ``columns`` describes the columns, and ``models`` has the small model of each
        query, one equation per output, and its prediction.

        Returns
        -------
        dict
            See ``docs/deployment.md`` for the keys, and for a short function that predicts from them.

        Examples
        --------
        >>> import json
        >>> import numpy as np
        >>> from heedful import AttentionLasso
        >>> X = np.random.default_rng(0).normal(size=(80, 2))
        >>> models = AttentionLasso(mixing=0, random_state=0).fit(X, 3 * X[:, 0]).local_models(X[:1])
        >>> plain = json.loads(json.dumps(models.to_dict()))
        >>> [column["name"] for column in plain["columns"]], sorted(plain["models"][0]["equations"][0])
        (['x0', 'x1'], ['intercept', 'output', 'terms'])
        """
        if not self.coding or self.reference is None or self.values is None:
            raise ValueError(
                "`to_dict` needs small models, got an estimator without them. Use an attention lasso, such as "
                "AttentionLasso; `save_model` works for every estimator."
            )
        return self.coding | {"models": describe_models(self)}

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
            facts.append(("columns in a small model", middle_and_range(used.sum(axis=1))))
            facts.append(("fidelity", middle_and_range(self.fidelity)))
        facts.append(("local models", self.local_name if self.slopes else "not linear: coef holds importances"))
        hint = "Look at prediction, coef, intercept, terms, fidelity, mixing; lasso_coef"
        return Sketch(f"Models of {count(len(self.mixing), 'query', 'queries')}", facts, hint)


class Frames(NamedTuple):
    """Turns arrays with queries first and outputs after them into tables."""

    index: pd.Index
    features: list[str]
    outputs: list | None

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
        if self.outputs is None:
            return pd.Index(self.features)
        return pd.MultiIndex.from_product([self.outputs, self.features], names=["class", "feature"])


def table_models(
    model: FittedAttention,
    table: pd.DataFrame | np.ndarray,
    batch: QueryBatch,
    prediction: Prediction,
    small: SmallModels | None,
    offset: np.ndarray | None = None,
) -> LocalModels:
    """Return the models of queries as tables; coefficients of shapes come after those of the columns."""
    models, view, link_of = model.models, batch.view, model.problem.family.link_of
    index = labels_of(table)
    design = models.design(table, view)
    outputs, n_names = models.response.outputs, len(models.names)
    frames = Frames(index, models.names, outputs)
    coefs = Frames(index, models.names, outputs if models.linear else None)
    mixing = prediction.mixing[:, None, None]
    blended = (1 - mixing) * model.base_coef + mixing * prediction.coef
    (coef, multiple), (local_coef, local_multiple) = (
        np.split(part, [n_names], axis=2) for part in (blended, prediction.coef)
    )
    shape, local_shape = (_shape(models, view, part) for part in (multiple, local_multiple))
    link, local_link = (link_of(value) for value in (prediction.value, prediction.local))
    intercept, local_intercept = (
        frames.per_output(
            _at_zero(part, slopes, design) - added.sum(axis=2) if models.linear else np.full(part.shape, np.nan),
            "intercept",
        )
        for part, slopes, added in ((link, coef, shape), (local_link, local_coef, local_shape))
    )
    # what the user does to it must not reach the table that was asked about
    lasso = {
        "intercept": intercept,
        "coef": coefs.per_feature(coef),
        "design": pd.DataFrame(design, index, models.names, copy=True),
    }
    shown = lasso if small is None else _table_small(index, models, link, small)
    expected = models.response.expected
    return LocalModels(
        prediction=frames.per_output(expected(prediction.value, offset), "prediction"),
        link=frames.per_output(link, "link"),
        mixing=pd.Series(prediction.mixing, index, name="mixing"),
        baseline_prediction=frames.per_output(expected(prediction.base, offset), "prediction"),
        local_intercept=local_intercept,
        local_coef=coefs.per_feature(local_coef),
        baseline_intercept=_base_intercept(model.base_intercept, outputs),
        baseline_coef=pd.Series(model.base_coef[:, :n_names].ravel(), coefs.columns),
        slopes=models.linear,
        models=prediction.models,
        multiple=_multiples(index, multiple, outputs),
        shape=coefs.per_feature(shape),
        local_shape=coefs.per_feature(local_shape),
        smooth=frames.per_output(_smooth(model, view, prediction.mixing, link.shape), "smooth"),
        local_name=models.local_name,
        values=given_values(model, table),
        coding=describe_columns(models),
        **shown,
        **{f"lasso_{name}": part for name, part in lasso.items()},
    )


def labels_of(table: pd.DataFrame | np.ndarray) -> pd.Index:
    """Return the labels of queries."""
    return table.index if isinstance(table, pd.DataFrame) else pd.RangeIndex(len(table))


def index_features(model: FittedAttention, index: pd.Index, names: list[str]) -> pd.MultiIndex:
    """Return an index of queries, classes if there are several, and features."""
    known = model.cache.get("features")
    if known is None or known[0] != names:
        outputs = model.response.outputs
        levels: dict[str, Any] = ({} if outputs is None else {"class": outputs}) | {"feature": names}
        known = model.cache["features"] = names, pd.MultiIndex.from_product(levels.values(), names=levels)
    # pandas sorts and checks what it is given, which takes most of the time of one query
    features, queries = known[1], pd.MultiIndex.from_product([index], names=["query"])
    codes = [np.repeat(queries.codes[0], len(features)), *(np.tile(part, len(index)) for part in features.codes)]
    both = [*queries.levels, *features.levels], codes
    return pd.MultiIndex(*both, names=["query", *features.names], verify_integrity=False)


def given_values(model: FittedAttention, table: pd.DataFrame | np.ndarray) -> pd.DataFrame:
    """Return queries as they were given, under the names of the training rows' columns."""
    names = model.rows.reader.names
    return table.set_axis(names, axis=1) if isinstance(table, pd.DataFrame) else pd.DataFrame(table, columns=names)


def _table_small(index: pd.Index, models: FittedModels, link: np.ndarray, small: SmallModels) -> dict[str, Any]:
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


def _base_intercept(intercept: np.ndarray | None, outputs: list | None) -> float | pd.Series:
    if intercept is None:
        return np.nan
    return float(intercept[0]) if outputs is None else pd.Series(intercept, outputs)


def _smooth(model: FittedAttention, view: View, mixing: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return what the smooth model adds to the linear predictors (n_query, n_outputs) of queries."""
    smooth = model.models.smooth
    if smooth is None:
        return np.zeros(shape)
    return ((1 - mixing) * model.tuned.smooth)[:, None] * (smooth.added(view.x) - smooth.level)


def _shape(models: FittedModels, view: View, multiple: np.ndarray) -> np.ndarray:
    """Return what multiples (n_query, n_outputs, n_outputs) of the curves add (n_query, n_outputs, n_features).

    What they add for a column of the table stands under the feature of the query's cell.
    """
    added = np.zeros((*multiple.shape[:2], len(models.names)))
    if models.shapes is not None:
        by_column = np.einsum("qkl,qjl->qkj", multiple, models.shape_parts(view.codes))
        place = models.rows.model_places(view.codes)[:, None, :]
        np.put_along_axis(added, np.broadcast_to(place, by_column.shape), by_column, axis=2)
    return added


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
