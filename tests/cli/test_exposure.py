"""Counts and costs with exposures, from the shell."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from heedful import load_model
from heedful.cli import main
from heedful.datasets import make_claims


@pytest.fixture(scope="module")
def claims(tmp_path_factory):
    """A folder with a table of policies and a model of their claims."""
    folder = tmp_path_factory.mktemp("claims")
    sim = make_claims(160, frequency=2.0, random_state=0)
    table = sim.X.assign(years=sim.exposure, claims=sim.counts)
    table.to_csv(folder / "policies.csv", index=False)
    how = ["--task", "poisson", "--target", "claims", "--exposure", "years", "--trees", "20", "--quiet"]
    assert main(["fit", str(folder / "policies.csv"), *how, "-o", str(folder / "model.skops")]) == 0
    return folder, table


def test_predictions_are_of_the_exposure_that_the_table_has(claims, tmp_path):
    folder, table = claims
    model, out = load_model(folder / "model.skops"), tmp_path / "out.csv"
    X = table.drop(columns=["claims", "years"])
    given = X.assign(power=X["power"].astype(float))
    assert "years" not in model.feature_names_in_
    how = ["--block-size", "50", "--interval", "0.8", "--quiet"]
    assert main(["predict", str(folder / "model.skops"), str(folder / "policies.csv"), *how, "-o", str(out)]) == 0
    found = pd.read_csv(out)
    assert list(found) == ["expected_count", "low", "high"]
    np.testing.assert_allclose(found["expected_count"], model.predict(given, exposure=table["years"]))
    ends = model.predict_interval(given, 0.8, exposure=table["years"])
    np.testing.assert_allclose(found[["low", "high"]], ends)
    X.to_csv(tmp_path / "new.csv", index=False)
    assert main(["predict", str(folder / "model.skops"), str(tmp_path / "new.csv"), "-o", str(out), "--quiet"]) == 0
    np.testing.assert_allclose(pd.read_csv(out)["expected_count"], model.predict(given))


def test_explanations_have_factors_and_know_the_exposure(claims, capsys):
    folder, table = claims
    assert main(["explain", str(folder / "model.skops"), str(folder / "policies.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["target"], found["exposure"], found["task"]) == ("claims", "years", "poisson")
    top = pd.DataFrame(found["top_features"])
    np.testing.assert_allclose(top["factor"], np.exp(top["contribution"]))
    assert "exposure" in found["top_rows"][0]
    assert found["errors"]["model"] > 0
    assert len(table) == found["rows"]


@pytest.mark.parametrize(
    ("change", "options", "error"),
    [
        ({"years": 0.0}, [], r"column 'years' \(--exposure\) must hold numbers > 0, got 0 in row 4"),
        ({"years": None}, [], "column 'years' has 1 missing cell"),
        ({"claims": -1}, [], "no model of 'claims' and 'years' can be fitted: `y` must hold counts >= 0"),
        ({}, ["--task", "regression"], "--exposure is for --task poisson, gamma, tweedie"),
        ({}, ["--exposure", "year"], "there is no column 'year' .--exposure.*Did you mean 'years'"),
    ],
)
def test_what_is_wrong_with_exposures_is_one_line(claims, tmp_path, capsys, change, options, error):
    table = claims[1].copy()
    for name, value in change.items():
        table.loc[3, name] = value
    table.to_csv(tmp_path / "bad.csv", index=False)
    how = ["--task", "poisson", "--target", "claims", "--exposure", "years", "--quiet", *options]
    assert main(["fit", str(tmp_path / "bad.csv"), *how, "-o", str(tmp_path / "m.skops")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert re.search(error, said)
