"""``Heterogeneity``: whether a treatment does more for some than for others, and what treating these first gains."""

from dataclasses import dataclass

import pandas as pd

from heedful._show import Shown, Sketch, count, short
from heedful.explain._average_effect import say_p

MEANINGS = {
    "mean effect": "1 if effects are right on average",
    "differential effect": "1 if differences between effects are right, 0 if they say nothing",
    "AUTOC": "area under the curve of targeting; > 0 if it is known whom to treat first",
    "Qini": "the same, where all shares of treated rows count alike",
}
# Tests of whether effects differ, and when they say so.
DIFFERENCES, SMALL = ("differential effect", "AUTOC"), 0.05
# The share of rows whose gain is told at first sight.
SHOWN = 0.2


@dataclass(frozen=True, kw_only=True, repr=False)
class Heterogeneity(Shown):
    """Tell whether effects differ, and what treating by them gains.

    Made by ``heterogeneity()`` of an estimator of effects. The best linear predictor and the rank-weighted average
    effects are those of grf's ``test_calibration`` and ``rank_average_treatment_effect``.

    Parameters
    ----------
    tests : DataFrame
        One row per test: estimate, standard error, p value and meaning. P values are one-sided: how often an estimate
        would be at least as large if the truth were 0.
    curve : DataFrame
        By the share of rows treated, those with the largest effects first: "toc", how much larger their mean effect is
        than that of all rows, with its standard error, and "gain", what treating them adds to the mean response,
        beside "random", what treating as many at random adds.
    n_rows : int
        Rows of the tests.
    n_groups : int or None, default=None
        Groups that they belong to; None if they have none.
    smaller_is_better : bool, default=False
        Whether rows with the smallest effects come first; then "toc" and "gain" are what the treatment takes off.

    Examples
    --------
    >>> import pandas as pd
    >>> from heedful.explain import Heterogeneity
    >>> names = ["mean effect", "differential effect", "AUTOC", "Qini"]
    >>> tests = pd.DataFrame({"estimate": 1.0, "standard_error": 0.2, "p_value": 1e-6, "meaning": ""}, index=names)
    >>> curve = pd.DataFrame({"toc": [1.0, 0.0], "standard_error": [0.2, 0.0]}, index=[0.5, 1.0])
    >>> curve = curve.assign(gain=[1.0, 1.0], random=[0.5, 1.0])
    >>> Heterogeneity(tests=tests, curve=curve, n_rows=400).verdict
    'Effects differ between rows, and the model knows where they are large.'
    """

    tests: pd.DataFrame
    curve: pd.DataFrame
    n_rows: int
    n_groups: int | None = None
    smaller_is_better: bool = False

    @property
    def verdict(self) -> str:
        """Whether effects differ, in one sentence."""
        told = [self.tests.loc[name, "p_value"] < SMALL for name in DIFFERENCES]
        if all(told):
            return f"Effects differ between rows, and the model knows where they are {self._end}."
        if any(told):
            return "There is some sign that effects differ: one of two tests says so."
        return "There is no sign that effects differ: treat them as one average effect."

    @property
    def _end(self) -> str:
        """Return what effects of the rows to be treated first are."""
        return "small" if self.smaller_is_better else "large"

    def _sketch(self) -> Sketch:
        groups = "" if self.n_groups is None else f" in {count(self.n_groups, 'group')}"
        facts = [("verdict", self.verdict)]
        facts += [
            (name, f"{short(estimate)} ± {short(error)}, {say_p(p_value)}" if error == error else "nothing to test")
            for name, estimate, error, p_value in self.tests[["estimate", "standard_error", "p_value"]].itertuples()
        ]
        # a share chosen ahead: the best one would promise too much
        share = min(self.curve.index, key=lambda one: abs(one - SHOWN))
        told, verb = self.curve.loc[share], "takes off" if self.smaller_is_better else "adds"
        facts.append(
            (
                f"treating {100 * share:.0f} %",
                f"{verb} {short(told['gain'])} by effect, {short(told['random'])} at random",
            )
        )
        title = f"Heterogeneity of effects in {count(self.n_rows, 'row')}{groups}"
        return Sketch(title, facts, "Look at tests, curve; heedful.plot.gain_curve")
