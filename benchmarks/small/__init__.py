"""Small models of queries: what is left of the gain over the lasso."""
