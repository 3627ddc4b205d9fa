"""Walk the page "Start" in an empty environment with a CSV file, and say how long each step took.

    python tools/walk_start.py

Rents of 400 flats with text, dates, an id and missing cells are drawn first; all else is what the page says.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAKE = """
import numpy as np, pandas as pd
rng, n = np.random.default_rng(3), 400
rents = pd.DataFrame({
    "flat": [f"F{i:04d}" for i in range(n)],
    "area": rng.normal(80, 25, n).clip(20).round(),
    "district": rng.choice(["old town", "harbour", "hills", "station"], n),
    "floor": np.where(rng.uniform(size=n) < 0.08, np.nan, rng.integers(0, 9, n)),
    "let": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 600, n), unit="D"),
})
metre = rents["district"].map({"old town": 16, "harbour": 12, "hills": 14, "station": 9})
rents["rent"] = (rents["area"] * metre + 40 * rng.normal(size=n)).round(2)
rents.to_csv("rents.csv", index=False)
"""
MINE = """
import time
start = time.perf_counter()
def step(name):
    global start
    print(f"{time.perf_counter() - start:7.1f} s  {name}", flush=True)
    start = time.perf_counter()
import matplotlib
matplotlib.use("Agg")
import pandas as pd
from sklearn.model_selection import train_test_split
from heedful import AttentionLasso, plot, report
table = pd.read_csv("rents.csv", parse_dates=["let"]).set_index("flat")
X, y = table.drop(columns="rent"), table["rent"]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
step("import and read")
model = AttentionLasso(random_state=0).fit(X_train, y_train)
step("fit")
model.summary(), model.score(X_test, y_test)
step("summary and score")
e, row = model.explain(X_test, y_test), X_test.index[0]
e.top_features(3), e.top_rows(3), model.predict_interval(X_test.loc[[row]]), model.coef_intervals(X_test.loc[[row]])
step("explain one prediction, with intervals")
plot.contributions(e, row).figure.savefig("one.png", bbox_inches="tight")
report.write(e, "page.html")
step("picture and page")
"""


def main() -> None:
    """Walk; print the seconds of each step."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / ".venv" / "bin"
        run("environment", [sys.executable, "-m", "venv", ".venv"], folder)
        run("install", [own / "pip", "install", "--quiet", f"{ROOT}[plot,report]"], folder)
        run("heedful compile", [own / "heedful", "compile"], folder)
        run("", [own / "python", "-c", MAKE], folder)
        run("", [own / "python", "-c", MINE], folder)


def run(name: str, command: list, folder: str) -> None:
    """Run one step; a step with a name has its output hidden and its seconds told."""
    start = time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL if name else None)
    if name:
        print(f"{time.perf_counter() - start:7.1f} s  {name}", flush=True)


if __name__ == "__main__":
    main()
