"""Shapley values by definition: all subsets of the columns, completed from every row of a background."""

from itertools import combinations
from math import comb

import numpy as np


def shapley_values(function, query, background, weight):
    """Return the Shapley values of one query; ``function`` takes rows and gives one number for each."""
    n_columns = len(query)

    def value(subset):
        rows = background.copy()
        rows[:, list(subset)] = query[list(subset)]
        return np.average(function(rows), weights=weight)

    found = np.zeros(n_columns)
    for j in range(n_columns):
        others = [k for k in range(n_columns) if k != j]
        for size in range(n_columns):
            for subset in combinations(others, size):
                gain = value((*subset, j)) - value(subset)
                found[j] += gain / (n_columns * comb(n_columns - 1, size))
    return found
