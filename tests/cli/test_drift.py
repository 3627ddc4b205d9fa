"""``heedful drift``: a model of any package corrected from files, and one line for whatever does not fit."""

import json
import pickle
import re
import shlex
import sys
from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from skops import io as skops_io
from tests.cli.conftest import write
from tests.cli.printed import masked
from threadpoolctl import threadpool_limits

from heedful import DriftCorrector
from heedful.cli import main

ROOT = Path(__file__).resolve().parent.parent.parent
ROWS, TREES = 100, 20
FEATURES = ["dose", "body mass", "site"]
NUMBERS = FEATURES[:2]
DAYS = pd.date_range("2024-01-01", periods=ROWS).strftime("%Y-%m-%d")


def make_table(shift):
    """Return rows whose response has moved by ``shift`` where the body mass is positive."""
    rng = np.random.default_rng(int(shift))
    table = pd.DataFrame(rng.normal(size=(ROWS, 2)).round(3), columns=NUMBERS)
    table["site"] = rng.choice(["north", "south", "12"], ROWS)
    table["yield"] = table["dose"] + 2.0 * (table["site"] == "12") + shift * (table["body mass"] > 0)
    return table.assign(grade=np.where(table["yield"] > 1, "2", "1"), level=np.digitize(table["yield"], [0, 2]))


OLD, RECENT, NEW = make_table(0), make_table(3), make_table(3).iloc[::-1]


def boosters():
    """Return boosters of rows before the drift, by the names of their files."""
    X, y = OLD[NUMBERS], OLD["yield"]
    levels = OLD[FEATURES].assign(site=OLD["site"].astype("category"))
    settings = {"verbosity": -1, "min_data_in_leaf": 5, "min_data_per_group": 5, "num_threads": 1}
    for name, rows in {"numbers.txt": X, "categories.txt": levels, "nameless.txt": X.to_numpy()}.items():
        yield name, lightgbm.train(settings, lightgbm.Dataset(rows, y), TREES)
    for name, rows in {"numbers.json": X, "categories.ubj": levels}.items():
        yield name, xgboost.train({"nthread": 1}, xgboost.DMatrix(rows, y, nthread=1, enable_categorical=True), TREES)


def estimators():
    """Return estimators of rows before the drift, by the names of their files."""
    for target in ("grade", "level"):
        yield f"{target}.skops", GradientBoostingClassifier(n_estimators=TREES).fit(OLD[NUMBERS], OLD[target])
    encoder = make_column_transformer((OneHotEncoder(), ["site"]), remainder="passthrough")
    yield "pipe.skops", make_pipeline(encoder, RandomForestRegressor(TREES)).fit(OLD[FEATURES], OLD["yield"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with models, recent.csv and new.csv; for reading only."""
    folder = tmp_path_factory.mktemp("drift")
    for name, booster in boosters():
        booster.save_model(folder / name)
    for name, estimator in estimators():
        skops_io.dump(estimator, folder / name)
    RECENT.assign(day=DAYS).to_csv(folder / "recent.csv", index=False)
    NEW[FEATURES].to_csv(folder / "new.csv", index=False)
    return folder


def arguments(folder, out, model, target="yield", drop=("grade", "level", "day", "site")):
    """Return a command; what the model does not need is dropped."""
    files = [folder / model, folder / "recent.csv", folder / "new.csv"]
    dropped = [name for name in (*drop, "yield") if name != target]
    return ["drift", *map(str, files), "-o", str(out), "--target", target, "--trust", "--drop", *dropped]


TEXT = ("grade", "level", "day")
MODELS = {"numbers.txt": NUMBERS, "numbers.json": NUMBERS, "nameless.txt": NUMBERS, "pipe.skops": FEATURES}
MODELS |= {"categories.txt": FEATURES, "categories.ubj": FEATURES}


@pytest.mark.one_value
@pytest.mark.parametrize("model", MODELS)
def test_a_drifted_model_is_corrected(folder, tmp_path, model):
    drop = TEXT if MODELS[model] == FEATURES else (*TEXT, "site")
    assert main(arguments(folder, tmp_path / "o.csv", model, drop=drop)) == 0
    written = pd.read_csv(tmp_path / "o.csv")
    assert list(written) == ["prediction", "model", "correction", "n_eff"]
    np.testing.assert_allclose(written["prediction"], written["model"] + written["correction"])
    before, after = (((written[name] - NEW["yield"].to_numpy()) ** 2).mean() for name in ("model", "prediction"))
    assert after < 0.7 * before
    assert written["n_eff"].between(1, ROWS).all()


def test_predictions_equal_those_of_the_estimator(folder, tmp_path):
    assert main([*arguments(folder, tmp_path / "o.csv", "numbers.txt"), "--temperature", "0.5", "--mixing", "1"]) == 0
    model = lightgbm.Booster(model_file=folder / "numbers.txt")
    corrector = DriftCorrector(model, temperature=0.5, mixing=1.0, random_state=0).fit(RECENT[NUMBERS], RECENT["yield"])
    written = pd.read_csv(tmp_path / "o.csv", dtype=str).map(float)
    np.testing.assert_array_equal(written["model"], model.predict(NEW[NUMBERS]))
    np.testing.assert_array_equal(written["prediction"], corrector.predict(NEW[NUMBERS]))


@pytest.mark.parametrize("target", ["grade", "level"])
def test_labels_are_those_of_the_model_even_if_a_table_holds_numbers(folder, tmp_path, target):
    drop = ("grade", "level", "day", "site")
    assert main(arguments(folder, tmp_path / "o.csv", f"{target}.skops", target, drop)) == 0
    written = pd.read_csv(tmp_path / "o.csv")
    labels = sorted(OLD[target].unique())
    names = [f"{kind}_{label}" for kind in ("probability", "model") for label in labels]
    assert list(written) == ["prediction", *names]
    np.testing.assert_allclose(written.filter(like="probability_").sum(axis=1), 1)
    right = [(part.to_numpy().argmax(axis=1) == NEW[target].map(labels.index)).mean() for part in
             (written.filter(like="model_"), written.filter(like="probability_"))]  # fmt: skip
    assert right[1] > right[0]


def test_columns_may_come_in_any_order_and_the_table_may_hold_the_target(folder, tmp_path):
    command = arguments(folder, tmp_path / "o.csv", "numbers.txt")
    assert main(command) == 0
    first = (tmp_path / "o.csv").read_bytes()
    NEW[["yield", "site", "body mass", "dose"]].to_csv(tmp_path / "turned.csv", index=False)
    assert main([*command[:3], "--target", "yield", str(tmp_path / "turned.csv"), *command[4:]]) == 0
    assert (tmp_path / "o.csv").read_bytes() == first


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("task", "target", "columns"),
    [("regression", "yield", ["model", "prediction"]), ("classification", "grade", ["model_high", "probability_high"])],
)
def test_models_of_heedful_are_corrected_by_a_forest(made, tmp_path, capsys, task, target, columns):
    command = ["drift", f"{made}/{task}.skops", f"{made}/{task}.csv", f"{made}/new.csv", "--target", target, "--json"]
    assert main([*command, "--temperature", "1", "-o", f"{tmp_path}/o.csv"]) == 0
    assert json.loads(capsys.readouterr().out)["task"] == task
    assert main(["predict", f"{made}/{task}.skops", f"{made}/new.csv", "-o", f"{tmp_path}/p.csv"]) == 0
    own, plain = (pd.read_csv(tmp_path / name) for name in ("o.csv", "p.csv"))
    np.testing.assert_allclose(own[columns[0]], plain[columns[1]])


def test_json_has_all_measures_and_where_it_drifted(folder, tmp_path, capsys):
    assert main([*arguments(folder, tmp_path / "o.csv", "numbers.json"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["measures"]["error after"] < told["measures"]["error before"]
    assert {"mixing", "temperature", "guard", "queries corrected", "mean residual"} <= set(told["measures"])
    assert told["where"][0]["feature"] == "body mass"
    assert (told["kind"], told["loss"], told["rows"]) == ("XGBoost Booster", "root mean squared error", ROWS)


@pytest.mark.one_value
@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (["day", "--window", "30"], 30),
        (["--window", "30D", "--time", "day"], 30),
        (["--time", "day"], ROWS),
    ],
)
def test_a_window_keeps_the_latest_rows(folder, tmp_path, capsys, options, rows):
    command = arguments(folder, tmp_path / "o.csv", "numbers.txt", drop=("grade", "level", "site"))
    assert main([*command, *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["measures"]["recent rows"] == rows


def test_rows_are_counted_back_in_time_and_not_in_the_file(folder, tmp_path):
    rows, written = RECENT.assign(hour=np.arange(ROWS))[[*NUMBERS, "yield", "hour"]], set()
    for order in (slice(None), slice(None, None, -1)):
        rows[order].to_csv(tmp_path / "r.csv", index=False)
        command = [
            "drift",
            folder / "numbers.txt",
            tmp_path / "r.csv",
            folder / "new.csv",
            "--target",
            "yield",
            "--trust",
        ]
        for window in ("40", "40.0"):
            more = ["--drop", "site", "--time", "hour", "--window", window, "-o", tmp_path / "o.csv"]
            assert main([*map(str, [*command, *more])]) == 0
            written.add((tmp_path / "o.csv").read_bytes())
    assert len(written) == 1


def test_a_reference_tells_what_moved(folder, tmp_path, capsys):
    make_table(1).assign(**{"yield": lambda t: t["yield"] - (t["body mass"] > 0)}).to_csv(
        tmp_path / "ref.csv", index=False
    )
    command = [*arguments(folder, tmp_path / "o.csv", "numbers.txt"), "--reference", str(tmp_path / "ref.csv")]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["finding"], told["measures"]["reference rows"]) == ("relation moved", ROWS)
    assert told["columns_moved"][0]["column"] == "body_mass"
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "moved  relation moved (p values: rows moved " in printed
    assert "moved  body_mass: mean " in printed


def test_without_a_reference_nothing_is_said_to_have_moved(folder, tmp_path, capsys):
    assert main(arguments(folder, tmp_path / "o.csv", "numbers.txt")) == 0
    assert "moved  not known" in capsys.readouterr().out


def test_a_page_is_written(folder, tmp_path, capsys):
    command = arguments(folder, tmp_path / "o.csv", "numbers.txt")
    assert main([*command, "--report", str(tmp_path / "page.html")]) == 0
    assert "numbers.txt on recent.csv" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["o.csv", "page.html"]
    assert "page.html" in capsys.readouterr().out.splitlines()[-1]


def test_a_page_that_cannot_be_made_leaves_no_table(refused, folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    command = arguments(folder, tmp_path / "o.csv", "numbers.txt")
    refused(*command, "--report", tmp_path / "page.html", naming=["page.html", "heedful[report]"])


@pytest.mark.parametrize(
    ("options", "naming"),
    [
        (["--window", "30D"], ["--window 30D", "--time"]),
        (["--window", "30D", "--time", "dose"], ["recent.csv", "`time`", "30D"]),
        (["--window", "9.5", "--time", "day"], ["recent.csv", "30D"]),
        (["--window", "1"], ["recent.csv", "window"]),
        (["--window", "soon"], ["--window soon"]),
        (["--time", "when"], ["'when'", "--time"]),
        (["--time", "site"], ["'site'", "dates"]),
        (["--temperature", "0"], ["--temperature", "> 0"]),
        (["--mixing", "2"], ["--mixing", "0 to 1"]),
        (["--mixing", "some"], ["--mixing", "'some'"]),
        (["--drop", "nothing"], ["'nothing'", "--drop"]),
        (["--target", "price"], ["'price'", "--target"]),
        (["--target", "site", "--drop", "yield"], ["'site'", "must hold numbers", "right column"]),
        (["--report", "page.pdf"], ["page.pdf", ".html"]),
        (["-o", "o.xlsx"], ["o.xlsx", ".csv"]),
        (["--reference", "none.csv"], ["none.csv"]),
    ],
)
def test_options_that_do_not_fit(refused, folder, tmp_path, options, naming):
    refused(*arguments(folder, tmp_path / "o.csv", "numbers.txt"), *options, naming=naming)


@pytest.mark.parametrize(
    ("model", "drop", "naming"),
    [
        ("numbers.txt", (*TEXT, "site", "dose"), ["recent.csv", "'dose'", "Add it"]),
        ("nameless.txt", TEXT, ["recent.csv", "2 columns", "has 3"]),
        ("grade.skops", (*TEXT, "site"), ["recent.csv", "labels", "'1', '2'"]),
    ],
)
def test_tables_that_do_not_fit_the_model(refused, folder, tmp_path, model, drop, naming):
    refused(*arguments(folder, tmp_path / "o.csv", model, drop=drop), naming=naming)


def test_cells_that_the_model_cannot_take_are_named(refused, folder, tmp_path):
    command = arguments(folder, tmp_path / "o.csv", "numbers.txt")
    NEW[FEATURES].assign(dose="high").to_csv(tmp_path / "new.csv", index=False)
    refused(*command[:3], tmp_path / "new.csv", *command[4:], naming=["new.csv", "'dose'", "'high' in row 1"])
    NEW[FEATURES].assign(site="west").to_csv(tmp_path / "new.csv", index=False)
    command = arguments(folder, tmp_path / "o.csv", "categories.ubj", drop=TEXT)
    refused(*command[:3], tmp_path / "new.csv", *command[4:], naming=["new.csv", "cannot be predicted", "west"])
    RECENT.assign(day=DAYS)[:1].to_csv(tmp_path / "recent.csv", index=False)
    refused(*command[:2], tmp_path / "recent.csv", *command[3:], naming=["recent.csv", "2 recent rows"])
    RECENT.assign(day=DAYS, **{"yield": np.nan}).to_csv(tmp_path / "recent.csv", index=False)
    refused(*command[:2], tmp_path / "recent.csv", *command[3:], naming=["recent.csv", "'yield'", "missing"])


def test_models_that_cannot_be_corrected(refused, made, folder, tmp_path):
    rest = [folder / "recent.csv", folder / "new.csv", "--target", "yield", "--trust", "-o", tmp_path / "o.csv"]
    refused("drift", made / "survival.skops", *rest, naming=["survival.skops", "survival"])
    refused("drift", write(tmp_path / "m.txt", "tree\nversion=v4\n"), *rest, naming=["m.txt", "LightGBM", "damaged"])
    skops_io.dump(RandomForestRegressor(2).fit(OLD[NUMBERS], OLD[["yield", "level"]]), tmp_path / "m.skops")
    rest += ["--drop", "grade", "level", "day", "site"]
    refused("drift", tmp_path / "m.skops", *rest, naming=["recent.csv", "one response"])


def test_the_page_of_the_command_line_shows_what_is_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8").partition("## heedful drift")[2]
    code, lines = (re.search(rf"```{kind}\n(.*?)```", page, re.DOTALL)[1] for kind in ("python", "console"))
    with threadpool_limits(1):
        exec(code, {})  # noqa: S102 - our own page
    Path("model.pkl").write_bytes(pickle.dumps(None))
    shown = re.findall(r"^\$ heedful (.*)\n((?:[^$\n].*\n)*)", lines, re.MULTILINE)
    assert len(shown) == 2
    for command, expected in shown:
        main(shlex.split(command))
        printed = capsys.readouterr()
        assert masked(printed.out + printed.err) == masked(expected), command
