"""Checks that only simulations need: sizes, shifts and noise."""

from typing import Any

from heedful._checks import check_count, check_number

# Far beyond any useful simulation; keeps infinity out.
LARGEST = 1e6


def check_sizes(n: Any, p: Any, least_p: int, why: str) -> tuple[int, int]:
    """Return the number of rows and of columns."""
    return check_count("n", n, 2, "Two rows are the fewest."), check_count("p", p, least_p, why)


def check_shift(value: Any) -> float:
    """Return a finite multiple of the covariate shift."""
    return check_number("shift", value, -LARGEST, LARGEST, hint="0 leaves the covariates alone.")


def check_snr(value: Any) -> float:
    """Return a signal-to-noise ratio."""
    return check_number("snr", value, 0.0, LARGEST, open_low=True, hint="The paper takes 2.5.")


def check_noise(value: Any) -> float:
    """Return a standard deviation of the noise."""
    return check_number("noise", value, 0.0, LARGEST, hint="0 gives no noise.")
