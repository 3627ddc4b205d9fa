"""Treatment effects: doubly robust scores, and what they answer about averages, differences and overlap."""
