"""Counts and costs with exposures: heedful and its rivals by the deviance of left-out rows."""
