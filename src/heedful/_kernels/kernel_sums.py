"""Sums of a Gaussian kernel over its centres: each row by itself, whichever are asked together."""

import numpy as np

from heedful._kernels._jit import many_rows


@many_rows
def kernel_sum_rows(x, centres, coef, total):
    """Add to ``total`` (n_rows, n_outputs) the kernel exp(-|x - c|^2) of rows and centres times the centres' coef."""
    for i in range(x.shape[0]):
        for c in range(centres.shape[0]):
            distance = 0.0
            for j in range(x.shape[1]):
                distance += (x[i, j] - centres[c, j]) ** 2
            near = np.exp(-distance)
            for k in range(coef.shape[1]):
                total[i, k] += near * coef[c, k]
