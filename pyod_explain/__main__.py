"""`python -m pyod_explain`: the command line."""

import sys

from pyod_explain.cli import main

if __name__ == "__main__":
    sys.exit(main())
