"""Joint learning of a diagonal attention matrix and the local models."""
