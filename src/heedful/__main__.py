"""``python -m heedful``: the command line."""

import sys

from heedful.cli import main

if __name__ == "__main__":
    sys.exit(main())
