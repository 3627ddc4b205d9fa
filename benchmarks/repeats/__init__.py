"""Tables whose rows repeat, and visits of patients."""
