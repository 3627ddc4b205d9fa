"""``heedful reproduce``: run a study of the paper from the checkout that holds its scripts."""

import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from heedful.cli._errors import UserError
from heedful.cli._output import say

CHECKOUT = Path(__file__).resolve().parents[3]
PLACE = Path("benchmarks") / "paper"


def reproduce(arguments: Namespace) -> dict[str, Any]:
    """Run the script of a study in a process of its own; what it prints is shown unless --json or --quiet is given."""
    script = find_script(arguments.study)
    start = time.perf_counter()
    shown = None if not (arguments.json or arguments.quiet) else subprocess.DEVNULL
    command = [sys.executable, str(script), *script_options(arguments)]
    done = subprocess.run(command, stdout=shown, check=False)  # noqa: S603 - a script of the project
    if done.returncode:
        raise UserError(f"{arguments.study}: the study ended with code {done.returncode}. The lines above say why.")
    return {"command": "reproduce", "study": arguments.study, "script": script, "seconds": time.perf_counter() - start}


def tell_reproduce(found: dict[str, Any]) -> None:
    """Say how long it took."""
    say(f"{found['study']}: done in {found['seconds'] / 60:.1f} minutes")


def find_script(study: str) -> Path:
    """Return the script of a study: of the checkout that this package is in, else of the current folder."""
    places = [folder / PLACE for folder in (CHECKOUT, Path.cwd()) if (folder / PLACE).is_dir()]
    if not places:
        raise UserError(
            f"no folder {PLACE} beside the package or in the current folder: the studies do not come with an "
            "installed heedful. Run this in a checkout of its repository."
        )
    studies = sorted(path.parent.name for path in places[0].glob("*/run.py"))
    if study not in studies:
        raise UserError(f"there is no study {study!r} in {places[0]}. There are: {', '.join(studies)}.")
    return places[0] / study / "run.py"


def script_options(arguments: Namespace) -> list[str]:
    """Return the options that were given, as a script takes them."""
    lists = {"--datasets": arguments.datasets, "--methods": arguments.methods}
    options = [part for name, values in lists.items() if values for part in (name, *values)]
    for name in ("splits", "jobs", "data"):
        value = getattr(arguments, name)
        options += [] if value is None else [f"--{name}", str(value)]
    return options + (["--smoke"] if arguments.smoke else [])
