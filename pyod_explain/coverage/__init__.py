"""Coverage: which instance has which tag, and the counting of it."""

from pyod_explain.coverage.coverage import Coverage

__all__ = ["Coverage"]
