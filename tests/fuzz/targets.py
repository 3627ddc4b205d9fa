"""From any bytes to a table, a command or a model file, and what must hold of whatever comes of it.

A target returns if all is well. Anything it raises is a find: an error that is not documented, a file half written, a
prediction that is no number.
"""

import contextlib
import datetime as dt
import io
import tempfile
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from heedful import (
    AttentionClassifier,
    AttentionCox,
    AttentionLasso,
    AttentionLassoClassifier,
    LeafAttentionClassifier,
    LeafAttentionRegressor,
)
from heedful.cli import main
from heedful.similarity import ForestProximity, GaussianSimilarity, RidgeSimilarity

# What fit and predict are documented to raise for tables that they cannot take.
DOCUMENTED = (ValueError, TypeError)
NUMBERS = [0.0, 1.0, -1.0, 0.5, 3.0, -0.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1e-300, 1e16, 1e-9, 2.0**53]
WORDS = [
    "",
    "a",
    "b",
    "A ",
    "nan",
    "NA",
    "1",
    "1.5",
    "é",
    "\x00",
    "\u202e",
    "long " * 20,
    "true",
    "2020-01-01",
    "[]",
    "x,y",
]
OBJECTS: dict[str, list[Any]] = {
    "text": WORDS,
    "mixed": [*NUMBERS, *WORDS, None, (1, 2), b"x"],
    "several": [[1], {"a": 1}, 1j, {2}, None],
}
CLASSIFIERS: dict[str, Callable[..., Any]] = {
    "lassos": AttentionLassoClassifier,
    "trees": lambda **how: AttentionClassifier(DecisionTreeClassifier(max_depth=2), **how),
    "lines": lambda **how: AttentionClassifier(LogisticRegression(), **how),
    "leaves": lambda **how: LeafAttentionClassifier(RandomForestClassifier(3), **how),
}
LABELS: list[list[Any]] = [["ape", "bee"], ["ape", "bee", "cat"], [0, 1, 2, 3], [False, True], [-1.0, 0.0, 2.0]]
WEIGHTS = [1.0, 0.0, 0.5, 1e-300, 1e-12, 1e9, 3, np.inf, np.nan, -1.0]
SIMILARITIES = [ForestProximity(3), GaussianSimilarity(), RidgeSimilarity(), ForestProximity(3, max_features=1.0)]


# Cells of each kind of column, with those at the edges of what their type can hold.
CELLS: dict[str, list[Any]] = {
    "numbers": [Decimal("1.5"), Decimal("-1e300"), Fraction(1, 3), 2, 10**20, True, 0.25, np.float32(1.5)],
    "dates": [
        dt.date(1, 1, 1),
        dt.date(9999, 12, 31),
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        dt.datetime(2024, 2, 29, tzinfo=dt.timezone(dt.timedelta(hours=-11))),
        pd.Timestamp("2024-03-31 02:30", tz="UTC"),
        pd.Period("2024-05", "M"),
        np.datetime64("1600-01"),
    ],
    "durations": [dt.timedelta.max, dt.timedelta.min, dt.timedelta(0), pd.Timedelta(1), np.timedelta64(3, "h")],
    "times of day": [dt.time(0), dt.time(23, 59, 59, 999999), dt.time(12, tzinfo=dt.UTC)],
    "text": ["a", "b", "1", "1,234", "2024-01-01", "(missing)", "", "nan"],
}


class Bytes:
    """Bytes read as choices; when they are used up, every choice is the first."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def byte(self) -> int:
        """Return the next byte."""
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def pick(self, values: list[Any]) -> Any:
        """Return one of the values."""
        return values[self.byte() % len(values)]

    def rest(self) -> bytes:
        """Return what is left."""
        return self.data[self.at :]


def make_column(source: Bytes, n_rows: int) -> Any:
    """Return a column of one of the kinds that tables come with, with the values that hurt."""
    kind = source.pick(["number", "small", "category", "boolean", "date", "constant", "nullable", "measured", *OBJECTS])
    if kind in OBJECTS:
        return pd.Series([source.pick(OBJECTS[kind]) for _ in range(n_rows)], dtype=object)
    if kind == "small":
        return np.array([source.byte() - 128 for _ in range(n_rows)], dtype=np.int8)
    if kind == "category":
        return pd.Categorical([source.pick(WORDS) for _ in range(n_rows)])
    if kind == "boolean":
        return np.array([source.byte() % 2 == 0 for _ in range(n_rows)])
    if kind == "date":
        return pd.to_datetime(pd.Series([86400 * source.byte() for _ in range(n_rows)]), unit="s")
    if kind == "measured":
        return hold(source, [source.pick(CELLS[source.pick(list(CELLS))]) for _ in range(n_rows)])
    if kind == "constant":
        return np.full(n_rows, source.pick(NUMBERS))
    if kind == "nullable":
        return pd.array([source.pick([1, 2, pd.NA]) for _ in range(n_rows)], dtype="Int64")
    return np.array([source.pick(NUMBERS) + source.byte() / 16 for _ in range(n_rows)])


def hold(source: Bytes, cells: list[Any]) -> Any:
    """Return cells in one of the ways that columns hold them; those that a way does not take stay objects."""
    column = pd.Series(cells, dtype=object)
    ways: list[Callable[[], Any]] = [
        lambda: column,
        lambda: pd.Series(cells),
        column.infer_objects,
        column.convert_dtypes,
        lambda: pd.Series(
            pa.array(cells, from_pandas=True), dtype=pd.ArrowDtype(pa.array(cells, from_pandas=True).type)
        ),
    ]
    try:
        return source.pick(ways)()
    except (ArithmeticError, TypeError, ValueError, pa.ArrowException):
        return column


def make_table(source: Bytes) -> pd.DataFrame:
    """Return a table of 0 to 24 rows and 0 to 4 columns; names may be given twice."""
    n_rows, n_columns = source.byte() % 25, source.byte() % 5
    columns = [pd.Series(make_column(source, n_rows)).reset_index(drop=True) for _ in range(n_columns)]
    table = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(n_rows))
    table.columns = pd.Index([source.pick(["a", "b", "c", "d", 0, "", "é"]) for _ in range(n_columns)], dtype=object)
    return table


def fit_and_predict(data: bytes) -> None:
    """Fit any table by any of the estimators and predict another; all there is are numbers or documented errors."""
    source = Bytes(data)
    table, response = make_table(source), None
    kind = source.pick([AttentionLasso, AttentionLassoClassifier, AttentionCox, LeafAttentionRegressor])
    how = {"similarity": source.pick(SIMILARITIES)} if kind is not LeafAttentionRegressor else {}
    model = kind(random_state=0, **how)
    response = make_column(source, len(table))
    if kind is AttentionCox:
        response = np.column_stack([np.arange(len(table)) % 2, pd.to_numeric(pd.Series(response), errors="coerce")])
    weight = source.pick([None, None, np.array([source.byte() for _ in range(len(table))])])
    new = source.pick([table, table.iloc[::-1], table.head(0), make_table(source)])
    with quiet():
        try:
            model.fit(table, response, sample_weight=weight)
            said = model.predict(new)
        except DOCUMENTED as error:
            if not str(error).strip():
                raise AssertionError("an error without a word") from error
            return
    if len(said) != len(new) or (said.dtype.kind == "f" and not np.isfinite(said).all()):
        raise AssertionError(f"{kind.__name__} said {said!r} of {len(new)} rows")


def weigh_classes(data: bytes) -> None:
    """Fit labels under weights of classes and rows: a column of numbers for each class, or an error of weights."""
    source = Bytes(data)
    kind, labels = source.pick(list(CLASSIFIERS)), source.pick(LABELS)
    y = np.array(labels)[[source.byte() % len(labels) for _ in range(12 + source.byte() % 20)]]
    y[: len(labels)], y[len(labels) : 2 * len(labels)] = labels, labels
    X = np.array([[source.byte() / 16, source.byte() % 3, i] for i in range(y.size)])
    model = CLASSIFIERS[kind](similarity=source.pick(SIMILARITIES), random_state=0)
    if kind == "lassos":
        each = {label: source.pick(WEIGHTS) for label in labels}
        some = {label: 0.0 for label in labels[1:] if source.byte() % 2}
        model.set_params(class_weight=source.pick([None, "balanced", each, some]))
    weight = source.pick([None, (y != source.pick(labels)).astype(float), [source.byte() % 4 for _ in y]])
    with quiet():
        try:
            chance = model.fit(X, y, sample_weight=weight).predict_proba(X)
        except ValueError as error:
            if "weight" not in str(error):
                raise
            return
    whole = np.isfinite(chance).all() and (chance >= 0).all() and np.allclose(chance.sum(axis=1), 1.0)
    if model.classes_.tolist() != labels or chance.shape != (y.size, len(labels)) or not whole:
        raise AssertionError(f"{kind} said {chance!r} of classes {model.classes_!r}")


def read_and_fit(data: bytes) -> None:
    """Give the command line any bytes as a table: it fits a model or ends with one line, and leaves nothing behind."""
    source = Bytes(data)
    ending, task = source.pick([".csv", ".tsv", ".parquet"]), source.pick(["auto", "regression", "classification"])
    sep = source.pick([[], ["--sep", ";"], ["--sep", "|"]])
    with folder() as place:
        path = place / f"table{ending}"
        if source.byte() % 2:
            path.write_bytes(source.rest())
            first = source.rest().split(b"\n")[0].split(b",")[-1]
            target = first.decode("utf-8", "replace").strip().strip('"') or "y"
        else:
            target = write_table(make_table(source), path)
        options = [f"--target={target}", "--task", task, "--trees", "4", *(sep if ending == ".csv" else [])]
        run(place, ["fit", str(path), "-o", str(place / "model.skops"), *options], "model.skops")


def write_table(table: pd.DataFrame, path: Path) -> str:
    """Write a table as its owner would, as far as the format allows; return the name of its last column."""
    table.columns = table.columns.map(str)
    try:
        if path.suffix == ".parquet":
            table.to_parquet(path)
        else:
            table.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    except (ValueError, TypeError, UnicodeEncodeError, pa.ArrowException):
        path.write_bytes(b"a,b\n1,2\n")
    return table.columns[-1] if table.shape[1] else "y"


def predict_by_damaged_model(data: bytes) -> None:
    """Give the command line a model file with some bytes changed: it predicts, or ends with one line."""
    source, model = Bytes(data), bytearray(good_model())
    for _ in range(1 + source.byte() % 8):
        at = (source.byte() << 16 | source.byte() << 8 | source.byte()) % len(model)
        model[at] = source.byte()
    length = len(model) if source.byte() % 4 else source.byte() * len(model) // 256
    with folder() as place:
        (place / "model.skops").write_bytes(bytes(model[:length]))
        (place / "new.csv").write_text("a,b\n1,2\n3,4\n", encoding="utf-8")
        command = ["predict", str(place / "model.skops"), str(place / "new.csv"), "-o", str(place / "out.csv")]
        run(place, command, "out.csv")


def change_kinds(data: bytes) -> None:
    """Fit a column of one kind and predict one of another: refused by both names; the same, or nothing, is a number."""
    source = Bytes(data)
    first, then = source.pick(list(CELLS)), source.pick([*CELLS, "nothing"])
    model = source.pick([AttentionLasso, AttentionLassoClassifier])(similarity=ForestProximity(2), temperature=1.0)
    table, new = (
        pd.DataFrame(
            {"a": np.arange(12.0), "b": hold(source, [source.pick(CELLS.get(kind, [None])) for _ in range(12)])}
        )
        for kind in (first, then)
    )
    with quiet():
        model.fit(table, np.arange(12) % 2)
        try:
            said = model.predict(new)
        except ValueError as error:
            words = f"Column 'b' held {first} in `fit`, now it holds {then}"
            if then in (first, "nothing") or words not in str(error):
                raise
            return
    if then not in (first, "nothing") or not np.isfinite(said).all():
        raise AssertionError(f"{first} in fit, {then} in predict gave {said!r}")


TARGETS: list[Callable[[bytes], None]] = [
    fit_and_predict,
    weigh_classes,
    read_and_fit,
    predict_by_damaged_model,
    change_kinds,
]


def check(data: bytes) -> None:
    """Run the target that the first byte names."""
    TARGETS[data[0] % len(TARGETS) if data else 0](data[1:])


def run(place: Path, command: list[str], output: str) -> None:
    """Run a command; it must end with 0 and its file, or with 2, one line and nothing written."""
    before = {path.name for path in place.iterdir()}
    with quiet() as said:
        code = main([*command, "--quiet"])
    new = {path.name for path in place.iterdir()} - before
    lines = [line for line in said.getvalue().splitlines() if "error:" in line]
    if code not in (0, 2) or new != ({output} if code == 0 else set()) or len(lines) != (code == 2):
        raise AssertionError(f"exit code {code}, new files {sorted(new)}, said {said.getvalue()!r}")


@cache
def good_model() -> bytes:
    """Return the bytes of a model that the command line wrote."""
    with folder() as place:
        rows = "\n".join(f"{i},{i * 7 % 5},{i * i % 11}" for i in range(30))
        (place / "table.csv").write_text(f"a,b,y\n{rows}\n", encoding="utf-8")
        options = ["--target", "y", "--task", "regression", "--trees", "4", "--heads", "single"]
        run(place, ["fit", str(place / "table.csv"), "-o", str(place / "model.skops"), *options], "model.skops")
        return (place / "model.skops").read_bytes()


@contextlib.contextmanager
def folder():
    """Yield an empty folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@contextlib.contextmanager
def quiet():
    """Catch what is printed; numbers at the edge warn, which is right."""
    said = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        warnings.simplefilter("ignore")
        yield said
