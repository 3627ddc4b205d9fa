"""Models that other packages fitted: files known by what they begin with, and never a pickle.

Their own packages read them unchecked, so this takes the user's word that a file is to be trusted.
"""

import importlib
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile, is_zipfile

import pandas as pd
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from heedful.cli._errors import UserError, one_line
from heedful.cli._model import load_model
from heedful.cli._read import check_file

BOOSTERS = {"lightgbm": "LightGBM", "xgboost": "XGBoost"}
# Tasks whose models cannot be corrected, and what they are models of.
UNCORRECTED = {"survival": "survival", "effect": "treatment effects"}
# Packages whose types a file may hold that is to be trusted.
PACKAGES = ("sklearn", "numpy", "collections", *BOOSTERS)


class Loaded(NamedTuple):
    """A model and the columns that it needs.

    ``names`` are None if it knows only how many, ``kinds`` are those that its file tells: of others a pipeline takes
    any, any other model numbers. ``categories`` are handed to it as categories, ``others`` are passed over.
    """

    model: Any
    names: list[str] | None
    n_columns: int | None
    kinds: dict[str, str]
    categories: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        """The kind of model, as its package names it."""
        last = type(_last_step(self.model))
        package = BOOSTERS.get(_root(last.__module__))
        name = f"{package} {last.__name__}" if package and last.__name__ == "Booster" else last.__name__
        return f"{name} in a Pipeline" if isinstance(self.model, Pipeline) else name

    def rows(self, X: pd.DataFrame) -> Any:
        """Return rows without names for a model that knows none."""
        return X if self.names is not None else X.to_numpy()


def load_any(path: Path, *, trust: bool) -> Loaded:
    """Read a model that ``heedful fit`` wrote or, if its file is to be trusted, another package."""
    check_file(path)
    with path.open("rb") as file:
        start = file.read(5)
    if is_zipfile(path):
        if _is_ours(path):
            return _load_ours(path)
        package, load = "skops", _load_skops
    elif start.startswith(b"tree\n"):
        package, load = "LightGBM", _load_lightgbm
    elif start.startswith(b"{"):
        package, load = "XGBoost", _load_xgboost
    else:
        raise UserError(
            f"{path}: no readable model. Pickle files, including joblib's, are never opened: save the model with "
            "skops.io.dump, or a booster with its save_model (LightGBM as text, XGBoost as .json or .ubj)."
        )
    if not trust:
        raise UserError(
            f"{path}: a file of {package} that heedful did not write. Other packages read their models unchecked, "
            "and a forged file could do harm. If you trust its origin, add --trust."
        )
    with _reading(path, package):
        return _describe(path, load(path))


def _is_ours(path: Path) -> bool:
    """Return whether an archive has the header of ``heedful.save_model``."""
    try:
        with ZipFile(path) as archive:
            return "heedful.json" in archive.namelist()
    except (BadZipFile, OSError):
        return False


def _load_ours(path: Path) -> Loaded:
    header, model = load_model(path)
    what = UNCORRECTED.get(header["task"])
    if what is not None:
        raise UserError(f"{path}: a model of {what} cannot be corrected, only regression or classification.")
    if "exposure" in header["response"]:
        raise UserError(
            f"{path}: a model with exposures cannot be corrected, as recent rows have none here. Fit it again."
        )
    kinds = {entry["name"]: entry["kind"] for entry in header["columns"]}
    others = (*header["response"].values(), *header["dropped"])
    return Loaded(model, list(kinds), len(kinds), kinds, others=others)


def _load_skops(path: Path) -> Any:
    """Return what a file of skops holds; refuse types of other packages, before anything of theirs is run."""
    skops = importlib.import_module("skops.io")
    types = skops.get_untrusted_types(file=path)
    foreign = [name for name in types if _root(name) not in PACKAGES]
    if foreign:
        raise UserError(
            f"{path}: the file holds {', '.join(map(repr, foreign[:5]))}, which is not part of a model of "
            "scikit-learn, LightGBM or XGBoost. It was not loaded; do not trust its origin."
        )
    for package in {_root(name) for name in types} & set(BOOSTERS):
        _package(path, package)
    return skops.load(path, trusted=types)


def _load_lightgbm(path: Path) -> Any:
    return _package(path, "lightgbm").Booster(model_file=path)


def _load_xgboost(path: Path) -> Any:
    # from memory, as XGBoost would tell the format by the name of a file
    booster = _package(path, "xgboost").Booster()
    booster.load_model(bytearray(path.read_bytes()))
    return booster


@contextmanager
def _reading(path: Path, package: str) -> Iterator[None]:
    """Turn whatever is wrong with a file into one error; what a package prints of it is not for the user."""
    try:
        with redirect_stdout(io.StringIO()):
            yield
    except UserError:
        raise
    except Exception as error:
        raise UserError(
            f"{path}: not a model of {package}, or a damaged one: {one_line(error)[:200]}. Save it again."
        ) from error


def _package(path: Path, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UserError(
            f"{path}: the model needs {name}, which is not installed. Run: pip install "
            f"'heedful[{'lightgbm' if name == 'lightgbm' else 'boost'}]'"
        ) from error


def _describe(path: Path, model: Any) -> Loaded:
    """Return a model with what it needs; refuse one that is not fitted."""
    if hasattr(model, "fit"):
        try:
            check_is_fitted(model)
        except ValueError as error:
            raise UserError(f"{path}: the model is not fitted. Save it after `fit`.") from error
    elif _root(type(model).__module__) not in BOOSTERS:
        raise UserError(f"{path}: the file holds {type(model).__name__!r}, which is not a model.")
    texts = _categories(path, model)
    kinds = {name: "text" for name, is_text in texts.items() if is_text}
    return Loaded(model, _names(model), _count_columns(model), kinds, tuple(texts))


def _last_step(model: Any) -> Any:
    return model.steps[-1][1] if isinstance(model, Pipeline) and model.steps else model


def _names(model: Any) -> list[str] | None:
    """Return the names of a model's columns, None if it has none."""
    names = getattr(model, "feature_names_in_", None)
    if names is None and not hasattr(model, "fit"):
        names = model.feature_name() if hasattr(model, "feature_name") else model.feature_names
    return None if names is None else [str(name) for name in names]


def _count_columns(model: Any) -> int | None:
    if hasattr(model, "fit"):
        return getattr(model, "n_features_in_", None)
    return model.num_feature() if hasattr(model, "num_feature") else model.num_features()


def _categories(path: Path, model: Any) -> dict[str, bool]:
    """Return the columns of a booster that hold categories, and whether those are text."""
    package = _root(type(model).__module__)
    if package not in BOOSTERS:
        return {}
    levels = _lightgbm_levels(model) if package == "lightgbm" else _xgboost_levels(model)
    if levels is None:
        raise UserError(
            f"{path}: the model has categorical features, but the file does not have their columns or names. Fit it "
            "to a table with categorical columns (XGBoost 3.1 or later), or to numeric codes."
        )
    return levels


def _lightgbm_levels(model: Any) -> dict[str, bool] | None:
    booster = getattr(model, "booster_", model)
    if not booster.pandas_categorical:
        return {}
    (infos,) = re.findall(r"^feature_infos=(.*)$", booster.model_to_string(num_iteration=1), re.MULTILINE)
    ranges = zip(booster.feature_name(), infos.split(" "), strict=True)
    # numbers have a range in brackets
    names = [name for name, values in ranges if re.fullmatch(r"-?\d+(:-?\d+)*", values)]
    if len(names) != len(booster.pandas_categorical):
        return None
    texts = (all(isinstance(level, str) for level in levels) for levels in booster.pandas_categorical)
    return dict(zip(names, texts, strict=True))


def _xgboost_levels(model: Any) -> dict[str, bool] | None:
    booster = model.get_booster() if hasattr(model, "get_booster") else model
    if "c" not in (booster.feature_types or []):
        return {}
    model = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]["model"]
    columns = zip(
        booster.feature_names or [], booster.feature_types, model.get("cats", {}).get("enc", []), strict=False
    )
    levels = {name: entry for name, kind, entry in columns if kind == "c"}
    if not levels or not all(entry["values"] for entry in levels.values()):
        return None
    return {name: "offsets" in entry for name, entry in levels.items()}


def _root(name: str) -> str:
    """Return the package of a dotted name."""
    return name.partition(".")[0]
