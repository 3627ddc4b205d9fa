"""Rows mixed of others, and what is asked of them for Shapley values."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from heedful._attention_model.attribution import mix_rows
from heedful._attention_model.pool import Pool
from heedful._attention_model.shapley import draw_orders


def test_each_cell_is_that_of_the_row_that_is_named_as_code_and_as_given(rng):
    given = pd.DataFrame({"b": list("uvwxy"), "c": pd.date_range("2024", periods=5)})
    pool = Pool(rng.normal(size=(5, 3)), given, np.array([1, 2]))
    source = rng.integers(5, size=(20, 3))
    mixed = pool.mix(source)
    for i, row in enumerate(source):
        np.testing.assert_array_equal(mixed.codes[i], pool.codes[row, [0, 1, 2]])
        assert mixed.given.iloc[i].tolist() == [given["b"][row[1]], given["c"][row[2]]]
    assert mixed.given.dtypes.equals(given.dtypes)


def test_every_number_of_columns_of_the_first_row_is_as_likely():
    source = mix_rows(np.ones(500), 4, 5000)
    n_first = (source == source[:, :1]).sum(axis=1)
    assert all(len(set(row)) <= 2 for row in source)
    # with the first column go 0 to 3 others: sizes 1 to 4 of either row, those of all four from both ends
    np.testing.assert_allclose(np.bincount(n_first, minlength=5)[1:] / 5000, [0.1 * k for k in (1, 2, 3, 4)], atol=0.05)


def test_what_columns_add_one_by_one_is_all_that_there_is_to_add(rng):
    pool = Pool(rng.normal(size=(2, 12)), None, np.arange(12))

    def function(x):
        return np.column_stack([x.sum(axis=1), x[:, 0] * x[:, 1] * x[:, 2]])

    game = SimpleNamespace(
        compared=SimpleNamespace(share=np.ones(1)),
        missed_of=lambda rows, source: function(rows.mix(source).codes),
    )
    draws, share, _ = draw_orders(game, pool)
    other, query = pool.codes
    np.testing.assert_allclose(draws[:, 0], np.tile(query - other, (share.size, 1)), atol=1e-12)
    np.testing.assert_allclose(draws[:, 1].sum(axis=1), np.diff(function(pool.codes)[:, 1]).item(), atol=1e-12)
