"""What studies on the paper's tables share: splits that are run once and kept, and sentences and tables from them."""

import argparse
import contextlib
import datetime as dt
import json
import platform
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from tables import PROJECT, TABLES, data_folder, load, stand_in

Table = tuple[pd.DataFrame, np.ndarray]
Job = tuple[str, int]
Part = tuple[str, str, int]
Scores = dict[str, dict[str, float]]
AddOptions = Callable[[argparse.ArgumentParser], None]
SMOKE = {"tables": [], "splits": 1, "jobs": 1, "fresh": True}


class Study(NamedTuple):
    """A study: its folder in benchmarks/paper, its page, what is at zero there, and what it measures on one split.

    ``edition`` is raised when the methods change, so that splits of older ones are not taken for new.
    """

    name: str
    title: str
    lead: str
    zero: str
    one_split: Callable[[pd.DataFrame, np.ndarray, int], Scores]
    packages: tuple[str, ...]
    edition: int = 1

    @property
    def versions(self) -> str:
        """Versions of Python and of the packages."""
        packages = "".join(f"{name} {version(name)}, " for name in self.packages)
        return f"{packages}Python {platform.python_version()}"

    @property
    def key(self) -> str:
        """What splits must share to stand in one table."""
        return f"edition {self.edition}, {self.versions}"


def read_options(about: str, splits: int, add: AddOptions | None = None) -> argparse.Namespace:
    """Return the options that every study has, and those that a study adds."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder that holds uci/manifest.json")
    parser.add_argument("--tables", "--datasets", nargs="+", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--splits", type=int, default=splits)
    parser.add_argument("--jobs", type=int, default=-1, help="splits at a time, each on one core")
    parser.add_argument("--fresh", action="store_true", help="measure again what earlier runs have measured")
    parser.add_argument("--smoke", action="store_true", help="one split of a generated table, to see that it runs")
    if add is not None:
        add(parser)
    options = parser.parse_args()
    return argparse.Namespace(**vars(options) | SMOKE) if options.smoke else options


def read_tables(options: argparse.Namespace) -> dict[str, Table]:
    """Return the tables by their titles."""
    if options.smoke:
        return {"stand-in": stand_in(120, 0)}
    folder = data_folder(options.data)
    return {TABLES[name]: load(name, folder) for name in options.tables}


def work_folder(study: Study, options: argparse.Namespace) -> Path:
    """Return the folder under build/ in which splits are kept."""
    folder = PROJECT / "build" / (f"{study.name}-smoke" if options.smoke else study.name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def output_folder(study: Study, options: argparse.Namespace) -> Path:
    """Return where results go: beside the study if all tables are in, else under build/."""
    whole = set(options.tables) == set(TABLES)
    return PROJECT / "benchmarks" / "paper" / study.name if whole else work_folder(study, options)


def run(study: Study, tables: dict[str, Table], options: argparse.Namespace) -> pd.DataFrame:
    """Return the scores of all splits, measured now or kept from an earlier run."""
    wanted = [("", title, seed) for title, seed in order_jobs(tables, options.splits)]
    known, _ = run_parts({"": study}, tables, wanted, options)
    return as_frame({part[1:]: known[part] for part in sorted(wanted)})


def order_jobs(tables: dict[str, Table], splits: int) -> list[Job]:
    """Return tables and seeds: seed by seed, so that a run cut short has some of every table; the dearest first."""
    dear = sorted(tables, key=lambda title: -tables[title][0].size)
    return [(title, seed) for seed in range(splits) for title in dear]


def run_parts(
    studies: dict[str, Study], tables: dict[str, Table], wanted: list[Part], options: argparse.Namespace
) -> tuple[dict[Part, Scores], int]:
    """Return all that is known of the parts of a study, and how many had to be measured for it.

    A part is a study of its own, of which each split is kept under its own key: a part that is new or has changed
    leaves the others as they are. All share one folder, that of the first.
    """
    path = work_folder(next(iter(studies.values())), options) / "splits.jsonl"
    if options.fresh:
        forget(path, set(wanted))
    known = read_parts(path, {part: study.key for part, study in studies.items()})
    missing = [job for job in wanted if job not in known]
    work = (delayed(measure_split)(studies[part], part, title, *tables[title], seed) for part, title, seed in missing)
    done = Parallel(options.jobs, return_as="generator_unordered")(work)
    name = next(iter(studies.values())).name
    with path.open("a", encoding="utf-8") as file:
        for split in tqdm(done, total=len(wanted), initial=len(wanted) - len(missing), desc=name, unit="split"):
            # the newline comes first, so that a line cut off does not swallow the next one
            file.write("\n" + json.dumps(split))
            file.flush()
            known[split["part"], split["table"], split["seed"]] = split["scores"]
    return known, len(missing)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the splits that a file holds; a line that an interruption cut off is left out."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(json.JSONDecodeError):
            lines.append(json.loads(line))
    return lines


def part_of(line: dict[str, Any]) -> Part:
    """Return what a line is about."""
    return line.get("part", ""), line["table"], line["seed"]


def read_parts(path: Path, keys: dict[str, str]) -> dict[Part, Scores]:
    """Return the splits kept under the keys of their parts."""
    return {part_of(line): line["scores"] for line in read_lines(path) if keys.get(part_of(line)[0]) == line["key"]}


def read_kept(path: Path, key: str) -> dict[Job, Scores]:
    """Return the splits kept under this key, of a study without parts."""
    return {part[1:]: scores for part, scores in read_parts(path, {"": key}).items()}


def forget(path: Path, unwanted: set[Part]) -> None:
    """Take some splits out of a file."""
    lines = [json.dumps(line) for line in read_lines(path) if part_of(line) not in unwanted]
    path.write_text("\n".join(lines), encoding="utf-8")


def measure_split(study: Study, part: str, title: str, X: pd.DataFrame, y: np.ndarray, seed: int) -> dict[str, Any]:
    """Run one split on one core; LightGBM warns about feature names that do not matter here."""
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", UserWarning)
        scores = study.one_split(X, y, seed)
    return {"key": study.key, "part": part, "table": title, "seed": seed, "scores": scores}


def measure(models: dict[str, Any], train: tuple[Any, np.ndarray], test: tuple[Any, np.ndarray]) -> Scores:
    """Return the mean squared test error of each model, and the CPU seconds that fitting and predicting took.

    CPU seconds do not tell what else the machine was doing.
    """
    found = {}
    for name, model in models.items():
        start = time.process_time()
        error = np.mean((test[1] - model.fit(*train).predict(test[0])) ** 2)
        found[name] = {"error": float(error), "seconds": time.process_time() - start}
    return found


def as_frame(splits: dict[Job, Scores]) -> pd.DataFrame:
    """Return one row per split, and for errors and seconds one column per method."""
    rows = pd.MultiIndex.from_tuples(splits, names=["table", "seed"])
    parts = {
        what: pd.DataFrame([{name: score[what] for name, score in scores.items()} for scores in splits.values()], rows)
        for what in ("error", "seconds")
    }
    return pd.concat(parts, axis=1)


def improvement(study: Study, results: pd.DataFrame) -> pd.DataFrame:
    """Return by how many per cent each method's error is smaller than that of the method at zero."""
    errors = results["error"]
    return 100 * (1 - errors.drop(columns=study.zero).div(errors[study.zero], axis=0))


def summarise(values: pd.DataFrame) -> str:
    """Return a markdown table: mean (standard error) over splits."""
    lines = ["| table | " + " | ".join(values) + " |", "|---" * (values.shape[1] + 1) + "|"]
    for title, splits in values.groupby("table"):
        means, errors = splits.mean(), splits.sem()
        alone = len(splits) == 1
        cells = [f"{means[name]:.1f}" + ("" if alone else f" ({errors[name]:.1f})") for name in values]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


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


def write_page(study: Study, results: pd.DataFrame, sentences: list[str], folder: Path) -> None:
    """Print and write results.md: figures, what they say, what they cost, and how to get them again."""
    percent = improvement(study, results)
    n_splits, minutes = results.index.unique("seed").size, results["seconds"].to_numpy().sum() / 60
    about = (
        f"Mean (standard error) of {n_splits} random 50/50 splits, seeds from 0. {dt.date.today()}, {study.versions}; "
        f"{minutes:.0f} minutes of one core. This page is rewritten by `make {study.name}`."
    )
    reading = "\n".join(f"- {sentence}" for sentence in [*sentences, name_best(percent, study.zero)])
    costs = f"Seconds to fit one half and predict the other, on one core:\n\n{summarise(results['seconds'])}"
    text = "\n\n".join([f"# {study.title}", f"{study.lead} {about}", summarise(percent), reading, costs]) + "\n"
    print(text)
    (folder / "results.md").write_text(text, encoding="utf-8")
