"""What the numbers of an explanation say: slopes of small models beside effects, and intervals of effects."""
