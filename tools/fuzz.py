"""Look for input that breaks the package, for some time: tables, files for the command line, damaged models.

    python tools/fuzz.py [--seconds 600] [--seed 1]

Guided by coverage where atheris is installed, otherwise by chance. Input that breaks something is written to
build/fuzz, the error is shown, and the exit code is not 0. A file of build/fuzz is run again by ``--again FILE``.
"""

import argparse
import hashlib
import importlib
import importlib.util
import random
import sys
import time
import traceback
from contextlib import nullcontext
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOUND = ROOT / "build" / "fuzz"
sys.path.insert(0, str(ROOT / "tests"))


def main() -> None:
    """Fuzz until the time is up or something breaks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600, help="how long to look")
    parser.add_argument("--seed", type=int, default=1, help="where to start")
    parser.add_argument("--again", type=Path, help="run one input that was found")
    options = parser.parse_args()
    known = importlib.util.find_spec("atheris") is not None and options.again is None
    atheris = importlib.import_module("atheris") if known else None
    with atheris.instrument_imports(include=["heedful"]) if atheris else nullcontext():
        check = importlib.import_module("fuzz.targets").check
    if options.again is not None:
        check(options.again.read_bytes())
        print("nothing breaks")
    elif atheris is not None:
        guided(atheris, check, options)
    else:
        by_chance(check, options)


def guided(atheris, check, options: argparse.Namespace) -> None:
    """Let atheris look for input that reaches new lines."""
    FOUND.mkdir(parents=True, exist_ok=True)
    corpus = FOUND / "corpus"
    corpus.mkdir(exist_ok=True)
    chance = random.Random(options.seed)  # noqa: S311 - no secrets here
    for number in range(30):
        # whole tables to start from, for each of the targets
        (corpus / f"seed{number}").write_bytes(bytes([number]) + chance.randbytes(40 + 10 * number))
    how = [
        "-len_control=0",
        f"-max_total_time={options.seconds}",
        f"-seed={options.seed}",
        f"-artifact_prefix={FOUND}/",
    ]
    atheris.Setup([sys.argv[0], *how, "-max_len=400", "-timeout=60", "-rss_limit_mb=4096", str(corpus)], check)
    atheris.Fuzz()


def by_chance(check, options: argparse.Namespace) -> None:
    """Try random bytes."""
    chance, end, tried = random.Random(options.seed), time.monotonic() + options.seconds, 0  # noqa: S311 - no secrets here
    while time.monotonic() < end:
        data = chance.randbytes(chance.randrange(400))
        try:
            check(data)
        except Exception:  # noqa: BLE001 - whatever it is, it is a find
            FOUND.mkdir(parents=True, exist_ok=True)
            path = FOUND / hashlib.sha256(data).hexdigest()[:16]
            path.write_bytes(data)
            traceback.print_exc()
            sys.exit(f"{path} breaks it, after {tried} others")
        tried += 1
    print(f"{tried} inputs in {options.seconds} s, and nothing broke")


if __name__ == "__main__":
    main()
