"""Appendix A of the paper."""
