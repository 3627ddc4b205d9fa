"""What a drift report says: by its tests alone, and nothing of what moved without a reference."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from tests.report.cases import make_columns, make_drift_report

ORDER = ("rows moved", "relation moved", "recent rows improvable", "reference improvable")
HIGH, LOW = 2.4, 2.2


def made(*statistics, **others):
    return make_drift_report(tests=dict(zip(ORDER, statistics, strict=True)), **others)


@pytest.mark.parametrize(
    ("statistics", "finding", "words"),
    [
        ((0, 0, 0, 0), "nothing moved", "Nothing moved, as far as 60 reference and 60 recent rows can show."),
        ((LOW, LOW, HIGH, LOW), "nothing moved", "Nothing moved"),
        ((LOW, LOW, LOW, HIGH), "nothing moved", "Nothing moved"),
        ((0, 0, HIGH, HIGH), "improvable anywhere", "The model can be improved on rows from the time of training"),
        ((HIGH, LOW, HIGH, HIGH), "rows moved", "most of all a: a mean of 0.1 before, 0.6 now. There is no evidence"),
        ((LOW, HIGH, HIGH, HIGH), "relation moved", "most of all the effect of a, 1 before, 2.5 now."),
        ((HIGH, HIGH, 0, 0), "relation moved", "The rows moved too (p = 0.008)."),
        ((-9, -9, -9, -9), "nothing moved", "Nothing moved"),
    ],
)
def test_the_finding_follows_the_tests_at_one_per_cent(statistics, finding, words):
    report = made(*statistics)
    assert report.finding == finding
    assert words in report.verdict
    assert ("moved too" in report.verdict) == (statistics[:2] == (HIGH, HIGH))


@pytest.mark.one_value
@pytest.mark.parametrize("z", [-3.0, LOW, HIGH, 50.0])
@pytest.mark.parametrize("change", [-90.0, 0.0, np.nan])
def test_without_a_reference_nothing_is_said_to_have_moved(z, change):
    report = make_drift_report(tests={"recent rows improvable": z})
    report.summary.loc["error change (%)", "value"] = change
    assert report.finding == "not known"
    assert report.verdict.startswith(
        "The model can be improved" if z > 2.3 else "There is no evidence that the model can be"
    )
    assert "Drift cannot be tested without a reference" in report.verdict
    assert "drift_report(reference=(X, y))" in report.verdict
    assert "drifted" not in report.verdict


def test_p_values_are_those_of_large_statistics_alone():
    np.testing.assert_allclose(made(-1.0, 0.0, 1.0, 2.0).tests["p"], norm.sf([-1.0, 0.0, 1.0, 2.0]))


def test_a_level_that_moved_is_told_where_no_effect_did():
    report = made(0, 9, 0, 0)
    report.summary.loc[["mean residual of the reference", "mean residual"], "value"] = [0.01, 2.0]
    level = replace(report, columns=make_columns(["a", "b"], change=0.1)).verdict
    assert level.startswith(
        "The relation moved (p < 0.001): the response less the prediction is 0.01 on average before, 2 "
    )


def test_few_rows_tell_nothing():
    report = make_drift_report(n_rows=2, tests={})
    assert report.finding == "not known"
    assert report.verdict.startswith("2 recent rows are too few to test for drift.")


def test_a_model_that_is_left_alone_is_said_to_be():
    assert make_drift_report(tuned={"mixing": 0.0}).verdict.endswith("The model is not corrected: mixing is 0.")


@pytest.mark.parametrize(("change", "shown"), [(-46.3, "−46"), (-5.25, "−5.2"), (12.6, "+13"), (-0.01, "+0")])
def test_a_change_is_written_with_its_sign_and_few_digits(change, shown):
    report = make_drift_report()
    report.summary.loc["error change (%)", "value"] = change
    assert f"({shown}\N{NO-BREAK SPACE}%), each row corrected by the others." in report.verdict
