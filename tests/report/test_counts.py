"""The page of counts: exposures and factors."""

import numpy as np
from tests.explain.test_lift import explained  # noqa: F401 - a fixture

from heedful.report._collect import collect


def test_the_page_knows_exposures_and_factors(explained):  # noqa: F811 - the fixture of another file
    data = collect(explained, None, None)
    np.testing.assert_allclose(data["exposure"], np.exp(explained.offset), rtol=1e-3)
    assert (data["words"]["factor"], data["words"]["multiplies"], data["words"]["numeric"]) == ("factor", True, True)
    assert "exposure" in [card["name"] for card in data["cards"]]
    assert "exposure" in data["attended"]["train"]["names"]
