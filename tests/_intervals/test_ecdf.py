"""Values in order: weights below them and quantiles, under attention that is held sparsely."""

import numpy as np
import pytest
from scipy import sparse

from heedful._intervals.ecdf import WeightedECDF
from heedful.attention import Attention, attend
from reference.intervals import weight_below, weighted_quantile

KINDS = pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])


@pytest.fixture
def values(rng):
    return rng.normal(size=40).round(1)


def attention_of(rng, kind):
    scores = rng.normal(size=(6, 40)) * (rng.uniform(size=(6, 40)) < 0.3)
    scores[0, 3] = -np.inf
    return attend(kind(scores), 0.3, sample_weight=rng.uniform(0.5, 2.0, size=40))


@KINDS
def test_weights_below_a_value_equal_the_twin(rng, values, kind):
    attention, at = attention_of(rng, kind), rng.normal(size=6).round(1)
    twin = [weight_below(row, values, value) for row, value in zip(attention.toarray(), at, strict=True)]
    np.testing.assert_allclose(
        WeightedECDF(values, attention.sample_weight).weight_below(attention, at), twin, atol=1e-14
    )


@KINDS
@pytest.mark.parametrize("level", [0.05, 0.4, 0.9, 0.999])
def test_quantiles_equal_the_twin(rng, values, kind, level):
    attention = attention_of(rng, kind)
    twin = [weighted_quantile(row, values, level) for row in attention.toarray()]
    np.testing.assert_array_equal(WeightedECDF(values, attention.sample_weight).quantile(attention, level), twin)


@pytest.mark.parametrize("level", [0.0, 0.3, 0.61, 0.999, 1.0])
def test_the_plain_quantile_is_that_of_equal_attention(rng, values, level):
    weight = rng.uniform(0.5, 2.0, size=40)
    equal = attend(sparse.csr_array((1, 40)), sample_weight=weight)
    order = WeightedECDF(values, equal.sample_weight)
    assert order.plain_quantile(level) == order.quantile(equal, level)[0]


def test_no_more_than_the_level_lies_below_a_quantile_and_more_below_the_next_value(rng, values):
    attention = attention_of(rng, sparse.csr_array)
    order, levels = WeightedECDF(values, attention.sample_weight), rng.uniform(size=20)
    for level in levels:
        found = order.quantile(attention, level)
        assert (order.weight_below(attention, found) <= level).all()
        assert (order.weight_below(attention, np.nextafter(found, np.inf)) > level).all()


def test_quantiles_of_one_query_do_not_depend_on_the_others(rng, values):
    attention = attention_of(rng, sparse.csr_array)
    order = WeightedECDF(values, attention.sample_weight)
    alone = Attention(attention.weights[[2]], attention.background[[2]], attention.sample_weight)
    assert order.quantile(alone, 0.7)[0] == order.quantile(attention, 0.7)[2]
