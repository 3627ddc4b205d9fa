"""Section 6.1 of the paper."""
