"""Tables in files, whole and block by block: the same rows, names and errors."""

import bz2
import gzip

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import make_table, write

from heedful.cli._errors import UserError
from heedful.cli._read import open_table, read_table


@pytest.fixture(params=["t.csv", "t.tsv", "t.parquet"])
def path(request, tmp_path):
    """A table in a file; Parquet in groups of 7 rows."""
    place = tmp_path / request.param
    if place.suffix == ".parquet":
        make_table().to_parquet(place, row_group_size=7)
    else:
        make_table().to_csv(place, index=False, sep="," if place.suffix == ".csv" else "\t")
    return place


@pytest.mark.parametrize("size", [1, 5, 7, 59, 60, 1000])
def test_blocks_below_each_other_are_the_table(path, size):
    file, whole = open_table(path), read_table(path, text=["site"])
    blocks = list(file.blocks(size, text=["site"]))
    assert (file.names, file.n_rows) == (list(whole), len(whole))
    assert max(map(len, blocks)) == min(size, len(whole))
    pd.testing.assert_frame_equal(pd.concat(blocks), whole, check_dtype=False, check_exact=True)


def test_a_table_can_be_read_again_and_in_part(path):
    file = open_table(path)
    assert set(next(file.blocks(3, columns=["site", "dose"]))) == {"dose", "site"}
    assert len(list(file.blocks(30))) == 2


def test_numbers_of_a_csv_file_are_the_nearest_ones(tmp_path):
    path = write(tmp_path / "t.csv", "a\n0.1234567890123456789\n7.1e-300\n")
    assert read_table(path)["a"].tolist() == [0.1234567890123456789, 7.1e-300]


@pytest.mark.parametrize(
    "index", [pd.RangeIndex(10, 30, 2, name="key"), pd.Index(list("abcdefghij"), name="key"), pd.RangeIndex(10)]
)
def test_an_index_with_a_name_is_a_column_of_every_block(tmp_path, index):
    pd.DataFrame({"a": np.arange(10.0)}, index).to_parquet(tmp_path / "t.parquet")
    file = open_table(tmp_path / "t.parquet")
    assert file.names == (["key", "a"] if index.name else ["a"])
    whole = read_table(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(pd.concat(file.blocks(3, columns=file.names)), whole)
    if index.name:
        assert whole["key"].tolist() == index.tolist()


def test_an_index_named_like_a_column_is_refused(tmp_path):
    pd.DataFrame({"a": [1.0, 2.0]}, pd.Index(["x", "y"], name="a")).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(UserError, match=r"'a' occurs more than once\. Rename"):
        open_table(tmp_path / "t.parquet")


def test_a_table_without_rows_is_refused_before_it_is_read(tmp_path):
    pd.DataFrame({"a": []}).to_parquet(tmp_path / "t.parquet")
    for path in (tmp_path / "t.parquet", write(tmp_path / "t.csv", "a,b\n\n")):
        with pytest.raises(UserError, match="no rows"):
            open_table(path)


def test_a_parquet_file_damaged_in_its_middle_is_refused_in_one_line(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": np.random.default_rng(0).normal(size=5000)}).to_parquet(path, row_group_size=1000)
    data = bytearray(path.read_bytes())
    data[20_000:28_000] = bytes(8000)
    path.write_bytes(data)
    with pytest.raises(UserError, match="not a Parquet file that can be read"):
        list(open_table(path).blocks(1000))


@pytest.mark.parametrize("blanks", [" ", "   ", "\t"])
@pytest.mark.parametrize("size", [None, 2, 100])
def test_a_line_of_blanks_is_no_row_that_gets_lost(tmp_path, blanks, size):
    path = write(tmp_path / "t.csv", f"a\n1\n{blanks}\n3\n")
    with pytest.raises(UserError, match=r"3 rows were found and 2 were read\. Line 3 is blank\. Delete"):
        list(open_table(path).blocks(size))


def test_an_empty_line_is_none_and_a_quoted_blank_is_a_cell(tmp_path):
    assert len(read_table(write(tmp_path / "t.csv", 'a\n1\n\n" "\n3\n\n'))) == 3


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "utf-8"])
def test_text_with_a_mark_is_read_in_its_encoding(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes("a,é\n1,ö\n".encode(encoding))
    table = read_table(tmp_path / "t.csv")
    assert (list(table), table["é"][0]) == (["a", "é"], "ö")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(b"a,b\n1,2\n"), r"compressed by gzip\. Name it \.csv\.gz, or unpack it: gunzip < t\.csv"),
        (bz2.compress(b"a,b\n1,2\n"), "bunzip2"),
        (b"PK\x03\x04rest", "spreadsheet"),
        ("a,b\n1,2\n".encode("utf-16-le"), "iconv -f utf-16le"),
        ("a,b\n1,2\n".encode("utf-16-be"), "iconv -f utf-16be"),
        ("a,b\n1,2\n".encode("utf-16")[:-1], "cannot be read: .*utf-16.*Save it as UTF-8"),
        ("a,é\n1,2\n".encode("latin1"), "iconv -f latin1"),
    ],
    ids=["gzip", "bzip2", "zip", "utf-16-le", "utf-16-be", "cut utf-16", "latin1"],
)
def test_what_is_no_plain_text_says_what_to_do(tmp_path, content, words):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UserError, match=words):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize("ending", [".csv.gz", ".CSV.GZ", ".tsv.gz"])
def test_a_packed_table_is_read_as_the_plain_one(tmp_path, ending):
    text = "a,b\n1,x\n2,y\n".replace(",", "\t" if "t" in ending else ",").encode("utf-8-sig")
    (tmp_path / f"t{ending}").write_bytes(gzip.compress(text))
    table = read_table(tmp_path / f"t{ending}")
    assert table.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a,b\n1,2\n", "the name ends in .gz, but the file is not compressed. Leave out .gz"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 5000)[:-30], "cut short"),
        (gzip.compress(b"a,b\n" + bytes(range(200)) * 50)[:20] + b"x" * 200, "t.csv.gz: "),
        (gzip.compress(b"a,b\n1,2,3\n"), "line 2 has 3 cells"),
        (b"", "the file is empty"),
    ],
    ids=["not packed", "cut", "broken", "ragged", "empty"],  # gzip's bytes hold the time: each worker would differ
)
def test_a_packed_table_that_cannot_be_read_says_why(tmp_path, content, words):
    (tmp_path / "t.csv.gz").write_bytes(content)
    with pytest.raises(UserError, match=words):
        read_table(tmp_path / "t.csv.gz")


@pytest.mark.parametrize("columns", [None, ["b"]])
def test_a_first_column_without_a_name_holds_labels(tmp_path, caplog, columns):
    pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=["u", "v"]).to_csv(tmp_path / "t.csv")
    file = open_table(tmp_path / "t.csv")
    assert file.names == ["a", "b"]
    (block,) = file.blocks(columns=columns)
    assert list(block) == (columns or ["a", "b"])
    assert block["b"].tolist() == [3, 4]
    assert "first column has no name" in caplog.text


@pytest.mark.parametrize("header", ["a,,b", "a,b,", ",,a", " "])
def test_other_columns_without_a_name_are_refused(tmp_path, header):
    (tmp_path / "t.csv").write_text(f"{header}\n" + ",".join("123"[: header.count(",") + 1]) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"has no name\. Name it"):
        open_table(tmp_path / "t.csv")
