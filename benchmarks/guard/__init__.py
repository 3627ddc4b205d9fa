"""What the default estimator does, and why."""
