"""Settings of the test run."""

import os

from hypothesis import settings

# No deadline: the machine may be busy. In CI the examples are fixed, so that a run can be repeated; elsewhere
# they vary.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
