"""The league: who wins where and beyond noise, which rows methods see, and what is measured again."""

import contextlib
import json

import numpy as np
import pandas as pd
import pytest

from benchmarks import study
from benchmarks.league import __main__ as league, measuring, methods, page, summary
from benchmarks.league.methods import LASSO, OURS, Method
from benchmarks.league.tables import as_frame, cut_at_median, cut_to_sizes
from benchmarks.tables import load_statlib, stand_in

# Squared errors of three splits; the lasso's are 100, so that gains are 100 - error.
ERRORS = {
    "steady loss": {OURS: [50, 52, 54], "booster": [30, 31, 32], LASSO: [100, 100, 100]},
    "noisy loss": {OURS: [50, 50, 50], "booster": [40, 40, 64], LASSO: [100, 100, 100]},
    "steady win": {OURS: [10, 12, 14], "booster": [80, 83, 86], LASSO: [100, 100, 100]},
    "below": {OURS: [103, 104, 105], "booster": [None, None, None], LASSO: [100, 100, 100]},
}


@pytest.fixture
def results():
    """Errors and seconds as studies have them."""
    splits = {}
    for title, errors in ERRORS.items():
        for seed in range(3):
            there = {name: values[seed] for name, values in errors.items() if values[seed] is not None}
            splits[title, seed] = {name: {"error": float(e), "seconds": 1.0 + seed} for name, e in there.items()}
    return study.as_frame(splits)


@pytest.fixture
def gain(results):
    return summary.gain_of(results)


def test_gains_are_over_the_lasso(gain):
    assert gain.loc[("steady win", 1)].to_dict() == pytest.approx({OURS: 88.0, "booster": 17.0, LASSO: 0.0})


def test_ranks_are_among_the_methods_of_a_table(gain):
    ranks = summary.rank_methods(gain)
    assert ranks.loc["steady win"].to_dict() == {OURS: 1.0, "booster": 2.0, LASSO: 3.0}
    assert ranks.loc["below"].dropna().to_dict() == {LASSO: 1.0, OURS: 2.0}


def test_a_loss_is_clear_only_beyond_two_standard_errors(gain):
    found = summary.duel(gain, "booster")
    assert found == summary.Duel(["steady win"], ["noisy loss", "steady loss"], ["steady win"], ["steady loss"])


def test_standard_errors_are_of_paired_differences():
    # both move by 100 points from split to split, and heedful is always between one and three points behind
    level = np.array([0.0, 50.0, 100.0])
    rows = pd.MultiIndex.from_product([["t"], range(3)], names=["table", "seed"])
    paired = pd.DataFrame({OURS: level - [1.0, 2.0, 3.0], "booster": level}, rows)
    assert summary.duel(paired, "booster").lost_clearly == ["t"]


def test_nothing_is_clear_with_one_split(gain):
    found = summary.duel(gain.xs(0, level="seed", drop_level=False), "booster")
    assert found.lost == ["noisy loss", "steady loss"]
    assert not found.won_clearly
    assert not found.lost_clearly


def test_rivals_that_are_far_ahead_are_named_with_their_points(gain):
    assert summary.far_ahead(gain) == {"steady loss": pytest.approx({"booster": 21.0})}


def test_tables_where_the_lasso_is_better_are_named(gain):
    assert summary.below_lasso(gain) == pytest.approx({"below": -4.0})


def test_the_typical_gain_is_by_the_geometric_mean_of_ratios():
    errors = {"a": 4.0, "b": 0.25}
    splits = {(title, 0): {OURS: {"error": e}, LASSO: {"error": 1.0}} for title, e in errors.items()}
    found = summary.typical_gain(study.as_frame(splits))
    assert found[OURS] == pytest.approx(0.0)


def test_a_method_without_error_on_a_table_does_not_decide_the_typical_gain():
    errors = {"exact": 0.0, "as the lasso": 1.0}
    splits = {(title, 0): {OURS: {"error": e}, LASSO: {"error": 1.0}} for title, e in errors.items()}
    assert summary.typical_gain(study.as_frame(splits))[OURS] == pytest.approx(90.0)


def test_the_page_has_every_method_and_says_what_was_left_out(results):
    text = page.write_section("numbers", "About.", results, dict.fromkeys(ERRORS, (30, 2)))
    assert "| booster | 3 | 46.0 |" in text
    assert "| 1 : 2 | 1 : 1 | 2.00 | 2.00 |" in text
    assert "| below | 30 | 2 | -4.0 | not run |" in text
    assert "more than 1 %: below (-4.0 %)." in text


def test_samples_by_size_have_a_line_for_each_size(results):
    sizes = {"steady loss": (100, 2), "noisy loss": (100, 2), "steady win": (300, 2), "below": (300, 2)}
    lines = page.write_section("sizes", "", results, sizes).splitlines()
    assert "| typical gain, training rows | heedful | booster |" in lines
    # geometric means: of errors near 52 and 50; of errors near 12 and 104
    assert any(line.startswith("| 100 | 49.0 |") for line in lines)
    assert any(line.startswith("| 300 | 64.8 |") for line in lines)


def test_without_heedful_the_page_compares_the_others(results):
    text = page.write_section("numbers", "", results.drop(columns=OURS, level=1), dict.fromkeys(ERRORS, (30, 2)))
    assert "| booster | 3 | 46.0 |" in text
    assert "heedful is worse" not in text


class Recorder:
    """A model that keeps the rows it is given, takes its time, and keeps exceptions back, as EBM does."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds

    def fit(self, X, y):
        self.X, self.level = X, y.mean()
        with contextlib.suppress(Exception):
            start = measuring.process_time()
            while measuring.process_time() < start + self.seconds:
                pass
        return self

    def predict(self, X):
        return np.full(len(X), self.level)


@pytest.mark.parametrize(("limit", "there"), [(0.05, False), (30.0, True), (None, True)])
def test_a_method_that_takes_too_long_is_left_out(limit, there):
    X, y = stand_in(40, 0)
    slow = Method(lambda seed: Recorder(0.2), (), "", seconds=limit)
    assert bool(measuring.measure_method("numbers", "slow", slow, (as_frame(X), y), 0)) == there


def test_all_methods_see_the_same_halves():
    X, y = stand_in(40, 0)
    seen = [Recorder(), Recorder()]
    for model, rows in zip(seen, (methods.keep, methods.one_hot), strict=True):
        method = Method(lambda seed, model=model: model, (), "", rows)
        measuring.measure_method("numbers", "some", method, (as_frame(X), y), 1)
    frame, numbers = seen[0].X, seen[1].X
    np.testing.assert_array_equal(frame["x0"], numbers[:, 0])
    assert frame["x2"].isna().any()
    assert np.isfinite(numbers).all()
    assert numbers.shape[1] == 4 + 3


def test_classes_are_in_equal_shares_in_both_halves():
    y = np.repeat([0, 1], [30, 10])
    train, test = measuring.cut_rows("classes", y, 0)
    assert y[train].sum() == y[test].sum() == 5
    assert sorted([*train, *test]) == list(range(40))


def test_levels_become_categories_of_text_and_missing_cells_stay():
    frame = pd.DataFrame({"n": [1.0, None], "level": pd.Categorical([3, 4]), "text": ["a", None]})
    found = as_frame(frame)
    assert list(found) == ["x0", "x1", "x2"]
    assert list(found["x1"]) == ["3", "4"]
    assert isinstance(found["x2"].dtype, pd.CategoricalDtype)
    assert found.isna().sum().tolist() == [1, 0, 1]


def test_a_number_above_its_median_is_a_class():
    (title, (_, y)), *_ = cut_at_median({"t": (None, np.array([3.0, 1.0, 2.0, 9.0]))}, ["t", "absent"]).items()
    assert title == "t, above the median"
    assert y.tolist() == [1, 0, 0, 1]


def test_statlib_is_read_by_its_manifest(tmp_path):
    about = {"file": "t.csv", "task": "regression", "target": "y", "features": ["b", "a"], "categorical": ["a"]}
    (tmp_path / "statlib").mkdir()
    (tmp_path / "statlib" / "t.csv").write_text("a,b,y\n1,2,3\n4,5,6\n", encoding="utf-8")
    (tmp_path / "statlib" / "manifest.json").write_text(json.dumps({"datasets": {"t": about}}), encoding="utf-8")
    X, y = load_statlib(tmp_path)["t"]
    assert list(X) == ["b", "a"]
    assert isinstance(X["a"].dtype, pd.CategoricalDtype)
    assert y.tolist() == [3.0, 6.0]
    assert load_statlib(tmp_path / "elsewhere") == {}


def test_each_method_is_kept_with_the_versions_of_its_own_packages():
    studies = league.make_studies()
    assert "heedful " in studies[OURS].versions
    assert "heedful " not in studies["CatBoost, classes"].versions


def test_parts_are_the_methods_of_each_kind():
    tables = {"numbers": {"a": (pd.DataFrame([1]),)}, "classes": {"b": (pd.DataFrame([1]),)}}
    found = league.list_parts(tables, ["Cubist", LASSO], 1)
    assert found == [("Cubist", "a", 0), (LASSO, "a", 0), ("lasso, classes", "b", 0)]


def test_a_method_of_two_classes_is_not_asked_about_three():
    tables = {f"{k} classes": (pd.DataFrame({"x0": range(6)}), np.arange(6) % k) for k in (2, 3)}
    assert league.list_parts({"classes": tables}, ["BART"], 1) == [("BART, classes", "2 classes", 0)]
    assert len(league.list_parts({"numbers": tables}, ["BART"], 1)) == 2


def test_samples_by_size_are_of_so_many_training_rows():
    X, y = stand_in(50, 0)
    found = cut_to_sizes({"t": (as_frame(X), y)}, (10, 30, 60), 20)
    assert {title: len(rows) for title, (_, rows) in found.items()} == {"t, n = 10": 30, "t, n = 30": 50}
    small, large = (set(found[title][1]) for title in found)
    assert small < large


def test_samples_by_size_have_test_rows_of_their_own():
    train, test = measuring.cut_rows("sizes", np.zeros(1300), 0)
    assert (len(train), len(test)) == (300, 1000)
    assert sorted([*train, *test]) == list(range(1300))


def test_a_rival_of_an_extra_that_is_missing_is_left_out_and_named(monkeypatch):
    monkeypatch.setattr(methods, "find_spec", lambda module: None if module == "chimeraboost" else module)
    assert set(methods.NAMES) - set(methods.list_there()) == {"ChimeraBoost"}
    assert "ChimeraBoost (extra `league-more`)" in league.describe_missing()
    monkeypatch.setattr(methods, "find_spec", lambda module: None if module == "cubist" else module)
    assert "Cubist" in methods.list_there()
    assert league.describe_missing() == ""


def test_an_unknown_table_is_an_error_that_names_those_there_are():
    with pytest.raises(SystemExit, match=r"'c'.* a, b"):
        league.choose({"numbers": {"a": ()}, "classes": {"b": ()}}, ["c"])


def test_what_took_too_long_on_the_first_split_is_not_tried_on_others():
    wanted = [("EBM", "a", 0), ("EBM", "b", 0), ("EBM", "a", 1), ("EBM", "b", 1)]
    known = {("EBM", "a", 0): {}, ("EBM", "b", 0): {"EBM": {"error": 1.0}}}
    assert league.without_slow(wanted, known) == [("EBM", "a", 0), ("EBM", "b", 0), ("EBM", "b", 1)]


def test_what_took_too_long_is_said():
    known = {("EBM", "a", 0): {}, ("EBM", "a", 1): {}, ("EBM", "b", 0): {"EBM": {"error": 1.0}}}
    assert league.left_out(known).endswith("EBM on a.")
    assert league.left_out({}) == ""
