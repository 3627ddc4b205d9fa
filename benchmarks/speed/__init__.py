"""Speed as ratios."""
