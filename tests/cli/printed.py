"""What commands print, without what depends on the machine."""

import re


def masked(text):
    """Return text without its numbers, which depend on the machine, and without indentation."""
    return [re.sub(r"[-+]?\d+(\.\d+)?(e-\d+)?", "0", line).split() for line in text.splitlines()]
