"""Lassos that share one Gram matrix and differ in their covariances with the response."""

import numpy as np

from heedful._kernels._jit import many_rows
from heedful._kernels.arrays import copy_row, vector
from heedful._kernels.descent import descend_row, gradient_row


@many_rows
def refit_rows(gram, covs, penalty, start, tol, max_iter):
    """Return the coefficients (n_fits, n_columns) of a lasso for each row of covariances, all from one start."""
    coefs, grad = np.empty(covs.shape), vector(start.size)
    for d in range(covs.shape[0]):
        copy_row(start, coefs[d])
        gradient_row(gram, covs[d], coefs[d], grad)
        descend_row(gram, covs[d], penalty, coefs[d], grad, tol, max_iter)
    return coefs
