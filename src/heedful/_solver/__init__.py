"""Weights to one small model per query."""
