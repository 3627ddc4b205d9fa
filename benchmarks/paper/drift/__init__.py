"""Section 8 of the paper."""
