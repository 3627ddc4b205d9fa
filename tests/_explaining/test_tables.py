from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from heedful._explaining.tables import index_features

LABELS = {
    "range": pd.RangeIndex(3),
    "text": pd.Index(["b", "a", "c"]),
    "twice": pd.Index([7, 2, 7]),
    "missing": pd.Index([1.0, np.nan, 0.5]),
    "dates": pd.date_range("2024-01-03", periods=3, freq="-1D"),
    "mixed": pd.Index(["b", 1, None], dtype=object),
    "categories": pd.CategoricalIndex(["b", "a", "b"]),
    "none": pd.RangeIndex(0),
}


@pytest.mark.parametrize("outputs", [None, ["low", "high"], [1, 0]])
@pytest.mark.parametrize("labels", LABELS)
def test_the_index_is_the_product_of_queries_classes_and_features(labels, outputs):
    index, model = LABELS[labels], SimpleNamespace(cache={}, response=SimpleNamespace(outputs=outputs))
    for names in (["x", "a", "k"], ["k"], ["k"], ["a", "x"]):
        levels = [("query", index), *([] if outputs is None else [("class", outputs)]), ("feature", names)]
        expected = pd.MultiIndex.from_product([part for _, part in levels], names=[name for name, _ in levels])
        found = index_features(model, index, names)
        pd.testing.assert_index_equal(found, expected)
        for one, other in zip(found.levels, expected.levels, strict=True):
            pd.testing.assert_index_equal(one, other, exact=True)
