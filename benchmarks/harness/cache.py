"""Results that are kept: one JSON file a case and name, put in place whole, so that processes can share them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyod_explain._atomic import write_file


@dataclass(frozen=True)
class Cache:
    """A folder of results; without a folder nothing is kept."""

    folder: Path | None = None

    def get(self, case: str, name: str, version: str) -> Any:
        """Give what was kept under these names, None if nothing was or if it is of another version."""
        if self.folder is None or not (path := self._path(case, name)).is_file():
            return None
        kept = json.loads(path.read_text(encoding="utf-8"))
        return kept["value"] if kept["version"] == version else None

    def put(self, case: str, name: str, version: str, value: Any) -> None:
        if self.folder is not None:
            path = self._path(case, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            kept = {"case": case, "name": name, "version": version, "value": value}
            write_file(path, json.dumps(kept))

    def ask(self, case: str, name: str, version: str, make: Callable[[], Any]) -> Any:
        """Give what was kept, else make it and keep it."""
        value = self.get(case, name, version)
        if value is None:
            value = make()
            self.put(case, name, version, value)
        return value

    def _path(self, case: str, name: str) -> Path:
        return self.folder / case / f"{name}.json"
