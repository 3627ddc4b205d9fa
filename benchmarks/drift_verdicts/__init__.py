"""Does a drift report name what moved, and nothing if nothing did."""
