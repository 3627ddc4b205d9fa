"""``Heterogeneity``: whether a treatment does more for some than for others, and what treating these first gains."""

from dataclasses import dataclass

import pandas as pd

from heedful._show import Shown, Sketch, count, format_p, short

MEANINGS = {
    "differential effect": "rise of the effect per standard deviation of the predicted one; 0 if that says nothing",
    "AUTOC": "area under the targeting curve; > 0 if predicted effects tell whom to treat first",
    "Qini": "the same, where all shares of treated rows count alike",
}
# The test that decides whether effects differ, its level, and the p value below which there is no doubt.
TEST, LEVEL, SURE = "differential effect", 0.1, 0.01
# The share of rows whose gain is shown at first sight.
SHOWN = 0.2


@dataclass(frozen=True, kw_only=True, repr=False)
class Heterogeneity(Shown):
    """Tell whether effects differ, and what treating by them gains.

    Made by ``heterogeneity()`` of an estimator of effects, from held-out rows: effects of a block of rows are predicted
    by models of the blocks before it. The tests are the best linear predictor and the rank-weighted average effects, as
    in grf, under sequential validation (Wager 2024). If effects do not differ, p values are uniform.

    Parameters
    ----------
    tests : DataFrame
        One row per test: estimate, standard error, p value and meaning. P values are one-sided: how often an estimate
        would be at least as large if the truth were 0.
    curve : DataFrame
        By the share of rows treated, those with the largest effects first: "toc", how much larger their mean effect is
        than that of all rows, with its standard error, and "gain", what treating them adds to the mean response,
        beside "random", what treating as many at random adds. "low" and "high" are a band around "gain" that holds the
        whole true curve, less the error of the mean effect, in 90 % of tables.
    groups : DataFrame
        Average effect of held-out rows by their predicted effect, in fifths from the smallest to the largest (fewer of
        few rows): "up_to", the share of rows at which a group ends, "effect", "standard_error", its 90 % interval,
        "low" and "high", and "rows".
    n_rows : int
        Held-out rows of the tests: half of the training rows.
    n_groups : int or None, default=None
        Groups that they belong to; None if they have none.
    smaller_is_better : bool, default=False
        Whether rows with the smallest effects come first; then "toc" and "gain" are what the treatment takes off.
    one_effect : bool, default=False
        Whether the model has one effect for all rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from heedful.explain import Heterogeneity
    >>> names = ["differential effect", "AUTOC", "Qini"]
    >>> tests = pd.DataFrame({"estimate": 1.0, "standard_error": 0.2, "p_value": 1e-6, "meaning": ""}, index=names)
    >>> curve = pd.DataFrame({"toc": [1.0, 0.0], "standard_error": [0.2, 0.0]}, index=[0.5, 1.0])
    >>> curve = curve.assign(gain=[1.0, 1.0], low=[0.7, 1.0], high=[1.3, 1.0], random=[0.5, 1.0])
    >>> Heterogeneity(tests=tests, curve=curve, groups=pd.DataFrame(), n_rows=400).verdict
    'Effects differ between rows, and held-out rows confirm where they are large (p < 0.001).'
    """

    tests: pd.DataFrame
    curve: pd.DataFrame
    groups: pd.DataFrame
    n_rows: int
    n_groups: int | None = None
    smaller_is_better: bool = False
    one_effect: bool = False

    @property
    def p_value(self) -> float:
        """P value of the test that effects do not differ."""
        return float(self.tests.loc[TEST, "p_value"])

    @property
    def differ(self) -> bool:
        """Whether effects differ, by a test at 10 %."""
        return self.p_value < LEVEL

    @property
    def verdict(self) -> str:
        """Whether effects differ, in one sentence."""
        p_value = format_p(self.p_value)
        if self.differ and self.one_effect:
            return f"Effects seem to differ ({p_value}), too little to tell where: read one average for all rows."
        if self.p_value < SURE:
            end = "small" if self.smaller_is_better else "large"
            return f"Effects differ between rows, and held-out rows confirm where they are {end} ({p_value})."
        if self.differ:
            return f"There is some sign that effects differ between rows ({p_value})."
        if self.tests.loc[TEST, "standard_error"] > 0:
            return f"There is no sign that effects differ ({p_value}): read one average effect for all rows."
        return "Whether effects differ could not be tested: read one average effect for all rows."

    def _sketch(self) -> Sketch:
        groups = "" if self.n_groups is None else f" in {count(self.n_groups, 'group')}"
        facts = [("verdict", self.verdict)]
        facts += [
            (name, f"{short(estimate)} ± {short(error)}, {format_p(p_value)}" if error == error else "nothing to test")
            for name, estimate, error, p_value in self.tests[["estimate", "standard_error", "p_value"]].itertuples()
        ]
        # a share chosen ahead: the best one would promise too much
        share = min(self.curve.index, key=lambda one: abs(one - SHOWN))
        point, verb = self.curve.loc[share], "takes off" if self.smaller_is_better else "adds"
        gains = f"{verb} {short(point['gain'])} by effect, {short(point['random'])} at random"
        facts.append((f"treating {100 * share:.0f} %", gains))
        title = f"Heterogeneity of effects in {count(self.n_rows, 'row')}{groups}"
        return Sketch(title, facts, "Look at tests, curve, groups; heedful.plot.gain_curve")
