"""Classes and survival."""
