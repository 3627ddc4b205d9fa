"""Every study runs, and leaves no number out."""

import re
from importlib.util import find_spec

import pytest

from benchmarks.__main__ import find_studies
from studies.running import run_python

# Rows with numbers on the page of a smoke run.
LEAGUE_RIVALS = {"pilot": 2, "chimeraboost": 3, "stochtree": 3, "aplr": 3, "imodels": 2, "pytabkit": 3, "tabpfn": 1}
ROWS = {
    "attribution": 2,
    "clusters": 1,
    "certainty": 4,
    "counts": 29,
    "defaults": 32,
    "defaults.shapes": 13,
    "drift_days": 30,
    "drift_verdicts": 34,
    # econml has no wheel for every machine
    "effects": 25 if find_spec("econml") else 10,
    "effects.timing": 8 if find_spec("econml") else 4,
    "guard": 27,
    "guard.noise": 5,
    "heterogeneity": 32,
    "intervals": 8,
    # two sections with rows for methods of numbers, one for classes; not every rival is installed on every machine
    "league": 29 + sum(n for module, n in LEAGUE_RIVALS.items() if find_spec(module)),
    "nearness": 8,
    "paper.appendix_a": 8,
    "paper.appendix_b": 7,
    "paper.diagonal": 2,
    "paper.drift": 25,
    "paper.figure2": 13,
    "paper.lightgbm": 2,
    "paper.lightgbm.printed": 4,
    "paper.similarities": 2,
    "paper.spatial": 2,
    "paper.spatial.printed": 2,
    "paper.table1": 18,
    "paper.table3": 4,
    "paper.table3.readings": 3,
    "paper.us_change": 47,
    "reading": 7,
    "repeats": 12,
    "responses": 5,
    "scale": 7,
    "scale.curves": 4,
    "shapes": 7,
    "speed": 36,
    "speed.compare": 7,
    "speed.drift": 8,
    "speed.learners": 17,
    "speed.trees": 5,
    "speed.wide": 1,
}


def test_all_studies_are_here():
    assert set(ROWS) == set(find_studies())


# of a study with parts the whole comes first
PARTS = [study for study in ROWS if study.rpartition(".")[0] in ROWS]
# half a minute and more, in small too
LONG = ["effects", "heterogeneity", "responses", "scale"]


@pytest.mark.parametrize(
    ("study", "n_rows"),
    [pytest.param(*row, marks=[pytest.mark.more] * (row[0] in PARTS + LONG)) for row in ROWS.items()],
)
def test_a_study_runs_and_leaves_no_number_out(study, n_rows):
    printed = run_python("-m", f"benchmarks.{study}", "--smoke")
    rows = [line for line in printed.splitlines() if line.startswith("| ")]
    rows = [row for row in rows[1:] if re.search(r"\d", row.split("|")[2])]
    assert len(rows) == n_rows, printed
    assert not re.search(r"\b(nan|inf|not run)\b", "".join(rows)), printed
