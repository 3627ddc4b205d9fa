"""Whether clusters of models are worth the name."""
