"""What forests see of the columns of a table, by way of an estimator."""

import numpy as np
import pandas as pd
import pytest

from heedful import AttentionLasso, LocalLasso
from heedful._trees import Binned
from heedful.similarity import ForestProximity, PastSimilarity


@pytest.fixture
def table(rng):
    frame = pd.DataFrame({"a": rng.normal(size=150), "b": rng.normal(size=150)})
    frame["kind"] = rng.choice(["red", "green", "blue", "grey"], 150)
    frame["size"] = pd.Categorical(rng.choice(["s", "m", "l"], 150), ["s", "m", "l"], ordered=True)
    frame["when"] = np.arange(150.0)
    frame.loc[::9, "a"] = np.nan
    slope = frame["kind"].map({"red": 2.0, "blue": 2.0, "green": -2.0, "grey": -2.0})
    return frame, (slope * frame["b"] + (frame["size"] == "m")).to_numpy()


def test_text_is_parted_as_a_category_and_ordered_levels_by_their_order(table):
    frame, y = table
    model = AttentionLasso(similarity=ForestProximity(10), random_state=0).fit(frame, y)
    forest = model.similarity_[0].forest_
    assert forest.bins.categories.tolist() == [False, False, True, False, False]
    inner = forest.nodes[forest.nodes[:, 2] >= 0]
    assert ((inner[:, 1] < 0) == (inner[:, 0] == 2)).all()
    assert (inner[:, 0] == 2).any()


def test_the_names_of_levels_do_not_matter(table):
    frame, y = table
    other = frame.assign(kind=frame["kind"].map({"red": "z", "green": "b", "blue": "a", "grey": "y"}))
    one, two = (AttentionLasso(similarity=ForestProximity(20), random_state=0).fit(part, y) for part in (frame, other))
    # the same columns for the lassos, in another order: equal up to rounding
    np.testing.assert_allclose(one.predict(frame), two.predict(other), atol=1e-6)


def test_forests_of_one_fit_share_their_bins(table):
    frame, y = table
    model = AttentionLasso(random_state=0).fit(frame, y)
    assert len({id(forest.forest_.bins) for forest in model.similarity_}) == 1
    assert len({id(forest._grown._train.codes) for forest in model.similarity_}) == 1


def test_folds_have_the_bins_of_all_rows(table, monkeypatch):
    frame, y = table
    seen = []
    fit = ForestProximity.fit
    monkeypatch.setattr(ForestProximity, "fit", lambda self, X, *rest: seen.append(X) or fit(self, X, *rest))
    AttentionLasso(similarity=ForestProximity(5), cv=3, random_state=0).fit(frame, y)
    assert len(seen) == 4
    assert all(isinstance(part, Binned) and part.bins is seen[0].bins for part in seen)


def test_past_hides_the_time_and_keeps_categories(table):
    frame, y = table
    past = PastSimilarity(ForestProximity(10), time="when")
    model = AttentionLasso(similarity=past, local=LocalLasso(smooth=False), random_state=0).fit(frame, y)
    forest = model.similarity_[0].similarity_.forest_
    assert forest.bins.categories.tolist() == [False, False, True, False]
    first = model.attention(frame.iloc[[75]]).toarray()[0]
    assert (first[75:] == 0).all()


def test_columns_from_1e_minus_300_to_1e300_and_times_a_minute_apart_are_told_apart(rng):
    """Neither the unit nor the origin of a column decides."""
    x = rng.normal(size=(200, 3))
    y = np.where(x[:, 0] > 0, 3.0, -3.0) * x[:, 1] + 0.1 * rng.normal(size=200)
    units = x * [1e-300, 1e300, 1.0] + [0.0, 0.0, 1e8]
    forests = [ForestProximity(20, random_state=0).fit(part, y) for part in (x, units)]
    np.testing.assert_array_equal(*(forest.oob_scores().toarray() for forest in forests))
    minutes = 738_000.0 + np.arange(200) / 1440.0
    late = np.arange(200) >= 120
    forest = ForestProximity(20, min_samples_split=2, random_state=0).fit(minutes[:, None], late.astype(float))
    leaves = forest.forest_.apply(minutes[:, None])
    assert not (leaves[late][:, None] == leaves[~late][None]).all(axis=2).any()
