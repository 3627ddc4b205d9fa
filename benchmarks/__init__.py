"""Studies that measure heedful, each run by ``python -m benchmarks.NAME``; ``python -m benchmarks`` lists them."""
