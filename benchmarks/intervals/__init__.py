"""Prediction intervals."""
