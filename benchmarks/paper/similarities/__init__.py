"""Similarities on the paper's tables."""
