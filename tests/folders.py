"""What tests of files share: what a folder holds."""

import stat


def snapshot(folder):
    """Everything in a folder that a user could notice."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = path.lstat().st_mode
        content = path.readlink() if path.is_symlink() else path.read_bytes() if stat.S_ISREG(kind) else None
        found[path.name] = (kind, content)
    return found
