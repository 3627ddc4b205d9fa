"""The project keeps its promises: lazy imports, rooms, benchmarks and examples that run."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from heedful import plot

ROOT = Path(__file__).resolve().parent.parent


def run_python(*arguments):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_heedful_does_not_import_what_takes_long():
    assert run_python("-c", "import sys, heedful; print({'numba', 'skops'} & {*sys.modules})").strip() == "set()"


def test_rooms_import_only_from_rooms_above():
    assert "every import goes up" in run_python("tools/check_rooms.py")


def test_the_room_checker_can_fail(tmp_path):
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        checker = importlib.import_module("check_rooms")
    finally:
        sys.path.pop(0)
    checker.ROOT = tmp_path / "src" / "heedful"
    wrong = checker.ROOT / "attention" / "_wrong.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text("from heedful.heads import tune\ndef f():\n    import json\n", encoding="utf-8")
    assert len(checker.breaches(wrong)) == 2


@pytest.mark.parametrize(
    ("study", "n_rows"),
    [
        ("speed", 10),
        ("scale", 7),
        ("defaults", 32),
        ("responses", 4),
        ("intervals", 6),
        ("paper/appendix_a", 4),
        ("paper/appendix_b", 7),
        ("paper/figure2", 13),
        ("paper/lightgbm", 2),
        ("paper/similarities", 2),
        ("paper/spatial", 2),
        ("paper/table1", 15),
        ("paper/table3", 4),
        ("paper/us_change", 2),
        ("paper/drift", 5),
        ("drift_days", 6),
    ],
)
def test_benchmarks_run_and_leave_no_number_out(study, n_rows):
    printed = run_python(f"benchmarks/{study}/run.py", "--smoke")
    rows = [line for line in printed.splitlines() if line.startswith("| ")][1:]
    rows = [row for row in rows if re.search(r"\d", row.split("|")[2])]
    assert len(rows) == n_rows
    assert all(re.search(r"-?\d+\.?\d*", row.split("|")[2]) for row in rows)
    assert study == "speed" or not any("nan" in row.replace("(nan)", "") or "not run" in row for row in rows)


def test_the_readings_of_the_simulations_run():
    printed = run_python("benchmarks/paper/table3/readings.py", "--smoke")
    assert re.search(r"\| shift 3 \| \d+\.\d \| -?\d", printed), printed


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("binary", r"attention lasso +log loss (0\.\d+)[^\n]*\n[^\n]*log loss (0\.\d+)"),
        ("multiclass", r"log loss (0\.\d+)[^\n]*\n[^\n]*log loss (0\.\d+)"),
        ("survival", r"concordance (0\.\d+), one Cox lasso (0\.\d+)"),
    ],
)
def test_examples_do_not_lose_to_their_baseline(script, found):
    printed = run_python(f"examples/{script}.py")
    numbers = [float(value) for value in re.search(found, printed).groups() if value is not None]
    assert len(numbers) == 2, printed
    better, worse = numbers if script != "survival" else numbers[::-1]
    assert better <= 1.01 * worse


def test_attention_in_the_example_of_learners_does_not_lose_to_the_plain_models():
    printed = run_python("examples/learners.py")
    pairs = re.findall(r"(\d+\.\d) +\w+ alone (\d+\.\d)", printed)
    assert len(pairs) == 3, printed
    assert all(float(error) <= float(plain) for error, plain in pairs)


def test_intervals_of_the_example_serve_the_minority_better_than_those_of_one_width():
    printed = run_python("examples/intervals.py")
    ours, plain = (float(percent) for percent in re.findall(r"minority (\d+\.\d)", printed))
    assert abs(ours - 90) < abs(plain - 90)


def test_the_students_of_the_example_beat_lasso_and_teacher_on_wines():
    printed = run_python("examples/teacher.py")
    errors = re.search(r"wines +lasso +(\S+) +teacher +(\S+) +student +(\S+)", printed)
    assert errors, printed
    lasso, teacher, student = map(float, errors.groups())
    assert student < min(lasso, teacher)


@pytest.mark.parametrize("script", ["series", "tissue"])
def test_context_is_what_makes_attention_gain(script):
    printed = run_python(f"examples/{script}.py")
    lasso, without, within = (
        float(re.search(rf"{name}\D+(\d+\.\d+)", printed).group(1))
        for name in ("lasso", "attention without context", "attention with context")
    )
    assert within < 0.85 * lasso
    assert without > 0.9 * lasso


def test_the_report_example_writes_a_page(tmp_path):
    path = tmp_path / "page.html"
    assert path.name in run_python("examples/report.py", str(path))
    assert path.stat().st_size > 1e6


def test_the_picture_example_draws_every_plot(tmp_path):
    run_python("examples/figures.py", "-o", str(tmp_path))
    assert len(list(tmp_path.rglob("*.png"))) == 2 * len(plot.__all__)


def test_the_demo_shows_a_gain_over_the_lasso():
    printed = run_python("examples/demo.py")
    gain = re.search(r"attention lasso\s+\+(\d+\.\d) % better", printed)
    assert gain, printed
    assert float(gain.group(1)) > 10
