"""What studies share: options, splits that are measured once and kept, pages, and sentences about figures."""

import argparse
import json
import platform
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_info, threadpool_limits
from tqdm import tqdm

from benchmarks import kept, pages
from benchmarks.kept import Line, Part, Scores, part_of
from benchmarks.tables import PROJECT, READINGS, TABLES, data_folder, load, stand_in

# Features and response; or what draws a simulation, and its arguments.
Table = tuple[Any, ...]
Job = tuple[str, int]
AddOptions = Callable[[argparse.ArgumentParser], None]
SMOKE = {"runs": 1, "jobs": 1, "fresh": True}


class Study(NamedTuple):
    """A study: its folder, what it measures on a split (a table and a seed), and the packages that have a say in it."""

    home: Path
    one_split: Callable[..., Scores]
    packages: tuple[str, ...]

    @property
    def versions(self) -> str:
        """What splits must share to stand in one table."""
        return pages.versions(self.packages)


def running_module() -> str:
    """Return the name of the module that was called; nothing if it was called by its file."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    return spec.name.removesuffix(".__main__") if spec else ""


def read_options(
    about: str, runs: int = 0, *, alone: bool = False, add: AddOptions | None = None, **sizes: tuple[Any, Any]
) -> argparse.Namespace:
    """Return the options of a study, those that it adds, and its sizes: each in a whole run and in a smoke run.

    A study with ``runs`` keeps what it has measured. Its splits share the cores, one each, or have them ``alone``. With
    fewer runs it is not ``whole``.
    """
    how = {"description": about, "formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = argparse.ArgumentParser(command_name(), **how)
    parser.set_defaults(runs=runs, jobs=1)
    if runs > 1:
        parser.add_argument("--runs", "--splits", type=int, help=f"splits or draws of each table (default {runs})")
    if runs > 1 and not alone:
        parser.add_argument("--jobs", type=int, help="splits at a time, each on one core (default: all cores)")
        parser.set_defaults(jobs=-1)
    if runs:
        parser.add_argument("--fresh", action="store_true", help="measure again what earlier runs have measured")
    parser.add_argument("--smoke", action="store_true", help="a small run without data, to see that it works")
    if add is not None:
        add(parser)
    options = parser.parse_args()
    chosen = {name: size[options.smoke] for name, size in sizes.items()}
    chosen["whole"] = not options.smoke and options.runs >= runs
    return argparse.Namespace(**vars(options) | chosen | (SMOKE if options.smoke else {}))


def command_name() -> str | None:
    """Return how the running module is called."""
    name = running_module()
    return f"python -m {name}" if name else None


def add_tables(parser: argparse.ArgumentParser) -> None:
    """Add the options of studies on the paper's tables."""
    parser.add_argument("--data", help="folder that holds uci/manifest.json")
    parser.add_argument("--tables", "--datasets", nargs="+", default=list(TABLES), choices=list(TABLES))


def read_tables(options: argparse.Namespace) -> dict[str, Table]:
    """Return the tables by their titles, read as in table 1."""
    if options.smoke:
        return {"stand-in": stand_in(120, 0)}
    folder = data_folder(options.data)
    readings = {name: READINGS[name][""] if name in READINGS else {} for name in options.tables}
    return {TABLES[name]: load(name, folder, **readings[name]) for name in options.tables}


def has_all_tables(options: argparse.Namespace) -> bool:
    """Return whether a run is of all of the paper's tables."""
    return set(options.tables) == set(TABLES)


def work_folder(home: Path, options: argparse.Namespace) -> Path:
    """Return the folder under build/ for what is not whole."""
    folder = PROJECT / "build" / (f"{home.name}-smoke" if options.smoke else home.name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def kept_splits(home: Path, options: argparse.Namespace) -> Path:
    """Return the file in which splits are kept: beside the study, in small under build/."""
    return (work_folder(home, options) if options.smoke else home) / "splits.jsonl"


def publish(home: Path, options: argparse.Namespace, page: str, whole: bool = True, name: str = "results.md") -> Path:
    """Print a page and write it: in the study's folder if the run is whole, else under build/; return the folder.

    Below stands at which commits it was measured, and on what machines.
    """
    folder = home if whole and options.whole else work_folder(home, options)
    page += f"\n{describe_origins(options)}\n"
    print(page)
    (folder / name).write_text(page, encoding="utf-8")
    return folder


def describe_origins(options: argparse.Namespace) -> str:
    """Return at which commits and on what kinds of machine the splits of a page were measured."""
    origins = getattr(options, "origins", None) or {where_measured()}
    commits, machines = (pages.list_words(sorted(set(words))) for words in zip(*origins, strict=True))
    text = f"Measured at commit {commits} on {machines}."
    if len({machine for _, machine in origins}) > 1:
        text += " Between kinds of machine numbers differ a little, as BLAS sums in another order."
    return text


@cache
def where_measured() -> tuple[str, str]:
    """Return the commit that is checked out, and the machine with the kernel of its BLAS."""
    git = partial(subprocess.run, cwd=PROJECT, capture_output=True, text=True, check=False)
    commit = git(["git", "rev-parse", "--short=9", "HEAD"]).stdout.strip() or "unknown"
    if git(["git", "status", "--porcelain", "--", "src", "benchmarks/*.py"]).stdout.strip():
        commit += " with changes"
    kernels = {entry["architecture"] for entry in threadpool_info() if "architecture" in entry}
    return commit, f"{platform.machine()} ({', '.join(sorted(kernels)) or 'no OpenBLAS'})"


def run(study: Study, tables: dict[str, Table], options: argparse.Namespace, part: str = "") -> pd.DataFrame:
    """Return the scores of all splits, measured now or kept from an earlier run."""
    wanted = [(part, *job) for job in order_jobs(tables, options.runs)]
    known, _ = run_parts({part: study}, tables, wanted, options)
    return as_frame({job[1:]: known[job] for job in sorted(wanted)})


def order_jobs(tables: dict[str, Table], runs: int) -> list[Job]:
    """Return tables and seeds: seed by seed, so that a run cut short has some of every table; the dearest first."""
    dear = sorted(tables, key=lambda title: -getattr(tables[title][0], "size", 0))
    return [(title, seed) for seed in range(runs) for title in dear]


def run_parts(
    studies: dict[str, Study], tables: dict[str, Table], wanted: list[Part], options: argparse.Namespace
) -> tuple[dict[Part, Scores], int]:
    """Return all that is known of the parts of a study, and how many had to be measured for it.

    A part is a study of its own, of which each split is kept with the versions of its own packages: a part that is new
    leaves the others as they are. All share one folder, that of the first.
    """
    home = next(iter(studies.values())).home
    path, versions = kept_splits(home, options), {part: study.versions for part, study in studies.items()}
    lines = read_kept(path, versions, wanted if options.fresh else [])
    kept.write_lines(path, list(lines.values()))
    missing = [job for job in wanted if job not in lines]
    splits = measure_splits(studies, tables, options.jobs, missing)
    with path.open("a", encoding="utf-8") as file:
        for split in tqdm(splits, home.name, len(wanted), initial=len(wanted) - len(missing), unit="split"):
            line = {"versions": versions[split["part"]], "origin": where_measured()} | split
            file.write(f"{json.dumps(line)}\n")
            file.flush()
            lines[part_of(line)] = line
    known = {part: line["scores"] for part, line in lines.items() if part[0] in studies}
    check_numbers(wanted, known)
    kept.write_lines(path, list(lines.values()))
    used = {tuple(lines[part]["origin"]) for part in wanted}
    options.origins = getattr(options, "origins", set()) | used
    return known, len(missing)


def read_kept(path: Path, versions: dict[str, str], unwanted: list[Part]) -> dict[Part, Line]:
    """Return the splits of a file without those that are unwanted, or of other versions than their part has now."""
    lines = {part_of(line): line for line in kept.read_lines(path)}
    old = {part for part, line in lines.items() if versions.get(part[0], line["versions"]) != line["versions"]}
    return {part: line for part, line in lines.items() if part not in old.union(unwanted)}


def measure_splits(
    studies: dict[str, Study], tables: dict[str, Table], n_jobs: int, parts: list[Part]
) -> Iterator[dict[str, Any]]:
    """Measure splits side by side, in any order."""
    work = (delayed(measure_split)(studies[part], part, title, tables[title], seed) for part, title, seed in parts)
    return Parallel(n_jobs, return_as="generator_unordered")(work)


def check_numbers(wanted: list[Part], known: dict[Part, Scores]) -> None:
    """Refuse to go on to a page in which a number that was asked for is missing."""
    bad = [
        (*part, name, what)
        for part in wanted
        for name, scores in known[part].items()
        for what, value in scores.items()
        if not np.all(np.isfinite(value))
    ]
    if bad:
        raise SystemExit(f"{len(bad)} numbers are not finite, first {bad[0]}. Nothing was written.")


def measure_split(study: Study, part: str, title: str, table: Table, seed: int) -> dict[str, Any]:
    """Run one split on one core; LightGBM warns about feature names that do not matter here."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", UserWarning)
        scores = study.one_split(*table, seed)
    return {"part": part, "table": title, "seed": seed, "scores": scores}


def measure(models: dict[str, Any], train: tuple[Any, np.ndarray], test: tuple[Any, np.ndarray]) -> Scores:
    """Return the mean squared test error of each model, and the CPU seconds that fitting and predicting took.

    CPU seconds do not tell what else the machine was doing.
    """
    scores = {}
    for name, model in models.items():
        start = process_time()
        error = np.mean((test[1] - model.fit(*train).predict(test[0])) ** 2)
        scores[name] = {"error": float(error), "seconds": process_time() - start}
    return scores


def as_frame(splits: dict[Job, Scores]) -> pd.DataFrame:
    """Return one row per split, and for each kind of figure (error, seconds, ...) one column per method."""
    rows = pd.MultiIndex.from_tuples(splits, names=["table", "seed"])
    figures = [
        {(what, name): value for name, score in scores.items() for what, value in score.items()}
        for scores in splits.values()
    ]
    frame = pd.DataFrame(figures, rows)
    return frame.set_axis(pd.MultiIndex.from_tuples(frame.columns), axis=1)


def improvement(results: pd.DataFrame, zero: str) -> pd.DataFrame:
    """Return by how many per cent each method's error is smaller than that of the method at zero."""
    errors = results["error"]
    return 100 * (1 - errors.drop(columns=zero).div(errors[zero], axis=0))


def summarise(values: pd.DataFrame, corner: str = "table", digits: int = 1) -> str:
    """Return a markdown table: mean (standard error) over splits."""
    rows = [
        [title, *(pages.format_mean(splits[name], digits) for name in values)]
        for title, splits in values.groupby("table")
    ]
    return pages.draw_table([corner, *values], rows)


def compare(percent: pd.DataFrame, method: str, other: str) -> str:
    """Return a sentence: on how many tables a method's mean is at or above another's; one without column is at zero."""
    means = percent.groupby("table").mean()
    gap = means[method] - means.get(other, 0.0)
    below = f"; below on {', '.join(gap.index[gap < 0])}" if (gap < 0).any() else ""
    return f"{method} against {other}: at or above on {(gap >= 0).sum()} of {len(gap)} tables{below}."


def name_best(percent: pd.DataFrame, zero: str) -> str:
    """Return a sentence: which method has the best mean on which tables."""
    best = percent.groupby("table").mean().assign(**{zero: 0.0}).idxmax(axis=1)
    parts = [f"{method} on {', '.join(best.index[best == method])}" for method in best.value_counts().index]
    return f"best mean: {'; '.join(parts)}."


def describe_splits(results: pd.DataFrame) -> str:
    """Return how many splits there are, and of which tables there are fewer."""
    sizes = results.groupby("table").size()
    fewer = [f"{size} of {title}" for title, size in sizes[sizes < sizes.max()].items()]
    return f"{sizes.max()} random 50/50 splits" + (f" (only {pages.list_words(fewer)})" if fewer else "")


def write_page(study: Study, results: pd.DataFrame, head: tuple[str, str], zero: str, sentences: list[str]) -> str:
    """Return a page under a title and what leads to it: figures, what they say, what they cost, how to run it again."""
    (title, lead), percent = head, improvement(results, zero)
    minutes = results["seconds"].to_numpy().sum() / 60
    about = (
        f"{lead} Mean (standard error) of {describe_splits(results)}, seeds from 0. "
        f"{pages.stamp(*study.packages)}; {minutes:.0f} minutes of one core. This page is rewritten by "
        f"`make {study.home.name}`."
    )
    costs = f"Seconds to fit one half and predict the other, on one core:\n\n{summarise(results['seconds'])}"
    return pages.join(title, about, summarise(percent), pages.bullets([*sentences, name_best(percent, zero)]), costs)
