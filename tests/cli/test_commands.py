"""Commands in processes of their own: fit, predict, explain, demo."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import FEATURES, ROWS, TARGETS, make_table, run, target_options

from heedful import AttentionLasso, load_model
from heedful._kernels import _notice
from heedful.cli import main
from heedful.similarity import default_forests

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.more
def test_fit_predict_and_explain_work_from_the_shell(tmp_path):
    make_table()[[*FEATURES, "grade"]].to_csv(tmp_path / "train.csv", index=False)
    model, out, tables = tmp_path / "m.skops", tmp_path / "p.csv", tmp_path / "e.csv"
    done = run("fit", tmp_path / "train.csv", "--target", "grade", "--trees", 20, "-o", model)
    assert (done.returncode, done.stderr) == (0, "")
    assert "classification of grade (text), 2 classes" in done.stdout
    assert main(["predict", str(model), f"{tmp_path}/train.csv", "-o", str(out)]) == 0
    predicted = pd.read_csv(out)
    assert list(predicted) == ["prediction", "probability_high", "probability_low"]
    assert len(predicted) == ROWS
    assert main(["explain", str(model), f"{tmp_path}/train.csv", "-o", str(tables), "--top", "2"]) == 0
    parts = pd.read_csv(tables).groupby("part").size()
    told = {"feature": 2 * ROWS, "effect": 2 * ROWS, "row": 2 * ROWS, "query": ROWS}
    assert parts.drop(["curve", "cluster", "model"]).to_dict() == told
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["e.csv", "m.skops", "p.csv", "train.csv"]


def test_predictions_equal_those_of_the_estimator(made, tmp_path):
    table = pd.read_csv(made / "regression.csv")
    model = AttentionLasso(similarity=default_forests(20), random_state=0).fit(table[FEATURES], table["yield"])
    assert main(["predict", f"{made}/regression.skops", f"{made}/regression.csv", "-o", f"{tmp_path}/p.csv"]) == 0
    written = (tmp_path / "p.csv").read_text(encoding="utf-8").split()[1:]
    np.testing.assert_array_equal([float(cell) for cell in written], model.predict(table[FEATURES]))


@pytest.mark.more
@pytest.mark.parametrize("task", TARGETS)
def test_parquet_gives_the_same_as_csv(made, tmp_path, task):
    arguments = ["fit", f"{made}/{task}.parquet", *target_options(task), "--trees", "20", "-o", f"{tmp_path}/m.skops"]
    assert main(arguments) == 0
    assert main(["predict", f"{tmp_path}/m.skops", f"{made}/{task}.parquet", "-o", f"{tmp_path}/p.parquet"]) == 0
    assert main(["predict", f"{made}/{task}.skops", f"{made}/new.csv", "-o", f"{tmp_path}/p.csv"]) == 0
    long, short = pd.read_parquet(tmp_path / "p.parquet"), pd.read_csv(tmp_path / "p.csv")
    pd.testing.assert_frame_equal(long.head(12), short, check_dtype=False)


@pytest.mark.one_value
@pytest.mark.parametrize("task", TARGETS)
def test_json_is_one_object(made, tmp_path, capsys, task):
    arguments = [f"{made}/{task}.csv", *target_options(task), "--trees", "20", "-o", f"{tmp_path}/m.skops"]
    assert main(["fit", *arguments, "--json"]) == 0
    fitted = json.loads(capsys.readouterr().out)
    assert (fitted["task"], fitted["rows"]) == (task, ROWS)
    assert 0 <= fitted["mixing"] <= 1
    assert {entry["name"]: entry["kind"] for entry in fitted["columns"]} == dict(
        zip(FEATURES, ("number", "number", "text", "boolean"), strict=True)
    )
    assert main(["explain", f"{made}/{task}.skops", f"{made}/{task}.csv", "--json", "--top", "3"]) == 0
    explained = json.loads(capsys.readouterr().out)
    assert len(explained["top_features"]) == 3 * ROWS
    assert len(explained["top_rows"]) == (3 * ROWS if load_model(made / f"{task}.skops").mixing_ else 0)
    assert explained["errors"]["model"] < 10
    assert len(explained["effects"]) == 3 * ROWS
    assert {term["query"] for term in explained["models"]} == set(range(ROWS))
    # survival has no curves where neither lasso nor heads have any
    assert {piece["feature"] for piece in explained["curves"] or []} in (set(FEATURES), set())


@pytest.mark.one_value
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_curves_are_written_below_the_other_tables(made, tmp_path, ending):
    out = tmp_path / f"e.{ending}"
    assert main(["explain", f"{made}/curves.skops", f"{made}/new.csv", "-o", str(out), "--top", "2"]) == 0
    table = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
    written = table[table["part"] == "curve"].reset_index(drop=True)
    curves = load_model(made / "curves.skops").explain(pd.read_csv(made / "new.csv")).curves
    for name in ("feature", "rows", "effect"):
        assert written[name].tolist() == curves[name].tolist()
    assert written.loc[written["feature"] == "site", "level"].tolist() == ["12", "north", "south", "(missing)"]
    np.testing.assert_array_equal(written["low"], curves["low"].where(np.isfinite(curves["low"])))
    assert written["query"].isna().all()
    assert table.loc[table["part"].isin(["feature", "row"]), "query"].tolist() == [*np.repeat(range(12), 2)] * 2


@pytest.mark.one_value
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("task", TARGETS)
def test_small_models_and_effects_are_those_of_the_estimator(made, tmp_path, task, ending):
    out = tmp_path / f"e.{ending}"
    assert main(["explain", f"{made}/{task}.skops", f"{made}/{task}.csv", "-o", str(out), "--top", "3"]) == 0
    table = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
    e = load_model(made / f"{task}.skops").explain(pd.read_csv(made / f"{task}.csv")[FEATURES])
    model, terms = table[table["part"] == "model"], e.small_models()
    link = np.asarray(e.link).reshape(len(e.index), -1).max(axis=1)
    np.testing.assert_allclose(model.groupby("query")["term"].sum(), link, rtol=1e-8, atol=1e-8)
    for name in ("feature", "slope", "term"):
        assert model.loc[model["rank"] > 0, name].tolist() == pytest.approx(terms[name].tolist())
    effect, top = table[table["part"] == "effect"], table[table["part"] == "feature"]
    np.testing.assert_allclose(effect["effect"], top["effect"])
    assert effect["feature"].tolist() == top["feature"].tolist()
    assert set(effect["per"]) <= {"unit", "level", "missing"}


@pytest.mark.one_value
@pytest.mark.parametrize("task", TARGETS)
def test_clusters_are_those_of_the_estimator(made, tmp_path, task):
    out = tmp_path / "e.csv"
    assert main(["explain", f"{made}/{task}.skops", f"{made}/{task}.csv", "-o", str(out)]) == 0
    table = pd.read_csv(out, dtype={"cluster": str, "coefficients": str})
    model = load_model(made / f"{task}.skops")
    groups = model.explain(pd.read_csv(made / f"{task}.csv")[FEATURES]).clusters()
    own = table[table["part"] == "cluster"]
    assert own["size"].tolist() == groups.table["size"].tolist()
    assert own["coefficients"].fillna("").tolist() == groups.describe()["coefficients"].tolist()
    names = ["others" if label == -1 else str(label) for label in groups.labels]
    assert table.loc[table["part"] == "query", "cluster"].tolist() == names


def test_fit_says_how_good_the_model_is_on_unseen_rows(made, tmp_path, capsys):
    arguments = ["fit", f"{made}/regression.csv", "--target", "yield", "--trees", "20", "-o", f"{tmp_path}/m.skops"]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    error = load_model(tmp_path / "m.skops").held_out_error_
    figures = f"root mean squared error on held-out rows {error['attention']:.4g}, one lasso for all rows "
    assert f"error  {figures}{error['baseline']:.4g}: " in said


@pytest.mark.one_value
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_without_shapes_no_curves_are_written(made, tmp_path, ending):
    arguments = [f"{made}/regression.csv", "--target", "yield", "--trees", "20", "--heads", "single"]
    assert main(["fit", *arguments, "-o", f"{tmp_path}/m.skops"]) == 0
    out = tmp_path / f"e.{ending}"
    assert main(["explain", f"{tmp_path}/m.skops", f"{made}/new.csv", "-o", str(out)]) == 0
    table = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
    assert set(table["part"]) == {"feature", "model", "effect", "row", "query", "cluster"}
    assert "level" not in table


def test_a_page_is_written(made, tmp_path, capsys):
    page = tmp_path / "report.html"
    assert (
        main(["explain", f"{made}/classification.skops", f"{made}/new.csv", "-o", str(page), "--title", "Wards"]) == 0
    )
    assert "Wards" in page.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [page]


def test_a_column_of_text_stays_text_when_all_its_cells_look_like_numbers(made, tmp_path):
    table = make_table()[FEATURES]
    table[table["site"] == "12"].to_csv(tmp_path / "digits.csv", index=False)
    table.to_csv(tmp_path / "all.csv", index=False)
    for name in ("digits", "all"):
        assert (
            main(["predict", f"{made}/regression.skops", f"{tmp_path}/{name}.csv", "-o", f"{tmp_path}/{name}.tsv"]) == 0
        )
    expected = pd.read_csv(tmp_path / "all.tsv")[(table["site"] == "12").to_numpy()]
    np.testing.assert_allclose(pd.read_csv(tmp_path / "digits.tsv")["prediction"], expected["prediction"])


def test_columns_may_come_in_any_order(made, tmp_path):
    pd.read_csv(made / "new.csv")[FEATURES[::-1]].to_csv(tmp_path / "turned.csv", index=False)
    for table in (made / "new.csv", tmp_path / "turned.csv"):
        assert main(["predict", f"{made}/survival.skops", str(table), "-o", f"{tmp_path}/{table.stem}.tsv"]) == 0
    assert (tmp_path / "new.tsv").read_bytes() == (tmp_path / "turned.tsv").read_bytes()


@pytest.mark.more
def test_the_demo_shows_a_gain_and_opens_one_prediction(capsys):
    assert main(["demo", "--splits", "2", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["gain"]["attention lasso"]["mean"] > 5
    assert len(shown["top_rows"]) == 5
    assert shown["own_cultivar"] > 0.5
    assert sum(head["share"] for head in shown["heads"]) == pytest.approx(shown["mixing"])
    assert list(shown["small_model"][0]) == ["rank", "feature", "value", "reference", "slope", "term"]
    total = shown["start"] + sum(term["term"] for term in shown["small_model"])
    assert total == pytest.approx(shown["predicted"])


@pytest.mark.more
def test_the_demo_is_told_in_words(capsys):
    assert main(["demo", "--splits", "1"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"attention lasso\s+\+\d+\.\d % better", said)
    for title in (
        "heads with weight",
        "own cultivar",
        "its small model:",
        "largest contributions:",
        "largest weights:",
    ):
        assert title in said


INTERRUPTED = """
import sys, time
import heedful
def slow(self, *_):
    print("ready", flush=True)
    time.sleep(60)
heedful.AttentionLasso.fit = slow
from heedful.cli import main
sys.exit(main())
"""


@pytest.mark.more
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_control_c_ends_with_130_and_one_line(made, tmp_path):
    command = [sys.executable, "-c", INTERRUPTED, "fit", f"{made}/regression.csv", "--target", "yield", "-o"]
    with subprocess.Popen(
        [*command, f"{tmp_path}/m"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(2)
        _, printed = process.communicate(timeout=30)
    assert (process.returncode, printed) == (130, "heedful: interrupted\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("terminal", "options", "bar"), [(True, [], True), (True, ["--quiet"], False), (False, [], False)]
)
def test_progress_is_shown_on_a_terminal_unless_quiet(made, tmp_path, capsys, monkeypatch, terminal, options, bar):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert main(["predict", f"{made}/curves.skops", f"{made}/new.csv", *options, "-o", f"{tmp_path}/p.csv"]) == 0
    assert ("block" in capsys.readouterr().err) == bar


@pytest.mark.parametrize(
    ("compiled", "said"),
    [(["fit_rows", "leaf_rows"], "compiled 2 functions in "), ([], "all functions were compiled already (")],
)
def test_compile_says_what_it_compiled(capsys, monkeypatch, compiled, said):
    monkeypatch.setattr("heedful.cli._compile.compile_kernels", lambda report: (report("a fit"), compiled)[1])
    assert main(["compile"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(said)
    assert all(name in out for name in compiled)
    assert main(["compile", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["compiled"] == compiled


def test_compile_says_how_long_it_takes_at_most_and_leaves_out_what_a_first_use_says(capsys, monkeypatch):
    monkeypatch.setattr("heedful.cli._compile.compile_kernels", lambda report: (_notice.log_compiling(), [])[1])
    _notice.log_compiling.cache_clear()
    assert main(["compile"]) == 0
    assert capsys.readouterr().err == "heedful: compiling all functions that are not compiled yet, up to two minutes\n"
    _notice.log_compiling.cache_clear()
    assert main(["compile", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_dates_of_a_csv_file_are_dates_if_they_are_named(tmp_path, capsys):
    days = pd.date_range("2024-01-01", periods=40, freq="9D")
    table = pd.DataFrame({"sold on": days.strftime("%Y-%m-%d"), "a": np.arange(40) % 7, "y": np.arange(40) * 1.5})
    table.to_csv(tmp_path / "t.csv", index=False)
    fit = ["fit", str(tmp_path / "t.csv"), "--target", "y", "--trees", "5", "-o", str(tmp_path / "m.skops"), "--json"]
    assert main(fit) == 0
    printed = capsys.readouterr()
    assert "cells look like dates. To read it as dates: --dates 'sold on'\n" in printed.err
    assert "pd." not in printed.err
    assert main([*fit, "--dates", "sold on"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert [entry["kind"] for entry in json.loads(printed.out)["columns"]] == ["date", "number"]
    assert main(["predict", str(tmp_path / "m.skops"), str(tmp_path / "t.csv"), "-o", str(tmp_path / "p.csv")]) == 0
    assert np.corrcoef(pd.read_csv(tmp_path / "p.csv")["prediction"], table["y"])[0, 1] > 0.9
    assert main([*fit, "--dates", "a"]) == main([*fit, "--dates", "when"]) == 2
    assert "column 'a' must hold dates, got 0 in row 1" in capsys.readouterr().err
