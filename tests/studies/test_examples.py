"""Examples run and show what they promise."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from heedful import plot
from studies.running import ROOT, run_python

# Examples of the gallery that no other test here runs.
SHOWN = ("one_prediction", "house_price", "credit", "clusters", "prototypes", "choosing", "beside", "paper_row")


@pytest.mark.one_value
@pytest.mark.parametrize("script", SHOWN)
def test_examples_of_the_gallery_run(script):
    assert run_python(f"examples/{script}.py")


@pytest.mark.parametrize("script", ["saving_and_serving", "dask_workers"])
def test_what_is_saved_or_run_elsewhere_predicts_the_same(script):
    assert re.search(r"identical: True", run_python(f"examples/{script}.py"))


@pytest.mark.more
def test_claims_drift_and_effects_of_the_gallery_gain_over_one_model():
    ours, plain = re.search(r"attention (0\.\d+), global lasso (0\.\d+)", run_python("examples/claims.py")).groups()
    assert float(ours) > float(plain)
    before, after = re.search(r"after the change +(\d\.\d+) +(\d\.\d+)", run_python("examples/drift.py")).groups()
    assert float(after) < 0.8 * float(before)
    errors = re.findall(r"squared error of [a-z ]+: (\d\.\d+)", run_python("examples/effects.py"))
    assert float(errors[0]) < min(map(float, errors[1:]))


@pytest.mark.more
def test_free_care_brings_people_to_doctors_in_the_trial():
    printed = run_python("examples/free_care.py")
    low, high = map(float, re.search(r"90 % interval +(\S+) to (\S+)", printed).groups())
    assert 0 < low < high < 2


def test_every_example_of_the_gallery_is_run_here():
    tool = (ROOT / "tools" / "make_api.py").read_text("utf-8")
    listed = re.search(r"GALLERY_ORDER = \((.*?)\n\)", tool, re.DOTALL)[1]
    tests = (ROOT / "tests" / "studies" / "test_examples.py").read_text("utf-8")
    names = re.findall(r'"(\w+)"', listed)
    assert names
    assert [name for name in names if f'"{name}"' not in tests and f"examples/{name}.py" not in tests] == []


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("binary", r"attention lasso +log loss (0\.\d+)[^\n]*\n[^\n]*log loss (0\.\d+)"),
        ("multiclass", r"log loss (0\.\d+)[^\n]*\n[^\n]*log loss (0\.\d+)"),
        ("survival", r"attention (0\.\d+), global Cox lasso (0\.\d+)"),
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


def test_features_of_the_example_that_are_selected_often_are_true_ones():
    printed = run_python("examples/certainty.py")
    (held,) = re.findall(r"contain (\d+\.\d) %", printed)
    (true, false), (_, blended) = re.findall(r"(?:> 0.9|not 0) +(\d+\.\d) % +(\d+\.\d)", printed)
    assert 85 < float(held) < 95
    assert float(true) > 80
    assert float(false) < 1 < float(blended)


def test_the_students_of_the_example_beat_lasso_and_teacher_on_wines():
    printed = run_python("examples/teacher.py")
    errors = re.search(r"wines +lasso +(\S+) +teacher +(\S+) +student +(\S+)", printed)
    assert errors, printed
    lasso, teacher, student = map(float, errors.groups())
    assert student < min(lasso, teacher)


def test_a_kernel_in_time_gains_in_the_example_of_hours():
    printed = run_python("examples/moving.py")
    names = ("lasso", "attention", "kernel")
    lasso, plain, near = (float(re.search(rf"  {name} +(\d\.\d+)", printed).group(1)) for name in names)
    assert near < 0.95 * plain < lasso


@pytest.mark.one_value
@pytest.mark.parametrize("script", ["series", "tissue"])
def test_context_is_what_makes_attention_gain(script):
    printed = run_python(f"examples/{script}.py")
    lasso, without, within = (
        float(re.search(rf"{name}\D+(\d+\.\d+)", printed).group(1))
        for name in ("global lasso", "attention without context", "attention with context")
    )
    assert within < 0.85 * lasso
    assert without > 0.9 * lasso


def test_a_smooth_model_and_forests_of_scores_each_find_their_truth():
    printed = run_python("examples/relations.py")
    errors = {
        name: [float(value) for value in re.search(rf"^{name} +(.*)$", printed, re.MULTILINE).group(1).split()]
        for name in ("smooth", "switch")
    }
    lasso, neither, smooth, _, default = errors["smooth"]
    assert default <= 1.35 < 0.8 * neither < lasso
    assert smooth <= 1.35
    lasso, neither, _, scores, default = errors["switch"]
    assert max(default, scores) <= 0.15 * lasso < 0.5 * neither
    (right,) = re.findall(r"right sign for (\d+)%", printed)
    assert int(right) >= 90


def test_the_report_example_writes_a_page(tmp_path):
    path = tmp_path / "page.html"
    assert path.name in run_python("examples/report.py", str(path))
    assert path.stat().st_size > 1e6


@pytest.mark.more
def test_the_picture_example_draws_every_plot_into_a_new_folder(tmp_path):
    run_python("examples/figures.py", "-o", str(tmp_path / "new"))
    files = list(tmp_path.rglob("*.png"))
    # of counts, of effects, and of models with curves
    once = {"calibration", "lift", "gain_curve", "balance", "shapes"}
    assert sorted(file.stem for file in files) == sorted([*plot.__all__, *set(plot.__all__) - once])
    assert all(file.stat().st_size > 1000 for file in files)


@pytest.mark.more
def test_shapes_gain_on_curves_and_leave_interactions_to_attention(tmp_path):
    printed = run_python("examples/shapes.py", "-o", str(tmp_path / "curve.png"))
    found = {
        name: [float(value) for value in re.search(rf"^{name}  +(.*)$", printed, re.MULTILINE).group(1).split()]
        for name in ("curves", "curves and interaction", "interaction", "lines")
    }
    for name in ("curves", "curves and interaction"):
        lasso, additive, without, both = found[name]
        assert both > max(lasso, without)
        assert both > additive - 0.03
    assert found["interaction"][3] > found["interaction"][1] + 0.5
    assert all(both > without - 0.03 for _, _, without, both in found.values())
    assert (tmp_path / "curve.png").stat().st_size > 1000


def test_the_toy_of_figure_1_is_one_file_and_attention_gains_on_it(tmp_path):
    printed = run_python("examples/toy_figure.py", "-o", str(tmp_path / "toy.png"))
    as_printed, cooler, ours = (int(gain) for gain in re.findall(r"(\d+) % below", printed))
    assert 0 < as_printed < min(cooler, ours)
    assert (tmp_path / "toy.png").stat().st_size > 1000


def test_the_demo_shows_a_gain_over_the_lasso():
    printed = run_python("-m", "heedful", "demo")
    gain = re.search(r"attention lasso\s+\+(\d+\.\d) % better", printed)
    assert gain, printed
    assert float(gain.group(1)) > 10


def test_the_figure_of_the_paper_is_one_file(rng, tmp_path):
    folder = tmp_path / "uci"
    folder.mkdir()
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["weight", "power"])
    table = table.assign(model_year=70, origin=1 + np.arange(60) % 3, car_name="car")
    table["mpg"] = table["weight"] * np.sign(table["power"])
    table.to_csv(folder / "auto_mpg.csv", index=False)
    about = {"auto_mpg": {"file": "auto_mpg.csv", "features": ["weight", "power", "model_year", "origin"]}}
    (folder / "manifest.json").write_text(json.dumps(about), encoding="utf-8")
    run_python("examples/figure4.py", "--tables", "auto_mpg", "--data", str(tmp_path), "-o", str(tmp_path / "out.png"))
    assert (tmp_path / "out.png").stat().st_size > 1000


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("extending_response", r"deviance explained: (-?0\.\d+), one lasso for all rows (-?0\.\d+)"),
        ("extending_similarity", r"R2 on held-out flats (0\.\d+), global lasso (0\.\d+)"),
    ],
)
def test_parts_of_ones_own_gain_over_one_model_for_all(script, found):
    own, one = map(float, re.search(found, run_python(f"examples/{script}.py")).groups())
    assert own > one + 0.2


def test_models_as_json_predict_without_heedful():
    printed = run_python("examples/portable.py")
    plain, ours, sourer = re.findall(r": (\d+\.\d{4})$", printed, re.MULTILINE)
    assert plain == ours != sourer


def test_the_server_answers_as_the_model_does():
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    printed = run_python("examples/serve.py", "--times", "3")
    assert "answers are those of the model" in printed
    assert len(re.findall(r"median \d+\.\d ms", printed)) == 4, printed


@pytest.mark.more
def test_titles_gain_by_a_table_vectorizer():
    pytest.importorskip("skrub")
    printed = run_python("examples/skrub_pipeline.py")
    vectorized, plain = map(float, re.search(r"R2 (0\.\d+) with titles\D+(0\.\d+) without", printed).groups())
    assert vectorized > plain + 0.05
