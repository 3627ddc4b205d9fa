"""Appendix B of the paper."""
