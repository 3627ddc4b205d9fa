"""The program ``heedful``: its options, and one line for whatever goes wrong.

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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from heedful import __version__
from heedful.cli._console import finish, forget, print_error, print_json, print_line
from heedful.cli._errors import UserError, one_line, os_message, warning_line
from heedful.cli._options import (
    coverage,
    limit,
    mixing,
    positive,
    propensity,
    seed,
    separator,
    temperature,
    times,
    window,
)

DONE, BUG, WRONG, PIPE_CLOSED, INTERRUPTED, TERMINATED = 0, 1, 2, 141, 130, 143
TASKS = ("auto", "regression", "classification", "survival", "poisson", "gamma", "tweedie")
TABLE = "CSV (also .csv.gz), TSV or Parquet file, by the ending of its name"


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
        finish()
    except UserError as error:
        return _fail(given, one_line(error), WRONG)
    except KeyboardInterrupt:
        return _fail(given, "interrupted", INTERRUPTED)
    except BrokenPipeError:
        # who read our output has left; nothing may be written at exit either
        forget()
        return PIPE_CLOSED
    except OSError as error:
        return _fail(given, os_message(error), WRONG)
    except MemoryError:
        return _fail(given, "not enough memory. Give fewer rows, or --jobs 1", WRONG)
    except Exception as error:  # noqa: BLE001 - the last stop before the user
        return _fail(given, f"{type(error).__name__}: {one_line(error)} (our mistake; --debug shows where)", BUG)
    return DONE


def _run(given: list[str]) -> None:
    arguments = _parser().parse_args(given)
    watched = sys.stderr is not None and sys.stderr.isatty()
    arguments.verbose = int((arguments.verbose or watched) and not arguments.quiet)
    command = importlib.import_module(f"heedful.cli._{arguments.command}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        summary = command.run(arguments)
    messages = list(
        dict.fromkeys(warning_line(entry.message) for entry in caught if isinstance(entry.message, Warning))
    )
    for message in messages:
        print_error(f"heedful: warning: {message}")
    if arguments.json:
        print_json(summary | {"warnings": messages})
    elif not arguments.quiet:
        for line in command.lines(summary):
            print_line(line)


@contextmanager
def _listening(quiet: bool) -> Iterator[None]:
    """Write the library's messages to standard error; let a polite kill clean up."""
    log, warner = logging.getLogger("heedful"), _Warner(quiet)
    alone = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED)) if alone else None
    log.addHandler(warner)
    try:
        yield
    finally:
        log.removeHandler(warner)
        if alone:
            signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


class _Warner(logging.Handler):
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
            finish()
    return code


def _parser() -> Parser:
    parser = Parser(prog="heedful", description="One small, readable model for every row it predicts.")
    parser.add_argument("--version", action="version", version=f"heedful {__version__}")
    names = "fit | predict | explain | effect | drift | demo | compile"
    commands = parser.add_subparsers(title="commands", required=True, metavar=names)
    _add_fit(commands)
    _add_predict(commands)
    _add_explain(commands)
    _add_effect(commands)
    _add_drift(commands)
    demo = _add(commands, "demo", "compare models of a table that comes along")
    demo.add_argument("--splits", type=positive, default=10, metavar="N", help="random halves (default 10)")
    _add(commands, "compile", "compile all functions now, for images and clusters: no first use has to wait")
    return parser


def _add(commands: Any, name: str, text: str) -> argparse.ArgumentParser:
    """Return the parser of a command, with the options that all of them have."""
    parser = commands.add_parser(name, help=text, description=text.capitalize() + ".")
    parser.set_defaults(command=name)
    parser.add_argument("--jobs", type=int, default=-1, metavar="N", help="threads, -1 for all cores (default)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.add_argument("-v", "--verbose", action="store_true", help="progress even where nobody watches a terminal")
    parser.add_argument("--quiet", action="store_true", help="no progress and no text; errors and warnings only")
    parser.add_argument("--debug", action="store_true", help="show where an error comes from")
    return parser


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="TABLE", help=TABLE)
    parser.add_argument("--drop", action="extend", nargs="+", default=[], metavar="COL", help="columns to leave out")
    parser.add_argument("--sep", type=separator, metavar="CHAR", help="separator of a CSV file (default: a comma)")


def _add_dates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dates", action="extend", nargs="+", default=[], metavar="COL", help=(
        "columns of text that hold dates, as ISO 8601 writes them: 2024-05-01, 2024-05-01T12:30"))  # fmt: skip


def _add_output(parser: argparse.ArgumentParser, text: str = TABLE, required: bool = True) -> None:
    parser.add_argument("-o", "--output", type=Path, required=required, metavar="OUT", help=text)
    parser.add_argument("--raw-cells", action="store_true", help=(
        "write text that begins with = + - or @ as it is; by default a CSV file has a ' before it, so that no "
        "spreadsheet takes it for a formula"))  # fmt: skip


def _add_fit(commands: Any) -> None:
    parser = _add(commands, "fit", "fit a model to a table and save it")
    _add_table(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="MODEL", help="file for the model")
    parser.add_argument("--target", metavar="COL", help="column to predict")
    parser.add_argument("--task", choices=TASKS, default="auto", help=(
        "auto (default): survival with --event and --time; classification for text, booleans and at most 10 different "
        "whole numbers with 5 rows each on average; else regression. By name only: poisson (counts), gamma (costs), "
        "tweedie (costs, some of them 0)"))  # fmt: skip
    parser.add_argument("--event", metavar="COL", help="survival: whether the event happened (true/false or 1/0)")
    parser.add_argument("--time", metavar="COL", help="survival: time of the event, or of the last look")
    parser.add_argument("--exposure", metavar="COL", help=(
        "poisson, gamma, tweedie: how long, or of how many, the target was counted: numbers > 0"))  # fmt: skip
    parser.add_argument("--limit", type=limit, action="extend", nargs="+", default=[], metavar="COL=SIGN", help=(
        "keep coefficients of a column of numbers at 0 or above (accidents=+) or below (age=-)"))  # fmt: skip
    _add_dates(parser)
    _add_forests(parser)


def _add_forests(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--heads", choices=("multi", "single"), default="multi", help="blend many heads, or take the best"
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="seed (default 0)")
    parser.add_argument("--trees", type=positive, metavar="N", help="trees in all (default 500); fewer are faster")


def _add_predict(commands: Any) -> None:
    parser = _add(commands, "predict", "predict the rows of a table")
    parser.add_argument("model", type=Path, metavar="MODEL", help="file that `heedful fit` or `heedful effect` wrote")
    _add_table(parser)
    _add_output(parser)
    parser.add_argument("--keep", action="extend", nargs="+", default=[], metavar="COL", help=(
        "columns of TABLE to copy to the output, such as an identifier"))  # fmt: skip
    parser.add_argument("--interval", type=coverage, metavar="P", help=(
        "numbers and effects: columns low and high, between which a share P of them lies, such as 0.9"))  # fmt: skip
    parser.add_argument("--times", type=times, default=[], metavar="T,T,...", help=(
        "survival: columns with the probability of no event until each of these times, such as 1,5,10"))  # fmt: skip
    parser.add_argument("--block-size", type=positive, metavar="N", help=(
        "rows to read, predict and write at a time (default: as many as take about 256 MB); results do not depend on it"
    ))  # fmt: skip


def _add_explain(commands: Any) -> None:
    parser = _add(commands, "explain", "say what predictions were made of")
    parser.add_argument("model", type=Path, metavar="MODEL", help="file that `heedful fit` or `heedful effect` wrote")
    _add_table(parser)
    _add_output(parser, (
        "page (.html), or table (.csv, .tsv, .parquet) of the top features and rows of each query and, below them, the "
        "curves that all queries share"), required=False)  # fmt: skip
    parser.add_argument("--top", type=positive, default=5, metavar="K", help="features and rows per query (default 5)")
    parser.add_argument("--title", help="title of the page")


def _add_effect(commands: Any) -> None:
    parser = _add(commands, "effect", "estimate the effect of a treatment on each row")
    _add_table(parser)
    _add_output(parser)
    parser.add_argument("--outcome", required=True, metavar="COL", help="what may change: numbers, or two labels")
    parser.add_argument("--treatment", required=True, metavar="COL", help="what a row got: two values, or an amount")
    parser.add_argument("--treated", metavar="VALUE", help=(
        "which of two values is the treatment (default: the second in order)"))  # fmt: skip
    parser.add_argument("--propensity", type=propensity, metavar="P", help=(
        "known chance of the treatment, such as 0.5 in a trial by a fair coin, or the column that holds it; by default "
        "it is learned"))  # fmt: skip
    parser.add_argument("--weight", metavar="COL", help="column with weights of the rows")
    parser.add_argument(
        "--group", metavar="COL", help="column with groups of rows that belong together, such as patients"
    )
    parser.add_argument("--queries", type=Path, metavar="TABLE", help=(
        "rows whose effects are written (default: those of TABLE)"))  # fmt: skip
    parser.add_argument("--keep", action="extend", nargs="+", default=[], metavar="COL", help=(
        "columns to copy to the output, such as an identifier; those not to learn from go to --drop too"))  # fmt: skip
    parser.add_argument(
        "--interval", type=coverage, default=0.9, metavar="P", help="coverage of intervals (default 0.9)"
    )
    parser.add_argument("--smaller-is-better", action="store_true", help=(
        "the outcome is to be small, such as pain or costs: smallest effects first"))  # fmt: skip
    parser.add_argument("--report", type=Path, metavar="PAGE", help="page (.html) that shows effects and their checks")
    parser.add_argument("--save", type=Path, metavar="MODEL", help="file for the model, for `predict` and `explain`")
    _add_dates(parser)
    _add_forests(parser)


def _add_drift(commands: Any) -> None:
    parser = _add(commands, "drift", "correct a fitted model by recent rows, without refitting it")
    parser.add_argument("model", type=Path, metavar="MODEL", help=(
        "fitted model: file of `heedful fit` or skops, text of LightGBM, JSON or UBJ of XGBoost"))  # fmt: skip
    parser.add_argument("--trust", action="store_true", help=(
        "read a model of another package as that package does, unchecked: for files that you trust only"))  # fmt: skip
    parser.add_argument("recent", type=Path, metavar="RECENT", help=f"recent rows with the target: {TABLE}")
    _add_table(parser)
    _add_output(parser)
    parser.add_argument("--target", required=True, metavar="COL", help="column of RECENT that the model predicts")
    parser.add_argument("--reference", type=Path, metavar="FILE", help=(
        "rows of the model's own time that it was not trained on, with the target: to tell what moved"))  # fmt: skip
    parser.add_argument("--time", metavar="COL", help="column of RECENT with dates or numbers")
    parser.add_argument("--window", type=window, metavar="N", help=(
        "recent rows to keep: so many, or with --time those of a length of time up to the latest (30D)"))  # fmt: skip
    parser.add_argument("--temperature", type=temperature, default="auto", metavar="T", help=(
        "lower attends to fewer recent rows (default auto)"))  # fmt: skip
    parser.add_argument("--mixing", type=mixing, default="auto", metavar="M", help=(
        "share of the correction that is applied, 0 to 1 (default auto)"))  # fmt: skip
    parser.add_argument("--report", type=Path, metavar="PAGE", help="page (.html) that shows what moved, and where")
