"""Any table, any file, any damage: a few examples of each; ``make fuzz`` looks for more."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from fuzz.targets import TARGETS, check

FEW = settings(deadline=None, max_examples=15, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.mark.more
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.__name__)
@FEW
@given(data=st.binary(min_size=0, max_size=300))
def test_anything_works_or_raises_what_is_documented(target, data):
    target(data)


def test_nothing_is_a_table_too():
    check(b"")
