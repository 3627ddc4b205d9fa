"""Which tests of drift there are, and what they found together."""

import numpy as np
import pandas as pd
from scipy.stats import norm

ROWS_MOVED, RELATION_MOVED = "rows moved", "relation moved"
IMPROVABLE, REFERENCE_IMPROVABLE = "recent rows improvable", "reference improvable"
# A test has found something if its p value is at most this.
LEVEL = 0.01
NOT_KNOWN, NOTHING_MOVED, IMPROVABLE_ANYWHERE = "not known", "nothing moved", "improvable anywhere"
TESTS = {
    ROWS_MOVED: "columns of recent rows tell them from rows of the reference",
    RELATION_MOVED: "where columns are alike, the model is off in another way than on the reference",
    IMPROVABLE: "columns tell how far the model is off on recent rows",
    REFERENCE_IMPROVABLE: "columns tell how far it is off on the reference",
}


def tabulate_tests(statistics: dict[str, float]) -> pd.DataFrame:
    """Return one row per test that was made: its statistic, its p value, and what a small one says."""
    z = np.array([statistics[name] for name in TESTS if name in statistics], dtype=np.float64)
    names = [name for name in TESTS if name in statistics]
    index = pd.Index(names, name="test", dtype=object)
    return pd.DataFrame({"z": z, "p": norm.sf(z), "meaning": [TESTS[name] for name in names]}, index)


def find(tests: pd.DataFrame) -> str:
    """Return what the tests found together."""
    if ROWS_MOVED not in tests.index:
        return NOT_KNOWN
    found = set(tests.index[tests["p"] <= LEVEL])
    if RELATION_MOVED in found or ROWS_MOVED in found:
        return RELATION_MOVED if RELATION_MOVED in found else ROWS_MOVED
    return IMPROVABLE_ANYWHERE if {IMPROVABLE, REFERENCE_IMPROVABLE} <= found else NOTHING_MOVED
