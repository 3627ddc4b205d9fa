"""Colours of all pictures; hues by Okabe and Ito, safe for colour-blind readers."""

# One hue per cluster in every picture; neighbours differ even where the list starts again.
CLUSTERS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#882255", "#7A7A00")
# Lines that are not clusters.
SERIES = ("#1A1A1A", "#8C510A", "#5E3C99", "#35978F", "#C2579B", "#6B8E23")
# Signs of coefficients and contributions, the ends of the diverging map.
DIVERGING, POSITIVE, NEGATIVE = "RdBu_r", "#B2182B", "#2166AC"
# The two parts of a contribution, and values of a column from low to high; neither is a hue of a sign.
PARTS = {"attention": "#35978F", "model": "#BF812D"}
LOW_TO_HIGH = "viridis"
INK, NEUTRAL, PALE = "#333333", "#737373", "#BFBFBF"
DASHED = (0, (4, 3))


def cluster_colour(cluster: int) -> str:
    """Return the hue of a cluster, numbered from 1; no hue for queries in none."""
    return CLUSTERS[(cluster - 1) % len(CLUSTERS)] if cluster > 0 else PALE


def series_colour(number: int) -> str:
    """Return the hue of a line, numbered from 0."""
    return SERIES[number % len(SERIES)]


def sign_colour(value: float) -> str:
    """Return the hue of a sign."""
    return POSITIVE if value >= 0 else NEGATIVE
