"""Section 5.1 of the paper."""
