"""Prediction intervals: residuals of unseen rows, ranked among those of the rows they attend to."""
