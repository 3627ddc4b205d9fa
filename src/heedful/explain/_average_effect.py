"""``AverageEffect``: the average effect of a treatment, with its standard error."""

from dataclasses import dataclass

from heedful._show import Shown, Sketch, count, format_p, percent, short

# Numbers that differ by less, relative to their size, are the same.
SAME = 1e-6
# Whose effect it is, by target.
OVER = {
    "all": "over ",
    "treated": "on the treated, ",
    "control": "on the untreated, ",
    "overlap": "weighted by overlap, ",
}


@dataclass(frozen=True, kw_only=True, repr=False)
class AverageEffect(Shown):
    """The average effect of a treatment.

    Made by ``average_effect()`` of an estimator of effects: the mean of doubly robust scores, or of those of an arm.

    Parameters
    ----------
    effect : float
        Mean change of the response by the treatment; per unit of a continuous treatment.
    standard_error : float
        Its standard error, clustered by group if rows have groups.
    low, high : float
        Ends of its interval.
    coverage : float
        Nominal coverage of the interval.
    p_value : float
        Two-sided p value of the hypothesis that the average effect is 0.
    n_rows : int
        Rows averaged over: the rows of the arm if ``target`` is an arm.
    n_groups : int or None, default=None
        Number of groups of these rows; None without groups.
    target : {"all", "treated", "control", "overlap"}, default="all"
        Rows averaged over: all, an arm, or all with overlap weights.
    row_mean : float or None, default=None
        Mean of the model's effects on the same rows. It can differ from ``effect``, as the model is shrunk and fitted
        with more weight on rows that could have got either treatment.

    Examples
    --------
    >>> from heedful.explain import AverageEffect
    >>> AverageEffect(effect=1.2, standard_error=0.3, low=0.71, high=1.69, coverage=0.9, p_value=7e-5, n_rows=400)
    Average effect over 400 rows
      effect          1.2
      90 % interval   0.71 to 1.69
      standard error  0.3
      no effect       p < 0.001
    """

    effect: float
    standard_error: float
    low: float
    high: float
    coverage: float
    p_value: float
    n_rows: int
    n_groups: int | None = None
    target: str = "all"
    row_mean: float | None = None

    def _sketch(self) -> Sketch:
        groups = "" if self.n_groups is None else f" in {count(self.n_groups, 'group')}"
        facts = [
            ("effect", short(self.effect)),
            (f"{percent(self.coverage)} interval", f"{short(self.low)} to {short(self.high)}"),
            ("standard error", short(self.standard_error)),
            ("no effect", format_p(self.p_value)),
        ]
        if self.row_mean is not None and abs(self.row_mean - self.effect) > SAME * abs(self.effect):
            facts.append(("mean of row effects", f"{short(self.row_mean)}: shrunk, and weighted by overlap"))
        return Sketch(f"Average effect {OVER[self.target]}{count(self.n_rows, 'row')}{groups}", facts)
