"""What is fetched is checked, stored and listed; a stand-in takes the place of the network."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from heedful.datasets import download_tables, load_table, load_us_change
from heedful.datasets._catalogue import CATALOGUE, UCI_TABLES

IDENTIFIERS = {"us_change": ["Quarter"], "liver_disorders": ["selector"]}


def made_up(name):
    """Return a table with the rows and columns of the one with this name, and others before and after them."""
    listed = CATALOGUE[name]
    names = [*listed.targets, *listed.features[::-1], *IDENTIFIERS.get(name, [])]
    values = np.arange(listed.n * len(names), dtype=float).reshape(listed.n, -1)
    return pd.DataFrame(values, columns=names)


def test_all_tables_are_fetched_stored_and_loaded(tmp_path):
    download_tables(tmp_path, fetch=made_up)
    for name in UCI_TABLES:
        X, y = load_table(name, tmp_path, communities="keep")
        assert len(X) == len(y) == CATALOGUE[name].n
        assert list(X)[: len(CATALOGUE[name].features)] == CATALOGUE[name].features
    assert load_us_change(tmp_path).shape == (198, 5)


def test_the_manifest_has_the_same_form_as_that_of_a_given_folder(tmp_path):
    download_tables(tmp_path, ["liver_disorders"], fetch=made_up)
    about = json.loads((tmp_path / "uci" / "manifest.json").read_text(encoding="utf-8"))["liver_disorders"]
    assert (about["n"], about["p"], about["columns"], about["missing"]) == (345, 5, 7, 0)
    assert (about["target"], about["other"]) == ("drinks", ["selector"])
    assert len(about["sha256"]) == 64


def test_later_tables_are_added_to_the_manifest(tmp_path):
    download_tables(tmp_path, ["servo"], fetch=made_up)
    download_tables(tmp_path, ["auto_mpg"], fetch=made_up)
    assert [load_table(name, tmp_path)[1].size for name in ("servo", "auto_mpg")] == [167, 398]


def test_stray_blanks_question_marks_and_percentages_are_read(tmp_path):
    table = made_up("stock_portfolio_performance").rename(columns={"Large B/P": " Large B/P "})
    table["Annual Return.1"], table["Large ROE"] = "12.5%", ["?", *["3"] * 314]
    download_tables(tmp_path, ["stock_portfolio_performance"], fetch=lambda name: table)
    X, y = load_table("stock_portfolio_performance", tmp_path, response="Annual Return.1")
    assert np.isnan(X["Large ROE"][0])
    assert X["Large ROE"][1] == 3
    np.testing.assert_array_equal(y, 0.125)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda table: table.iloc[1:], "got 166 rows"),
        (lambda table: table.rename(columns={"pgain": "gain"}), "got 167 rows without 'pgain'"),
        (lambda table: table.assign(**{"class": "slow"}), "numbers as responses"),
        (lambda table: table.assign(**{"class": table["class"].where(table.index > 0)}), "missing cells"),
    ],
)
def test_another_table_is_refused_by_name_and_the_rest_is_stored(tmp_path, spoil, said):
    def fetch(name):
        return spoil(made_up(name)) if name == "servo" else made_up(name)

    with pytest.raises(ValueError, match=rf"servo must have .*{said}.*1 of 2 tables were stored"):
        download_tables(tmp_path, ["servo", "auto_mpg"], fetch=fetch)
    assert load_table("auto_mpg", tmp_path)[1].size == 398


def test_uci_tables_come_by_their_number(tmp_path, monkeypatch):
    numbers = {listed.uci: name for name, listed in CATALOGUE.items()}

    def fetch_ucirepo(id):  # noqa: A002 - the package's own name
        return SimpleNamespace(data=SimpleNamespace(original=made_up(numbers[id])))

    monkeypatch.setitem(sys.modules, "ucimlrepo", SimpleNamespace(fetch_ucirepo=fetch_ucirepo))
    download_tables(tmp_path, ["servo", "forest_fires"])
    assert load_table("forest_fires", tmp_path)[0].shape == (517, 12)


def test_a_missing_package_is_an_error_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ucimlrepo", None)
    with pytest.raises(ImportError, match=r"pip install 'heedful\[data\]'"):
        download_tables(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_unknown_table_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"`names` must be one of .*got 'iris'"):
        download_tables(tmp_path, ["iris"], fetch=made_up)
