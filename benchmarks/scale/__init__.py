"""Large tables."""
