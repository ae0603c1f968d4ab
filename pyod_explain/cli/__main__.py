"""`python -m pyod_explain.cli`."""

import sys

from pyod_explain.cli.start import main

if __name__ == "__main__":
    sys.exit(main())
