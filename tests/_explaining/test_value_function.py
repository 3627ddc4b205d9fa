"""Rows mixed of others, and what is asked of them for Shapley values."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from heedful._explaining.shapley import sample_permutations
from heedful._explaining.value_function import Compared, ValueFunction, close, drop_noise, mix_rows, systematic
from heedful._flow.rows import CodedRows


def test_each_cell_is_that_of_the_row_that_is_named_as_code_and_as_given(rng):
    given = pd.DataFrame({"b": list("uvwxy"), "c": pd.date_range("2024", periods=5)})
    rows = CodedRows(rng.normal(size=(5, 3)), given, np.array([1, 2]))
    source = rng.integers(5, size=(20, 3))
    mixed = rows.mix(source)
    for i, row in enumerate(source):
        np.testing.assert_array_equal(mixed.codes[i], rows.codes[row, [0, 1, 2]])
        assert mixed.given.iloc[i].tolist() == [given["b"][row[1]], given["c"][row[2]]]
    assert mixed.given.dtypes.equals(given.dtypes)


def test_every_number_of_columns_of_the_first_row_is_as_likely():
    source = mix_rows(np.ones(500), 4, 5000)
    n_first = (source == source[:, :1]).sum(axis=1)
    assert all(len(set(row)) <= 2 for row in source)
    # with the first column go 0 to 3 others: sizes 1 to 4 of either row, those of all four from both ends
    np.testing.assert_allclose(np.bincount(n_first, minlength=5)[1:] / 5000, [0.1 * k for k in (1, 2, 3, 4)], atol=0.05)


def test_what_columns_add_one_by_one_is_all_that_there_is_to_add(rng):
    rows = CodedRows(rng.normal(size=(2, 12)), None, np.arange(12))

    def value(x):
        return np.column_stack([x.sum(axis=1), x[:, 0] * x[:, 1] * x[:, 2]])

    function = SimpleNamespace(
        compared=SimpleNamespace(share=np.ones(1)),
        missed_of=lambda rows, source: value(rows.mix(source).codes),
    )
    draws, share, _ = sample_permutations(function, rows)
    other, query = rows.codes
    np.testing.assert_allclose(draws[:, 0], np.tile(query - other, (share.size, 1)), atol=1e-12)
    np.testing.assert_allclose(draws[:, 1].sum(axis=1), np.diff(value(rows.codes)[:, 1]).item(), atol=1e-12)


@pytest.mark.one_value
@pytest.mark.parametrize("given", [False, True])
def test_rows_that_come_again_are_asked_about_once_and_answered_each(rng, given):
    codes = rng.integers(0, 2, (5, 4)).astype(float)
    rows = CodedRows(codes, codes.copy() if given else None, np.arange(4))
    source, asked = rng.integers(5, size=(300, 4)), []

    def rest(mixed):
        asked.append(mixed.codes)
        return mixed.codes @ np.array([[1.0], [2.0], [4.0], [8.0]])

    function = SimpleNamespace(
        rest=rest,
        trees=[SimpleNamespace(predict=lambda codes: codes[:, 0])],
        binned=lambda codes: codes,
        _cut=lambda source: np.array_split(source, 3),
    )
    cells = rows.mix(source).codes
    np.testing.assert_array_equal(ValueFunction.missed_of(function, rows, source)[:, 0], cells @ [0.0, 2.0, 4.0, 8.0])
    # given cells may differ where codes do not
    distinct = np.unique(source if given else cells, axis=0)
    assert sum(map(len, asked)) == len(distinct) < len(source)


def test_what_is_rounding_beside_the_largest_of_its_row_or_the_link_becomes_zero():
    whole, link = np.array([[[1e3, 1.0, -1e-7], [1e-9, 0.0, 1e-12]]]), np.array([[1.0, 0.0]])
    values = np.array([[[1e-10, -1e-8, 5.0], [1e-22, -1e-20, 0.0]]])
    np.testing.assert_array_equal(drop_noise(values, whole, link), [[[0.0, -1e-8, 5.0], [0.0, -1e-20, 0.0]]])
    np.testing.assert_array_equal(drop_noise(values, whole, 1e7 * link), [[[0.0, 0.0, 5.0], [0.0, -1e-20, 0.0]]])


def test_columns_without_a_share_get_nothing_of_what_is_missing():
    values = close(np.array([1.0, 0.0, 2.0]), np.zeros(3), np.array(3.3))
    np.testing.assert_allclose(values, [1.1, 0.0, 2.2])
    assert values[1] == 0.0


@pytest.mark.parametrize("most", [1, 7, 40])
def test_rows_to_compare_with_are_drawn_as_often_as_their_weight_says(rng, most):
    weight = rng.exponential(size=60) ** 2
    rows, share = systematic(weight, most)
    assert share.sum() == pytest.approx(1.0)
    times = np.zeros(60)
    times[rows] = most * share
    assert (np.abs(times - most * weight / weight.sum()) < 1.0 + 1e-9).all()


def test_all_rows_are_compared_with_if_they_are_not_too_many(rng):
    weight = rng.exponential(size=30)
    rows, share = systematic(weight, 30)
    np.testing.assert_array_equal(rows, np.arange(30))
    np.testing.assert_allclose(share, weight / weight.sum())


def test_rows_are_mixed_as_often_as_their_weight_says(rng):
    weight = np.array([0.0, 1.0, 2.0, 0.0, 5.0])
    often = np.bincount(mix_rows(weight, 3, 4000).ravel(), minlength=5) / 12_000
    np.testing.assert_allclose(often, weight / 8, atol=0.02)
    assert (often[weight == 0] == 0).all()


def test_the_base_value_is_a_mean_by_shares(rng):
    share, link = rng.dirichlet(np.ones(7)), rng.normal(size=(7, 2))
    np.testing.assert_allclose(Compared(None, share, link, *[None] * 4).base, np.average(link, axis=0, weights=share))


def test_what_trees_miss_goes_to_columns_that_matter_to_the_query_or_to_others():
    plain, bent = np.array([[[1.0, 2.0, 0.0]]]), np.array([[[0.0, -3.0, 0.0]]])
    function = SimpleNamespace(
        known_values=lambda *_: (plain, bent),
        reliance=np.array([[1.0, 0.0, 0.0]]),
        compared=SimpleNamespace(base=np.array([10.0])),
        usually_missed=np.array([0.5]),
    )
    # 14 is 4 above the base, and 0 are known: the first column matters elsewhere, the second here, the third nowhere
    added, far = ValueFunction.fast(function, None, None, np.array([[14.0]]))
    np.testing.assert_allclose(added, [[[2.0, 2.0, 0.0]]])
    # three times what is usually missed is where the known ends
    np.testing.assert_allclose(far, [4.0 / 1.5])
