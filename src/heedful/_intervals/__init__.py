"""Prediction intervals: residuals of unseen rows, divided by the spread that is expected of each."""
