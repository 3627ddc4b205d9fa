"""The program ``heedful``: its options, and errors as one line.

A command is loaded when it runs: help, and what is wrong with the options, needs neither tables nor models.
"""

import argparse
import importlib
import logging
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import Any, NoReturn

from heedful import __version__
from heedful.cli._console import print_error, print_json, print_text
from heedful.cli._errors import UserError, one_line, os_message, warning_line
from heedful.cli._options import (
    coverage,
    limit,
    mixing,
    number_or_text,
    positive,
    seed,
    separator,
    temperature,
    times,
    window,
)

DONE, BUG, WRONG, PIPE_CLOSED, INTERRUPTED, TERMINATED = 0, 1, 2, 141, 130, 143
TASKS = ("auto", "regression", "classification", "survival", "poisson", "gamma", "tweedie")
TABLE = "CSV (also .csv.gz), TSV or Parquet file, by its extension"
MODEL = "file written by `heedful fit` or `heedful effect`"
Add = Callable[..., argparse.Action]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the options."""
        raise UserError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return 0, 2 for errors of the user, 130 when interrupted, 1 for errors of ours."""
    given = list(sys.argv[1:] if argv is None else argv)
    try:
        with _listening(quiet="--quiet" in given):
            _run(given)
    except UserError as error:
        return _fail(given, one_line(error), WRONG)
    except KeyboardInterrupt:
        return _fail(given, "interrupted", INTERRUPTED)
    except BrokenPipeError:
        # who read our output has left
        return PIPE_CLOSED
    except OSError as error:
        return _fail(given, os_message(error), WRONG)
    except MemoryError:
        return _fail(given, "not enough memory. Give fewer rows, or --jobs 1", WRONG)
    except Exception as error:  # noqa: BLE001 - the last stop before the user
        return _fail(given, f"{type(error).__name__}: {one_line(error)} (a bug in heedful; --debug shows where)", BUG)
    return DONE


def _run(given: list[str]) -> None:
    arguments = _parser().parse_args(given)
    watched = sys.stderr is not None and sys.stderr.isatty()
    arguments.verbose = int((arguments.verbose or watched) and not arguments.quiet)
    command = importlib.import_module(f"heedful.cli._{arguments.command}")
    start = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        summary = {"command": arguments.command} | command.run(arguments)
    summary["seconds"] = round(perf_counter() - start, 3)
    messages = list(
        dict.fromkeys(warning_line(entry.message) for entry in caught if isinstance(entry.message, Warning))
    )
    for message in messages:
        print_error(f"heedful: warning: {message}")
    if arguments.json:
        print_json(summary | {"warnings": messages})
    elif not arguments.quiet:
        print_text("\n".join(command.lines(summary)))


@contextmanager
def _listening(quiet: bool) -> Iterator[None]:
    """Write the library's messages to standard error; let a polite kill clean up."""
    log, writer = logging.getLogger("heedful"), _Writer(quiet)
    alone = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED)) if alone else None
    log.addHandler(writer)
    try:
        yield
    finally:
        log.removeHandler(writer)
        if alone:
            signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


class _Writer(logging.Handler):
    """Writes what the library logs as one line each; a quiet one leaves out what asks for nothing."""

    def __init__(self, quiet: bool) -> None:
        super().__init__()
        self.quiet = quiet

    def emit(self, record: logging.LogRecord) -> None:
        notice = getattr(record, "notice", False)
        text = " ".join(record.getMessage().removeprefix("heedful: ").split())
        if not (notice and self.quiet):
            print_error(f"heedful: {'' if notice else record.levelname.lower() + ': '}{text}")


def _fail(given: list[str], message: str, code: int) -> int:
    if "--debug" in given:
        traceback.print_exc()
    print_error(f"heedful: {'error: ' if code != INTERRUPTED else ''}{message}")
    if "--json" in given:
        with suppress(UserError, OSError):
            print_json({"error": message, "code": code})
    return code


def _parser() -> Parser:
    parser = Parser(prog="heedful", description="Models with one small linear model for every row.")
    parser.add_argument("--version", action="version", version=f"heedful {__version__}")
    names = "fit | predict | explain | effect | drift | demo | compile"
    commands = parser.add_subparsers(title="commands", required=True, metavar=names)
    _add_fit(commands)
    _add_predict(commands)
    _add_explain(commands)
    _add_effect(commands)
    _add_drift(commands)
    demo = _add(commands, "demo", "compare models on a built-in table")
    demo("--splits", type=positive, default=10, metavar="N", help="random halves (default 10)")
    _add(commands, "compile", "compile all functions ahead, for container images and clusters")
    return parser


def _add(commands: Any, name: str, text: str) -> Add:
    """Add a command with the options that all of them have; return what adds its own."""
    parser = commands.add_parser(name, help=text, description=text.capitalize() + ".")
    parser.set_defaults(command=name)
    add = parser.add_argument
    add("--jobs", type=int, default=-1, metavar="N", help="threads, -1 for all cores (default)")
    add("--json", action="store_true", help="print one JSON object instead of text")
    add("-v", "--verbose", action="store_true", help="show progress even without a terminal")
    add("--quiet", action="store_true", help="no progress and no text; errors and warnings only")
    add("--debug", action="store_true", help="show where an error comes from")
    return add


def _add_columns(add: Add, option: str, text: str) -> None:
    """Add an option that takes names of columns."""
    add(option, action="extend", nargs="+", default=[], metavar="COL", help=text)


def _add_table(add: Add) -> None:
    add("table", type=Path, metavar="TABLE", help=TABLE)
    _add_columns(add, "--drop", "columns to leave out")
    add("--sep", type=separator, metavar="CHAR", help="separator of a CSV file (default: a comma)")


def _add_output(add: Add, text: str = TABLE, required: bool = True) -> None:
    add("-o", "--output", type=Path, required=required, metavar="OUT", help=text)
    text = (
        "write text that begins with = + - or @ unchanged; by default a ' is put before it in CSV files, so that "
        "spreadsheets do not read it as a formula"
    )
    add("--raw-cells", action="store_true", help=text)


def _add_learning(add: Add) -> None:
    """Add the options of commands that learn from TABLE."""
    _add_columns(add, "--dates", "text columns with dates in ISO 8601: 2024-05-01, 2024-05-01T12:30")
    add("--heads", choices=("multi", "single"), default="multi", help="blend many heads, or use the best one")
    add("--seed", type=seed, default=0, metavar="N", help="seed (default 0)")
    add(
        "--trees",
        type=positive,
        metavar="N",
        help="total number of trees (default 500; fewer for many heads of over 20,000 rows)",
    )


def _add_fit(commands: Any) -> None:
    add = _add(commands, "fit", "fit a model to a table and save it")
    _add_table(add)
    add("-o", "--output", type=Path, required=True, metavar="MODEL", help="file for the model")
    add("--target", metavar="COL", help="column to predict")
    text = (
        "auto (default): survival with --event and --time; classification for text, booleans and up to 10 different "
        "whole numbers with at least 5 rows each on average; else regression. Must be named: poisson (counts), gamma "
        "(costs), tweedie (costs, some of them 0)"
    )
    add("--task", choices=TASKS, default="auto", help=text)
    add("--event", metavar="COL", help="survival: whether the event happened (true/false or 1/0)")
    add("--time", metavar="COL", help="survival: time of the event or of censoring")
    text = "poisson, gamma, tweedie: exposure of each row, > 0"
    add("--exposure", metavar="COL", help=text)
    text = "sign of the coefficients of a numeric column: >= 0 (accidents=+) or <= 0 (age=-)"
    add("--limit", type=limit, action="extend", nargs="+", default=[], metavar="COL=SIGN", help=text)
    _add_learning(add)


def _add_predict(commands: Any) -> None:
    add = _add(commands, "predict", "predict the rows of a table")
    add("model", type=Path, metavar="MODEL", help=MODEL)
    _add_table(add)
    _add_output(add)
    _add_columns(add, "--keep", "columns of TABLE to copy to the output, such as an identifier")
    text = "regression and effects: columns low and high, the interval of coverage P, such as 0.9"
    add("--interval", type=coverage, metavar="P", help=text)
    text = "survival: columns with the survival probability at each of these times, such as 1,5,10"
    add("--times", type=times, default=[], metavar="T,T,...", help=text)
    text = "rows per block (default: about 256 MB); results do not depend on it"
    add("--block-size", type=positive, metavar="N", help=text)


def _add_explain(commands: Any) -> None:
    add = _add(commands, "explain", "explain predictions")
    add("model", type=Path, metavar="MODEL", help=MODEL)
    _add_table(add)
    text = (
        "page (.html), or table (.csv, .tsv, .parquet) of the top features and rows of each query, followed by the "
        "shape functions"
    )
    _add_output(add, text, required=False)
    add("--top", type=positive, default=5, metavar="K", help="features and rows per query (default 5)")
    add("--title", help="title of the page")


def _add_effect(commands: Any) -> None:
    add = _add(commands, "effect", "estimate the effect of a treatment on each row")
    _add_table(add)
    _add_output(add)
    add("--outcome", required=True, metavar="COL", help="outcome: numeric or binary")
    add("--treatment", required=True, metavar="COL", help="treatment: binary or continuous")
    text = "which of two values is the treatment (default: the second in order)"
    add("--treated", metavar="VALUE", help=text)
    text = (
        "known propensity, such as 0.5 in a randomised trial with equal arms, or the column with it; by default it is "
        "estimated"
    )
    add("--propensity", type=number_or_text, metavar="P", help=text)
    add("--weight", metavar="COL", help="column with weights of the rows")
    add("--group", metavar="COL", help="column with groups of dependent rows, such as patients")
    add("--queries", type=Path, metavar="TABLE", help="rows whose effects are written (default: those of TABLE)")
    text = "columns to copy to the output, such as an identifier; name them in --drop too if they are no features"
    _add_columns(add, "--keep", text)
    add("--interval", type=coverage, default=0.9, metavar="P", help="coverage of intervals (default 0.9)")
    text = "smaller outcomes are better, such as pain or costs: smallest effects first"
    add("--smaller-is-better", action="store_true", help=text)
    add("--report", type=Path, metavar="PAGE", help="page (.html) with effects and checks")
    add("--save", type=Path, metavar="MODEL", help="file for the model, for `predict` and `explain`")
    _add_learning(add)


def _add_drift(commands: Any) -> None:
    add = _add(commands, "drift", "correct a fitted model by recent rows, without refitting it")
    text = "fitted model: file of `heedful fit` or skops, text of LightGBM, JSON or UBJ of XGBoost"
    add("model", type=Path, metavar="MODEL", help=text)
    text = "load a model of another package without checks: for trusted files only"
    add("--trust", action="store_true", help=text)
    add("recent", type=Path, metavar="RECENT", help=f"recent rows with the target: {TABLE}")
    _add_table(add)
    _add_output(add)
    add("--target", required=True, metavar="COL", help="column of RECENT that the model predicts")
    text = "rows from the time of training that the model was not trained on, with the target: to test for drift"
    add("--reference", type=Path, metavar="FILE", help=text)
    add("--time", metavar="COL", help="column of RECENT with dates or numbers")
    text = "recent rows to keep: a number of rows, or with --time a length of time before the latest (30D)"
    add("--window", type=window, metavar="N", help=text)
    text = "lower uses fewer recent rows (default auto)"
    add("--temperature", type=temperature, default="auto", metavar="T", help=text)
    text = "share of the correction that is applied, 0 to 1 (default auto)"
    add("--mixing", type=mixing, default="auto", metavar="M", help=text)
    add("--report", type=Path, metavar="PAGE", help="page (.html) with tests, errors and corrections")
