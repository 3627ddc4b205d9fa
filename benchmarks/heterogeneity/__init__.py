"""Is it said that effects differ where they do not, and where they do."""
