"""Rows that a query attended to."""

import numpy as np
import pandas as pd

from heedful import plot
from heedful.explain import Explanation


def test_bars_are_weights_with_labels_and_responses(each, no_overlap):
    query = each.index[2]
    expected = each.top_rows(6).loc[query]
    ax = plot.attended_rows(each, query, k=6)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], expected["weight"])
    no_overlap([*ax.get_yticklabels(), *ax.texts])
    assert [text.get_text() for text in ax.get_yticklabels()] == expected["row"].tolist()
    written = [text.get_text().replace("−", "-") for text in ax.texts]
    assert written[0] == "outcome"
    if expected["outcome"].dtype.kind == "f":
        np.testing.assert_allclose(np.array(written[1:], dtype=float), expected["outcome"], rtol=1e-3)
    else:
        assert written[1:] == expected["outcome"].tolist()


def test_every_part_of_a_response_has_its_column(small, no_overlap):
    train = pd.DataFrame({"event": True, "time": small.train["outcome"].abs()}, small.train.index)
    ax = plot.attended_rows(Explanation(**{**vars(small), "train": train}), small.index[0], k=3)
    assert {"event", "time", "True"} <= {text.get_text() for text in ax.texts}
    no_overlap(ax.texts)


def test_more_rows_than_there_are_draw_all_of_them(small):
    assert len(plot.attended_rows(small, small.index[0], k=1000).patches) == len(small.train)


def test_where_one_model_predicts_alone_no_rows_and_no_parts_are_drawn(small):
    mixing, found = 0 * small.mixing, small.attribution()
    alone = Explanation(**{**vars(small), "mixing": mixing, "attribution": lambda: found._replace(model=found.total)})
    ax = plot.attended_rows(alone, alone.index[0])
    assert not ax.patches
    assert "predicts alone" in ax.texts[0].get_text()
    assert plot.importance(alone).get_legend() is None
