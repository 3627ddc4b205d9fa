"""``Heterogeneity``: whether treatment effects differ between rows, and the gain of treating by them."""

from dataclasses import dataclass

import pandas as pd

from heedful._show import Shown, Sketch, count, format_p, short

MEANINGS = {
    "differential effect": "rise of the effect per standard deviation of the predicted effect; 0 without heterogeneity",
    "AUTOC": "area under the targeting curve; > 0 if predicted effects rank rows correctly",
    "Qini": "the same, with equal weight for all shares of treated rows",
}
# The test that decides whether effects differ, its level, and the p value below which the verdict is firm.
TEST, LEVEL, SURE = "differential effect", 0.1, 0.01
# The share of rows whose gain is shown at first sight.
SHOWN = 0.2


@dataclass(frozen=True, kw_only=True, repr=False)
class Heterogeneity(Shown):
    """Whether effects differ, and the gain of treating by predictions.

    Made by ``heterogeneity()`` of an estimator of effects, from held-out rows: effects on a block of rows are predicted
    by models of earlier blocks. The tests are the best linear predictor and rank-weighted average effects, as in grf,
    with sequential validation (Wager 2024). If effects do not differ, p values are uniform.

    Parameters
    ----------
    tests : DataFrame
        One row per test: estimate, standard error, one-sided p value and meaning.
    curve : DataFrame
        By the share of rows treated, largest predicted effects first: "toc", the mean effect on these rows minus the
        mean effect on all rows, with its standard error; "gain", what treating these rows adds to the mean response;
        and "random", what treating as many rows at random adds. "low" and "high" are a simultaneous 90 % band around
        "gain", which does not include the error of the mean effect.
    groups : DataFrame
        Average effect on held-out rows by quintiles of the predicted effect (fewer groups in small tables): "up_to",
        the share of rows at which a group ends, "effect", "standard_error", the 90 % interval "low" and "high", and
        "rows".
    n_rows : int
        Held-out rows of the tests: half of the training rows.
    n_groups : int or None, default=None
        Number of groups of these rows; None without groups.
    smaller_is_better : bool, default=False
        Whether rows with the smallest effects come first; "toc" and "gain" are then reductions of the response.
    one_effect : bool, default=False
        Whether the model uses one average effect for all rows.

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
        """P value of the hypothesis that effects do not differ."""
        return float(self.tests.loc[TEST, "p_value"])

    @property
    def differ(self) -> bool:
        """Whether effects differ, by a test at the 10 % level."""
        return self.p_value < LEVEL

    @property
    def verdict(self) -> str:
        """Whether effects differ, in one sentence."""
        p_value = format_p(self.p_value)
        if self.differ and self.one_effect:
            return f"Effects seem to differ ({p_value}), but too little to say where: use one average for all rows."
        if self.p_value < SURE:
            end = "small" if self.smaller_is_better else "large"
            return f"Effects differ between rows, and held-out rows confirm where they are {end} ({p_value})."
        if self.differ:
            return f"There is some evidence that effects differ between rows ({p_value})."
        if self.tests.loc[TEST, "standard_error"] > 0:
            return f"There is no evidence that effects differ ({p_value}): use one average effect for all rows."
        return "Whether effects differ could not be tested: use one average effect for all rows."

    def _sketch(self) -> Sketch:
        groups = "" if self.n_groups is None else f" in {count(self.n_groups, 'group')}"
        facts = [("verdict", self.verdict)]
        facts += [
            (name, f"{short(estimate)} ± {short(error)}, {format_p(p_value)}" if error == error else "not tested")
            for name, estimate, error, p_value in self.tests[["estimate", "standard_error", "p_value"]].itertuples()
        ]
        # a share chosen ahead: the best one would promise too much
        share = min(self.curve.index, key=lambda one: abs(one - SHOWN))
        point, verb = self.curve.loc[share], "takes off" if self.smaller_is_better else "adds"
        gains = f"{verb} {short(point['gain'])} by effect, {short(point['random'])} at random"
        facts.append((f"treating {100 * share:.0f} %", gains))
        title = f"Heterogeneity of effects in {count(self.n_rows, 'row')}{groups}"
        return Sketch(title, facts, "Look at tests, curve, groups; heedful.plot.gain_curve")
