"""A kernel in time or space beside attention without it."""
