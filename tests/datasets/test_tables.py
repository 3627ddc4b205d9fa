"""Tables come as the paper has them, each choice as asked, and never from a file that is not the one listed."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from heedful.datasets import load_table, load_us_change
from heedful.datasets._tables import encode_text

INDICATORS = [f"r{j}" for j in range(6)]
# name: features, responses and rows, all made up
MADE_UP = {
    "servo": (["motor", "pgain"], ["class"], [["B", 1.0, 0.5], ["A", 2.0, 0.7], [None, None, 0.9]]),
    "facebook_metrics": (["like"], ["Total Interactions"], [[1.0, 0.0], [2.0, 9.0]]),
    "infrared_thermography_temperature": (["Distance"], ["aveOralF", "aveOralM"], [[79.0, 36.0, 37.0], [0.8, 38, 39]]),
    "communities_and_crime": (["communityname", "fold"], ["Violent"], [["Rome", 1, 0.1], ["Bonn", 2, 0.2]]),
    "stock_portfolio_performance": (
        ["w"],
        [*INDICATORS, *(f"{name}.1" for name in INDICATORS)],
        [[0.5, *range(6), *range(10, 16)], [0.2, *range(1, 7), *range(20, 26)]],
    ),
    "us_change": (["Income", "Savings"], ["Consumption"], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
}


@pytest.fixture
def folder(tmp_path):
    """A folder of small tables that were made up, with their manifest."""
    (tmp_path / "uci").mkdir()
    manifest = {}
    for name, (features, targets, rows) in MADE_UP.items():
        frame = pd.DataFrame(rows, columns=[*features, *targets])
        frame.insert(0, "Quarter" if name == "us_change" else "row id", [f"q{i}" for i in range(len(frame))])
        content = frame.to_csv(index=False).encode()
        (tmp_path / "uci" / f"{name}.csv").write_bytes(content)
        checksum = hashlib.sha256(content).hexdigest()
        manifest[name] = {"file": f"{name}.csv", "features": features, "all_targets": targets, "sha256": checksum}
    (tmp_path / "uci" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return tmp_path


def test_text_and_missing_cells_are_kept_by_default(folder):
    X, y = load_table("servo", folder)
    assert list(X) == ["motor", "pgain"]
    assert X["motor"][0] == "B"
    assert X.isna().sum().tolist() == [1, 1]
    np.testing.assert_array_equal(y, [0.5, 0.7, 0.9])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("onehot", {"pgain": [1, 2, np.nan], "motor_A": [0, 1, 0], "motor_B": [1, 0, 0]}),
        ("codes", {"motor": [1, 0, np.nan], "pgain": [1, 2, np.nan]}),
        ("drop", {"pgain": [1, 2, np.nan]}),
    ],
)
def test_text_becomes_what_is_asked(folder, text, expected):
    X, _ = load_table("servo", folder, text=text)
    pd.testing.assert_frame_equal(X, pd.DataFrame(expected), check_dtype=False)


def test_a_table_of_numbers_has_no_text_to_encode(rng):
    frame = pd.DataFrame(rng.normal(size=(3, 2)), columns=["a", "b"])
    for text in ("keep", "onehot", "codes", "drop"):
        pd.testing.assert_frame_equal(encode_text(frame, text), frame)


@pytest.mark.parametrize(("facebook", "expected"), [("log", [0.0, np.log(10)]), ("raw", [0.0, 9.0])])
def test_the_response_of_facebook_is_logged_or_not(folder, facebook, expected):
    np.testing.assert_allclose(load_table("facebook_metrics", folder, facebook=facebook)[1], expected)


@pytest.mark.parametrize(("infrared", "distance"), [("keep", 79.0), ("0.79", 0.79)])
def test_the_distance_of_79_is_kept_or_mended(folder, infrared, distance):
    X, _ = load_table("infrared_thermography_temperature", folder, infrared=infrared)
    assert X["Distance"].tolist() == [distance, 0.8]


@pytest.mark.parametrize(("response", "expected"), [("mean", [36.5, 38.5]), ("aveOralF", [36, 38])])
def test_several_responses_are_averaged_or_one_is_taken(folder, response, expected):
    np.testing.assert_allclose(load_table("infrared_thermography_temperature", folder, response=response)[1], expected)


@pytest.mark.parametrize(("stock", "seen", "expected"), [("B", "r0", [12.5, 22.5]), ("C", "r0.1", [2.5, 3.5])])
def test_stock_is_read_in_two_ways(folder, stock, seen, expected):
    X, y = load_table("stock_portfolio_performance", folder, stock=stock)
    assert list(X)[:2] == ["w", seen]
    assert X.shape[1] == 7
    np.testing.assert_allclose(y, expected)


@pytest.mark.parametrize(("communities", "names"), [("no name", ["fold"]), ("keep", ["communityname", "fold"])])
def test_names_of_communities_are_left_out_or_kept(folder, communities, names):
    assert list(load_table("communities_and_crime", folder, communities=communities)[0]) == names


def test_choices_for_other_tables_do_not_matter(folder):
    plain, chosen = load_table("servo", folder), load_table("servo", folder, stock="C", facebook="raw", infrared="0.79")
    pd.testing.assert_frame_equal(plain[0], chosen[0])
    np.testing.assert_array_equal(plain[1], chosen[1])


def test_the_series_has_its_response_last_and_quarters_as_index(folder):
    series = load_us_change(folder)
    assert list(series) == ["Income", "Savings", "Consumption"]
    assert series.index.tolist() == ["q0", "q1"]


def test_the_environment_says_where_the_tables_are(folder, monkeypatch):
    monkeypatch.setenv("HEEDFUL_DATA", str(folder))
    assert len(load_table("servo")[1]) == 3


def test_without_a_folder_the_error_says_how_to_get_the_tables(monkeypatch):
    monkeypatch.delenv("HEEDFUL_DATA", raising=False)
    with pytest.raises(FileNotFoundError, match=r"are not part of heedful.*HEEDFUL_DATA.*download_tables"):
        load_table("servo")


@pytest.mark.parametrize("lost", ["manifest.json", "servo.csv"])
def test_a_missing_file_is_named_with_the_remedy(folder, lost):
    (folder / "uci" / lost).unlink()
    with pytest.raises(FileNotFoundError, match=rf"{lost}, but there is no such file.*download_tables"):
        load_table("servo", folder)


def test_a_table_that_the_manifest_does_not_list_is_missing(folder):
    with pytest.raises(FileNotFoundError, match=r"auto_mpg\.csv, but the manifest does not list it"):
        load_table("auto_mpg", folder)


@pytest.mark.parametrize("load", [lambda data: load_table("servo", data), load_us_change])
def test_a_changed_file_is_refused_by_its_checksum(folder, load):
    for path in (folder / "uci").glob("*.csv"):
        path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(ValueError, match=r"sha256 .* of its manifest, got .*download_tables"):
        load(folder)


def test_a_damaged_manifest_is_an_error_that_names_it(folder):
    (folder / "uci" / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"manifest\.json must be JSON"):
        load_table("servo", folder)


@pytest.mark.parametrize("argument", ["text", "response", "facebook", "infrared", "stock", "communities"])
def test_a_choice_that_is_none_is_refused(folder, argument):
    with pytest.raises(ValueError, match=f"`{argument}` must be one of "):
        load_table("servo", folder, **{argument: "both"})


def test_an_unknown_table_is_refused(folder):
    with pytest.raises(ValueError, match=r"`name` must be one of 'airfoil_self_noise', .*got 'iris'"):
        load_table("iris", folder)
