"""``heedful effect``: effects of a treatment from files, and one line for whatever does not fit."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionEffect, load_model
from heedful.cli import main
from heedful.similarity import ForestProximity

ROWS = 120
FEATURES = ["age", "pain", "site"]


def make_trial():
    """Return a trial in which the drug helps where pain is strong; in it are columns that are no features too."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(ROWS, 2)).round(3), columns=FEATURES[:2])
    table["site"] = rng.choice(["north", "south"], ROWS)
    treated = rng.random(ROWS) < 0.5
    table["arm"] = np.where(treated, "drug", "placebo")
    table["dose"] = (treated + rng.normal(size=ROWS)).round(3)
    table["relief"] = (table["age"] + treated * (1 + 2 * table["pain"]) + 0.3 * rng.normal(size=ROWS)).round(3)
    table["well"] = np.where(table["relief"] > 0, "yes", "no")
    table["chance"], table["copies"] = 0.5, rng.integers(1, 3, ROWS)
    table["patient"] = [f"p{i // 2}" for i in range(ROWS)]
    return table


TRIAL = make_trial()
OTHERS = ["dose", "well", "chance", "copies", "patient"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with trial.csv and new.csv; for reading only."""
    folder = tmp_path_factory.mktemp("effect")
    TRIAL.to_csv(folder / "trial.csv", index=False)
    TRIAL.loc[:9, [*FEATURES[::-1], "patient"]].to_csv(folder / "new.csv", index=False)
    return folder


def command(folder, out, *options, outcome="relief", treatment="arm", drop=OTHERS):
    named = ["--outcome", outcome, "--treatment", treatment]
    fast = ["--heads", "single", "--trees", 16]
    left = [name for name in drop if name not in (outcome, treatment)]
    return [str(part) for part in ["effect", folder / "trial.csv", *named, *fast, "--drop", *left, "-o", out, *options]]


@pytest.fixture(scope="module")
def written(folder, tmp_path_factory):
    """What one command with every output wrote."""
    out = tmp_path_factory.mktemp("written")
    more = ["--treated", "drug", "--propensity", "0.5", "--queries", folder / "new.csv", "--keep", "patient"]
    places = ["--report", out / "page.html", "--save", out / "model.skops", "--quiet"]
    assert main(command(folder, out / "o.csv", *more, *places)) == 0
    return out


def fitted(treatment, **known):
    model = AttentionEffect(heads="single", similarity=ForestProximity(16), random_state=0)
    return model.fit(TRIAL[FEATURES], TRIAL["relief"], treatment, **known)


def test_effects_and_intervals_are_those_of_the_estimator(written):
    model = fitted(TRIAL["arm"] == "drug", propensity=0.5)
    found, new = pd.read_csv(written / "o.csv"), TRIAL[FEATURES].head(10)
    assert list(found) == ["patient", "effect", "low", "high"]
    assert found["patient"].tolist() == TRIAL["patient"].head(10).tolist()
    np.testing.assert_allclose(found["effect"], model.effect(new))
    np.testing.assert_allclose(found[["low", "high"]], model.effect_interval(new, 0.9))


def test_a_saved_model_predicts_and_explains(written, folder, tmp_path):
    model = load_model(written / "model.skops")
    assert model.treatments_.tolist() == ["placebo", "drug"]
    saved, new = str(written / "model.skops"), str(folder / "new.csv")
    assert main(["predict", saved, new, "-o", f"{tmp_path}/p.csv", "--interval", "0.9", "--keep", "patient"]) == 0
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "p.csv"), pd.read_csv(written / "o.csv"))
    # a table may hold outcome and treatment, which no effect can be compared with
    assert main(["explain", saved, str(folder / "trial.csv"), "-o", f"{tmp_path}/why.html"]) == 0
    for page in (tmp_path / "why.html", written / "page.html"):
        said = page.read_text(encoding="utf-8")
        assert '"noun":"effect"' in said
        assert "Similar rows got different treatments" in said
    assert main(["explain", saved, new, "-o", f"{tmp_path}/why.csv"]) == 0
    assert "response_expected_outcome" in pd.read_csv(tmp_path / "why.csv")


def test_a_model_of_effects_has_no_drift_to_correct(written, folder, refused, tmp_path):
    files = [written / "model.skops", folder / "trial.csv", folder / "new.csv"]
    refused("drift", *files, "--target", "relief", "-o", tmp_path / "o.csv", naming=["treatment effects", "corrected"])


def test_lines_say_what_was_found(folder, tmp_path, capsys):
    assert main(command(folder, tmp_path / "o.csv", "--interval", "0.8")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["read", "task", "mean", "differ", "check", "wrote"]
    # the second in order is the treatment unless it is said
    assert lines[1] == "task   effect of arm = placebo, compared with drug, on relief"
    assert "80 % interval" in lines[2]
    found = pd.read_csv(tmp_path / "o.csv")
    assert list(found) == ["effect", "low", "high", "held_out_effect"]
    assert len(found) == ROWS
    model = fitted(TRIAL["arm"])
    np.testing.assert_allclose(found["held_out_effect"], model.held_out_effect_)
    assert f"{model.average_effect().effect:.4g}, 80 %" in lines[2]


@pytest.mark.more
def test_json_has_averages_tests_and_balance(folder, tmp_path, capsys):
    options = ["--treated", "drug", "--weight", "copies", "--group", "patient", "--propensity", "chance", "--json"]
    assert main(command(folder, tmp_path / "o.csv", *options, drop=["dose", "well"])) == 0
    told = json.loads(capsys.readouterr().out)
    known = {"sample_weight": TRIAL["copies"], "groups": TRIAL["patient"], "propensity": TRIAL["chance"]}
    average = fitted(TRIAL["arm"] == "drug", **known).average_effect()
    assert told["average"]["effect"] == pytest.approx(average.effect)
    assert told["average"]["n_groups"] == ROWS // 2
    assert told["levels"] == ["placebo", "drug"]
    assert told["heterogeneity"]["tests"][0]["test"] == "differential effect"
    assert {"treatment", "rows", "before", "after"} == set(told["overlap"]["arms"][0])


@pytest.mark.more
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"treatment": "dose"}, "effect of one more unit of dose on relief"),
        ({"outcome": "well", "drop": [*OTHERS, "relief"]}, "on the probability that well is yes"),
    ],
)
def test_amounts_and_labels_are_told(folder, tmp_path, capsys, options, said):
    drop = [*options.pop("drop", OTHERS), *(["arm"] if "treatment" in options else [])]
    assert main(command(folder, tmp_path / "o.csv", **options, drop=drop)) == 0
    assert said in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.more
def test_smaller_is_better_turns_the_order(folder, tmp_path, capsys):
    tests = []
    for options in ([], ["--smaller-is-better"]):
        assert main(command(folder, tmp_path / "o.csv", *options, "--json")) == 0
        tests.append(json.loads(capsys.readouterr().out)["heterogeneity"]["tests"])
    assert tests[0][0]["estimate"] == pytest.approx(tests[1][0]["estimate"])
    assert tests[0][1]["estimate"] != pytest.approx(tests[1][1]["estimate"])


@pytest.mark.parametrize(
    ("options", "naming"),
    [
        (["--treated", "pill"], ["--treated pill", "'drug', 'placebo'"]),
        (["--propensity", "1.5"], ["'arm' on 'relief'", "> 0 and < 1"]),
        (["--propensity", "odds"], ["'odds'", "--propensity"]),
        (["--weight", "site"], ["'site'", "must hold numbers"]),
        (["--weight", "relief"], ["--outcome and --weight", "'relief'"]),
        (["--group", "ward"], ["'ward'", "--group"]),
        (["--keep", "ward"], ["'ward'", "--keep"]),
        (["--drop", "ward"], ["'ward'", "--drop"]),
        (["--interval", "90"], ["--interval", "between 0 and 1"]),
        (["--report", "page.pdf"], ["page.pdf", ".html"]),
        (["-o", "o.xlsx"], ["o.xlsx", ".csv"]),
        (["--outcome", "reliev"], ["'reliev'", "--outcome", "'relief'"]),
        (["--treatment", "site", "--treated", "east"], ["--treated east", "'north', 'south'"]),
        (["--drop", *FEATURES, "arm"], ["no feature is left"]),
    ],
)
def test_options_that_do_not_fit(refused, folder, tmp_path, options, naming):
    refused(*command(folder, tmp_path / "o.csv"), *options, naming=naming)


def test_two_outputs_are_two_files(refused, folder, tmp_path):
    refused(
        *command(folder, tmp_path / "o.csv"), "--save", tmp_path / "o.csv", naming=["--output and --save", "same file"]
    )


def test_queries_are_checked_before_any_work(refused, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(AttentionEffect, "fit", lambda *_, **__: pytest.fail("work was done"))
    TRIAL[["age", "pain"]].to_csv(tmp_path / "new.csv", index=False)
    refused(*command(folder, tmp_path / "o.csv"), "--queries", tmp_path / "new.csv", naming=["new.csv", "'site'"])


@pytest.mark.parametrize(
    ("cells", "naming"),
    [
        (["drug"] * ROWS, ["differ between rows", "'drug' only"]),
        (["a", "b", "c"] * (ROWS // 3), ["two levels", "3 levels"]),
        ([None, *TRIAL["arm"][1:]], ["'arm'", "1 missing cell", "row 1"]),
        (np.where(TRIAL["site"] == "north", "a", "b"), ["almost perfectly", "Leave out columns"]),
    ],
)
def test_treatments_that_cannot_be_told(refused, tmp_path, cells, naming):
    TRIAL.assign(arm=cells).to_csv(tmp_path / "trial.csv", index=False)
    refused(*command(tmp_path, tmp_path / "o.csv"), naming=["trial.csv", *naming])


def test_a_page_that_cannot_be_made_is_refused_before_any_work(refused, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(AttentionEffect, "fit", lambda *_, **__: pytest.fail("work was done"))
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    more = ["--report", tmp_path / "page.html", "--save", tmp_path / "m.skops"]
    refused(*command(folder, tmp_path / "o.csv"), *more, naming=["page.html", "heedful[report]"])


@pytest.mark.more
def test_numbers_of_arms_may_be_typed_in_several_ways(tmp_path, capsys):
    TRIAL.assign(arm=np.where(TRIAL["arm"] == "drug", 1, 2)).to_csv(tmp_path / "trial.csv", index=False)
    assert main(command(tmp_path, tmp_path / "o.csv", "--treated", "1.0")) == 0
    assert "effect of arm = 1, compared with 2," in capsys.readouterr().out


@pytest.mark.more
def test_intervals_are_those_that_were_asked_for(folder, tmp_path):
    out, saved = tmp_path / "o.csv", tmp_path / "model.skops"
    assert main(command(folder, out, "--interval", "0.5", "--save", saved, "--quiet")) == 0
    model, found = load_model(saved), pd.read_csv(out)
    expected = model.effect_interval(TRIAL[FEATURES], 0.5)
    np.testing.assert_allclose(found[["low", "high"]], expected, rtol=1e-6)
