"""Section 7 of the paper."""
