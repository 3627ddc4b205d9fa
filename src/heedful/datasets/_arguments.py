"""Checks that only simulations need: sizes, noise, shares and seeds."""

from typing import Any

import numpy as np

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


def check_seed(random_state: Any) -> np.random.Generator:
    """Return the generator that ``random_state`` stands for."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    hint = "Or give a numpy Generator, or None for fresh randomness."
    return np.random.default_rng(check_count("random_state", random_state, 0, hint))


def check_shares(name: str, value: Any, n_groups: int) -> np.ndarray:
    """Return ``n_groups`` positive shares that sum to one."""
    shares = _floats(name, value, f"{n_groups} numbers")
    if shares.shape != (n_groups,) or not (shares > 0).all() or not np.isclose(shares.sum(), 1.0):
        mend = "Divide them by their sum." if shares.shape == (n_groups,) and (shares > 0).all() else "Try (0.5, 0.5)."
        raise ValueError(f"`{name}` must hold {n_groups} shares > 0 that sum to 1, got {value!r}. {mend}")
    return shares


def check_components(coef: Any, n_groups: int, p: int) -> np.ndarray:
    """Return coefficient vectors as (n_groups, p)."""
    vectors = _floats("coef", coef, f"numbers of shape {(n_groups, p)}")
    if vectors.shape != (n_groups, p):
        raise ValueError(
            f"`coef` must have shape {(n_groups, p)}, got {vectors.shape}. "
            "Pass `components` of a simulation with the same `p`."
        )
    if not np.isfinite(vectors).all():
        raise ValueError("`coef` must be finite, got NaN or infinity. Replace those entries, by 0 for example.")
    return vectors


def _floats(name: str, value: Any, what: str) -> np.ndarray:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` must be {what}, got {value!r}. Give a list or an array.") from error
