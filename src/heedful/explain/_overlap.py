"""``Overlap``: whether similar rows got different treatments, which any estimate of an effect needs."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from heedful._show import Shown, Sketch, count, cut, middle_and_range, percent, short

# When to warn: such a share of propensities near 0 or 1; so few effective rows, or so small a part of them.
MANY, FEW, PART = 0.05, 30.0, 0.3
# Such a difference after weighting, if it is so many times what chance makes; such a part of a treatment's variance.
LARGE, BEYOND, LITTLE = 0.1, 3.0, 0.05
N_NAMED = 3


@dataclass(frozen=True, kw_only=True, repr=False)
class Overlap(Shown):
    """Whether similar rows got different treatments.

    Made by ``overlap()`` of an estimator of effects. Weights are the inverse of the probability of the
    treatment that a row got, as in the average effect.

    Parameters
    ----------
    arms : DataFrame
        By treatment: "rows", and the effective sample size "before" and "after" weighting. A continuous treatment has
        one line, weighted by its squared residual.
    balance : DataFrame
        By column (or level of a column): the standardised difference between the arms "before" and "after" weighting,
        the means before, and "chance", the standard error of a difference after weighting. For a continuous treatment,
        correlations with the treatment and with its residual.
    propensity, treatment : Series
        The out-of-fold expected treatment of each row, and the treatment that it got.
    share_low, share_high : float
        Share of rows whose propensity is below ``near`` and above ``1 - near``.
    near : float
        Distance from 0 and 1 that counts as near.

    Examples
    --------
    >>> import pandas as pd
    >>> from heedful.explain import Overlap
    >>> arms = pd.DataFrame({"rows": 50, "before": 50.0, "after": 45.0}, index=["control", "treated"])
    >>> balance = pd.DataFrame({"before": [0.4], "after": [0.02], "chance": [0.2]}, index=["age"])
    >>> half = pd.Series([0.4, 0.6] * 50)
    >>> Overlap(arms=arms, balance=balance, propensity=half, treatment=(half > 0.5).astype(float), share_low=0.0,
    ...         share_high=0.0, near=0.05).verdict
    'Similar rows got different treatments, and columns are balanced. Unmeasured confounding cannot be checked.'
    """

    arms: pd.DataFrame
    balance: pd.DataFrame
    propensity: pd.Series
    treatment: pd.Series
    share_low: float
    share_high: float
    near: float

    @property
    def warnings(self) -> list[str]:
        """Reasons not to trust the estimates, each with a remedy."""
        lines = [self._warn_of_near(), self._warn_of_few(), self._warn_of_little_left(), self._warn_of_imbalance()]
        return [line for line in lines if line]

    @property
    def verdict(self) -> str:
        """Whether there is overlap, in one sentence."""
        if self.warnings:
            return self.warnings[0]
        return (
            "Similar rows got different treatments, and columns are balanced. Unmeasured confounding cannot be checked."
        )

    @property
    def amounts(self) -> bool:
        """Whether the treatment is continuous, not binary."""
        return len(self.arms) == 1

    def _warn_of_near(self) -> str:
        share = self.share_low + self.share_high
        if share <= MANY:
            return ""
        return (
            f"{percent(share)} of the rows have a propensity below {self.near:g} or above {1 - self.near:g}: rows like "
            "them got one treatment only. Average over the others, `average_effect(subset=(p > 0.1) & (p < 0.9))` with "
            "p = `overlap().propensity`, or leave out columns that predict the treatment but not the outcome."
        )

    def _warn_of_few(self) -> str:
        # of amounts those near their propensity count little by nature
        part = 0.0 if self.amounts else PART
        few = self.arms[(self.arms["after"] < FEW) | (self.arms["after"] < part * self.arms["before"])]
        if few.empty:
            return ""
        return (
            f"After weighting, {cut(few.index[0])} has an effective sample size of {short(few['after'].iloc[0])} of "
            f"{short(few['rows'].iloc[0])} rows, so averages are uncertain. Collect more rows, or use `subset` to "
            "average over rows with a propensity between 0.1 and 0.9."
        )

    def _warn_of_little_left(self) -> str:
        left = float(np.var(self.treatment - self.propensity))
        if not self.amounts or left > LITTLE * float(np.var(self.treatment)):
            return ""
        return (
            "The columns explain nearly all of the treatment, so little variation is left to estimate its effect. "
            "Leave out columns that predict the treatment but not the outcome."
        )

    def _warn_of_imbalance(self) -> str:
        after = self.balance["after"].abs()
        off = self.balance[(after > LARGE) & (after > BEYOND * self.balance["chance"])]
        if off.empty:
            return ""
        names = ", ".join(f"{cut(name)} ({value:+.2f})" for name, value in off["after"].head(N_NAMED).items())
        more = f" and {len(off) - N_NAMED} more" if len(off) > N_NAMED else ""
        one = len(off) == 1
        what = f"{'is' if one else 'are'} still correlated with the treatment"
        if not self.amounts:
            what = f"still {'differs' if one else 'differ'} between the arms after weighting"
        mend = "Use a better model of the treatment: `propensity=...`."
        return f"{count(len(off), 'column')} {what}: {names}{more}. {mend}"

    def _sketch(self) -> Sketch:
        facts = [
            (cut(name), f"{count(int(rows), 'row')}, effective sample size {short(after)} after weighting")
            for name, rows, after in self.arms[["rows", "after"]].itertuples()
        ]
        facts.append(("propensity", middle_and_range(self.propensity)))
        if not self.amounts:
            facts.append(("near 0 or 1", f"{percent(self.share_low)} of the rows, {percent(self.share_high)}"))
        largest = [short(float(self.balance[name].abs().max())) for name in ("before", "after")]
        unit = "correlation" if self.amounts else "difference"
        facts.append((f"largest {unit}", f"{largest[0]} before weighting, {largest[1]} after"))
        facts += [("warning", line) for line in self.warnings] or [("verdict", self.verdict)]
        return Sketch(
            f"Overlap of {count(len(self.propensity), 'row')}", facts, "Look at arms, balance; heedful.plot.balance"
        )
