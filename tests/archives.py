"""Zip archives in memory."""

import io
import zipfile


def zipped(**members: bytes) -> bytes:
    """Zip files whose names are written with __ for / and _DOT_ for a dot."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_DOT_", "."), data)
    return buffer.getvalue()
