"""What tests of files share: folders to write to, and what they hold afterwards."""

import os
import stat
import subprocess
import sys
from pathlib import Path

from pyod_explain._files import staged

ROOT = Path(__file__).parent.parent


def snapshot(folder):
    """Everything in a folder that a user could notice."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = path.lstat().st_mode
        content = path.readlink() if path.is_symlink() else path.read_bytes() if stat.S_ISREG(kind) else None
        found[path.name] = (kind, content)
    return found


def write_all(contents):
    with staged(contents) as batch:
        batch.commit()


def run_python(code, *arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": ""}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], env=environment, capture_output=True, check=False, **options
    )


def make_folder(folder, kinds):
    """Make a target of each kind; give their paths."""
    paths = []
    for i, kind in enumerate(kinds):
        path = folder / f"target{i}"
        if kind in ("old", "read by all"):
            path.write_text(f"old {i}")
            path.chmod(0o640 if kind == "old" else 0o644)
        elif kind == "link":
            (folder / f"far{i}").write_text(f"old {i}")
            path.symlink_to(f"far{i}")
        elif kind == "link to nothing":
            path.symlink_to(f"far{i}")
        paths.append(path)
    return paths
