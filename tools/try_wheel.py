"""Install the wheel into empty environments, without extras and with each of them, and use it there.

Run as ``python tools/try_wheel.py dist --extras plot boost`` (``make test-wheel``). In every environment packages must
suit each other, the README's example must print what the README says, and what an extra is for must work. A typed
program of a user must pass mypy with nothing but the wheel.
"""

import argparse
import doctest
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START = """
import numpy as np, heedful
X = np.random.default_rng(0).normal(size=(60, 3))
model = heedful.AttentionLasso(random_state=0).fit(X, X[:, 0] * X[:, 1])
e = model.explain(X[:8])
"""
# What each extra is for, in a line or two after START.
USES = {
    "": "assert model.predict(X).shape == (60,)",
    "cli": "import pyarrow.parquet",
    "plot": "import matplotlib; matplotlib.use('Agg'); heedful.plot.importance(e)",
    "report": "from heedful import report; assert report.write(e, 'page.html').stat().st_size > 1e6",
    "lightgbm": "heedful.AttentionRegressor(random_state=0).fit(X, X[:, 0]).predict(X[:2])",
    "boost": "import lightgbm, xgboost",
    "data": "import ucimlrepo",
    "paper": "import catboost, interpret, lightgbm, matplotlib",
    "league": "import cubist, statsmodels, catboost",
    "league-more": "import aplr, chimeraboost, imodels, stochtree",
    "dask": "import distributed",
    "ray": "import ray",
}


def main() -> int:
    """Try the wheel in each environment and print how long it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dist", type=Path, help="folder with one wheel")
    parser.add_argument("--python", default=sys.executable, help="interpreter of the environments")
    parser.add_argument("--extras", nargs="*", default=[], help="extras to try, each in an environment of its own")
    args = parser.parse_args()
    (wheel,) = args.dist.resolve().glob("*.whl")
    if "heedful/py.typed" not in zipfile.ZipFile(wheel).namelist():
        raise RuntimeError("The wheel must hold heedful/py.typed, or no type checker reads its types.")
    for extra in ("", *args.extras):
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try_wheel(wheel, extra, args.python, Path(folder))
        print(f"wheel[{extra}] works, {time.monotonic() - start:.0f} s", flush=True)
    return 0


def try_wheel(wheel: Path, extra: str, python: str, folder: Path) -> None:
    """Install and use the wheel in an environment in a folder."""
    subprocess.run([python, "-m", "venv", str(folder / "env")], check=True)
    binary, work = folder / "env" / "bin" / "python", folder / "work"
    work.mkdir()

    def run(*arguments: str) -> str:
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment = clean | {"HEEDFUL_QUIET": "1"}
        done = subprocess.run(
            [str(binary), *arguments], cwd=work, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"wheel[{extra}], {' '.join(arguments[:4])}: {done.stdout}{done.stderr}")
        return done.stdout

    run("-m", "pip", "install", "--quiet", f"{wheel}[{extra}]" if extra else str(wheel))
    run("-m", "pip", "check")
    where = Path(run("-c", "import heedful; print(heedful.__file__)").strip())
    if not where.is_relative_to(folder):
        raise RuntimeError(f"The wheel's code must run, got that of {where}.")
    run("-m", "doctest", "-o", "NORMALIZE_WHITESPACE", str(readme_example(work)))
    run("-m", "heedful", "--help")
    run("-c", START + USES[extra])
    if not extra:
        run("-m", "pip", "install", "--quiet", "mypy")
        (work / "typed_user.py").write_bytes((ROOT / "tests" / "typed_user.py").read_bytes())
        run("-m", "mypy", "--disallow-untyped-defs", "--warn-unused-ignores", "typed_user.py")


def readme_example(folder: Path) -> Path:
    """Write the README's examples as a file that doctest reads; raise if there are none."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = doctest.DocTestParser().get_examples(text)
    if not examples:
        raise RuntimeError("README.md must have an example to run.")
    path = folder / "readme.txt"
    path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
