"""Choosing heads: the grid, out-of-fold predictions, shares, the guard, adaptive mixing."""
