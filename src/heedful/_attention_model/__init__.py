"""The attention model: fitted from typed parts, asked about queries in one pass; no scikit-learn base."""
