"""A model corrected day by day."""
