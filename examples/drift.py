"""A booster that was trained weeks ago, corrected day by day with the labels that come in, and never refitted.

On day 40 the effect of one feature turns in a quarter of the rows. The corrector sees each day's labels in the evening;
it says how far the model is off, for which rows, and shows which recent rows a correction is made of.
"""

import lightgbm
import numpy as np

from heedful import DriftCorrector
from heedful.datasets import make_stream

DAYS, ROWS, TRAINED, CHANGE = 80, 25, 30, 40


def main() -> None:
    """Run the days, compare errors, and print what was found."""
    sim = make_stream(DAYS, ROWS, kind="sudden", change_day=CHANGE, random_state=0)
    days = [np.flatnonzero(sim.latent == day) for day in range(DAYS)]
    first = np.concatenate(days[:TRAINED])
    model = lightgbm.LGBMRegressor(verbose=-1).fit(sim.X[first], sim.y[first])

    corrector = DriftCorrector(model, window=20 * ROWS).fit(sim.X[days[TRAINED]], sim.y[days[TRAINED]])
    errors = np.empty((DAYS, 2))
    for day in range(TRAINED + 1, DAYS):
        X, y = sim.X[days[day]], sim.y[days[day]]
        errors[day] = [np.mean((y - part.predict(X)) ** 2) for part in (model, corrector)]
        corrector.update(X, y)

    print("mean squared error of the days, model and corrected model:")
    for name, part in (("before the change", slice(TRAINED + 1, CHANGE)), ("after it", slice(CHANGE, DAYS))):
        before, after = errors[part].mean(axis=0)
        print(f"  {name:18s} {before:.2f}  {after:.2f}")
    report = corrector.drift_report()
    print("\nwhat the last 20 days say:")
    print(report.summary["value"].map("{:.3g}".format).to_string())
    print("\nfeatures that tell corrected rows from others (the segment is x0 > 0 and x1 > 0):")
    print(report.features.head(3).round(2).to_string())
    print("\nrecent rows behind the largest correction:")
    worst = sim.X[days[-1]][[np.argmax(np.abs(corrector.predict(sim.X[days[-1]]) - model.predict(sim.X[days[-1]])))]]
    print(corrector.explain(worst).top_rows(4).round(2).to_string())


if __name__ == "__main__":
    main()
