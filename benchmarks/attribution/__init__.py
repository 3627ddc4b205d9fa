"""Whether contributions are what the model did, and what they cost."""
