"""What shapes are worth where effects are curves, and what they cost where they are not."""
