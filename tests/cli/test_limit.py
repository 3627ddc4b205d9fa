"""Signs of coefficients, from the shell."""

import json

import numpy as np
import pandas as pd
import pytest

from heedful import load_model
from heedful.cli import main


@pytest.fixture
def table(tmp_path, rng):
    frame = pd.DataFrame(rng.normal(size=(80, 3)), columns=["up", "a=b", "free"])
    frame["kind"] = rng.choice(["x", "y"], 80)
    frame["y"] = -frame["up"] + frame["a=b"] + frame["free"] + 0.3 * rng.normal(size=80)
    frame.to_csv(tmp_path / "table.csv", index=False)
    return frame, tmp_path / "table.csv"


def test_signs_are_those_of_every_model(table, tmp_path, capsys):
    frame, path = table
    signs = ["--limit", "up=+", "a=b=-", "--limit", "free=+"]
    out = str(tmp_path / "model.skops")
    assert main(["fit", str(path), "--target", "y", "-o", out, "--trees", "20", "--json", *signs]) == 0
    assert json.loads(capsys.readouterr().out)["limits"] == {"up": "+", "a=b": "-", "free": "+"}
    coef = load_model(out).local_models(frame.drop(columns="y")).lasso_coef
    assert (coef["up"] >= 0).all()
    assert (coef["a=b"] <= 0).all()
    assert (coef["free"] >= 0).all()
    assert np.any(coef["free"] > 0)


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("up", "must be a column and its sign, such as accidents=+ or age=-, got 'up'"),
        ("up=up", "must be a column and its sign"),
        ("ups=+", "'ups'"),
        ("kind=+", "`limits` need numeric columns, got 'kind'"),
    ],
)
def test_a_limit_that_cannot_be_is_one_line(table, tmp_path, capsys, limit, words):
    _, path = table
    out = tmp_path / "model.skops"
    try:
        code = main(["fit", str(path), "--target", "y", "-o", str(out), "--trees", "20", "--limit", limit])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert words in capsys.readouterr().err
    assert not out.exists()
