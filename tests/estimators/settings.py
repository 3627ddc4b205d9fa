"""Settings of estimators with local lassos, written flat."""

from heedful import LocalLasso

LOCAL = ("shapes", "alpha_ratio", "exact", "max_extrapolation", "n_screened", "smooth", "tuning_rows")


def with_local(settings):
    """Return settings in which those of the local lassos are one object."""
    local = LocalLasso(**{name: value for name, value in settings.items() if name in LOCAL})
    return {"local": local} | {name: value for name, value in settings.items() if name not in LOCAL}
