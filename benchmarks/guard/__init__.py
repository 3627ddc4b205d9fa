"""Whether heads, shapes and the guard can be trusted when rows are few."""
