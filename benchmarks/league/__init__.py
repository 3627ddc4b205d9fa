"""Heedful and its rivals at their defaults, on many tables."""
