"""Treatment effects that are known: heedful and its rivals, effect by effect, and what intervals hold."""
