"""Additive models: the sum of what the codes of a row's columns add."""

from heedful._kernels._jit import many_rows
from heedful._kernels.arrays import matrix


@many_rows
def curve_rows(codes, start, curves, columns):
    """Return ``start`` (n_outputs,) and the curves of some ``columns`` at the codes of each row (n_rows, n_outputs)."""
    n_rows, n_outputs = codes.shape[0], start.size
    total = matrix(n_rows, n_outputs)
    for i in range(n_rows):
        for k in range(n_outputs):
            total[i, k] = start[k]
        for j in columns:
            for k in range(n_outputs):
                total[i, k] += curves[j, codes[i, j], k]
    return total
