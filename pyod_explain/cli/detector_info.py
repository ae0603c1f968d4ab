"""What the command line knows of a detector before it is imported."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

__all__ = ["DetectorInfo"]


@dataclass(frozen=True)
class DetectorInfo:
    """A detector of PyOD: its name, where it is, what it is in a line, and the packages it needs beyond PyOD's own."""

    name: str
    module: str
    about: str
    needs: tuple[str, ...]

    @property
    def missing(self) -> list[str]:
        """Packages that it needs and that are not installed."""
        return [package for package in self.needs if importlib.util.find_spec(package) is None]
