"""Section 7.3 of the paper."""
