"""How sure coefficients are."""
