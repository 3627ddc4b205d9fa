"""What else goes into a table of predictions, and what comes in with the rows."""

import gzip

import numpy as np
import pandas as pd
import pytest

from heedful import load_model
from heedful.cli import main


def test_columns_are_kept_as_they_are_before_the_predictions(made, tmp_path):
    table = pd.read_csv(made / "new.csv").assign(id=[f"00{i}" for i in range(12)], extra=1)
    table.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "p.csv"
    command = ["predict", f"{made}/regression.skops", f"{tmp_path}/t.csv", "-o", str(out), "--block-size", "5"]
    assert main([*command, "--keep", "id", "dose"]) == 0
    written = pd.read_csv(out, dtype={"id": str})
    assert list(written) == ["id", "dose", "prediction"]
    assert written["id"].tolist() == table["id"].tolist()
    assert written["dose"].tolist() == table["dose"].tolist()


def test_unknown_columns_are_ignored_with_one_note(made, tmp_path, capsys):
    pd.read_csv(made / "new.csv").assign(extra=1, more="x").to_csv(tmp_path / "t.csv")
    command = ["predict", f"{made}/regression.skops", f"{tmp_path}/t.csv", "-o", f"{tmp_path}/p.csv"]
    assert main(["predict", f"{made}/regression.skops", f"{made}/new.csv", "-o", f"{tmp_path}/q.csv"]) == 0
    capsys.readouterr()
    assert main([*command, "--block-size", "4"]) == 0
    said = capsys.readouterr().err
    assert said.count("does not use columns 'extra', 'more': ignored") == said.count("first column has no name") == 1
    assert (tmp_path / "p.csv").read_bytes() == (tmp_path / "q.csv").read_bytes()
    assert main([*command, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_intervals_are_those_of_the_estimator(made, tmp_path):
    command = ["predict", f"{made}/regression.skops", f"{made}/new.csv", "-o", f"{tmp_path}/p.csv"]
    assert main([*command, "--interval", "0.8"]) == 0
    written = pd.read_csv(tmp_path / "p.csv")
    model = load_model(made / "regression.skops")
    expected = model.predict_interval(pd.read_csv(made / "new.csv"), 0.8)
    np.testing.assert_allclose(written[["low", "high"]], expected, rtol=1e-12)


def test_survival_at_times_is_that_of_the_estimator(made, tmp_path):
    command = ["predict", f"{made}/survival.skops", f"{made}/new.csv", "-o", f"{tmp_path}/p.csv"]
    assert main([*command, "--times", "0.5,1,2.25"]) == 0
    written = pd.read_csv(tmp_path / "p.csv")
    assert list(written) == ["log_hazard", "survival_0.5", "survival_1", "survival_2.25"]
    expected = load_model(made / "survival.skops").predict_survival_function(
        pd.read_csv(made / "new.csv"), [0.5, 1, 2.25]
    )
    np.testing.assert_allclose(written.iloc[:, 1:], expected, rtol=1e-12)


def test_packed_tables_come_and_go(made, tmp_path):
    pd.read_csv(made / "new.csv").to_csv(tmp_path / "t.csv.gz", index=False)
    for table, out in (
        (made / "new.csv", "p.csv"),
        (tmp_path / "t.csv.gz", "p.csv.gz"),
        (made / "new.csv", "q.csv.gz"),
    ):
        assert main(["predict", f"{made}/regression.skops", str(table), "-o", f"{tmp_path}/{out}"]) == 0
    assert gzip.decompress((tmp_path / "p.csv.gz").read_bytes()) == (tmp_path / "p.csv").read_bytes()
    assert (tmp_path / "p.csv.gz").read_bytes() == (tmp_path / "q.csv.gz").read_bytes()
    # no time in the head of the file
    assert (tmp_path / "p.csv.gz").read_bytes()[4:8] == bytes(4)


@pytest.mark.parametrize(
    ("task", "options", "naming"),
    [
        ("classification", ["--interval", "0.9"], ["--interval", "classification", "probabilities"]),
        ("survival", ["--interval", "0.9"], ["--interval", "survival", "--times"]),
        ("regression", ["--times", "1,2"], ["--times", "survival", "regression"]),
        ("survival", ["--times", "1,x"], ["--times", "commas", "'1,x'"]),
        ("survival", ["--times", "1,1"], ["--times", "different"]),
        ("regression", ["--interval", "90"], ["--interval", "between 0 and 1", "'90'"]),
        ("regression", ["--keep", "idd"], ["--keep", "'idd'", "has columns"]),
    ],
)
def test_what_a_model_cannot_give_is_refused(refused, made, tmp_path, task, options, naming):
    command = ["predict", made / f"{task}.skops", made / "new.csv", "-o", tmp_path / "p.csv"]
    refused(*command, *options, naming=naming)


def test_a_kept_column_with_the_name_of_another_is_refused(refused, made, tmp_path):
    pd.read_csv(made / "new.csv").assign(prediction=1).to_csv(tmp_path / "t.csv", index=False)
    command = ["predict", made / "regression.skops", tmp_path / "t.csv", "-o", tmp_path / "p.csv", "--keep"]
    refused(*command, "prediction", naming=["'prediction'", "--keep", "Rename"])
