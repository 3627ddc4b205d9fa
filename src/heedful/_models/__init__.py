"""Kinds of local models behind one protocol."""
