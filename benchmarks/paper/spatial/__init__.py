"""Section 6.2 of the paper."""
