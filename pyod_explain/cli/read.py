from dataclasses import dataclass
import io, pathlib
from typing import Any
@dataclass(frozen=True)
class ReadOptions:
    sep: Any=None
    decimal: Any=None
    na: tuple=()
    header: Any=None
    sheet: Any=None
    max_bytes: int=10**9
    max_rows: int=10**7
    max_columns: int=10**4
@dataclass(frozen=True)
class ReadTable:
    frame: Any
    notes: tuple
def read_file(path, options=ReadOptions()):
    from pyod_explain.cli.input_file import read_file as old
    from pyod_explain.cli.reading import How
    notes=[]
    f = old(str(path), How(options.sep, options.decimal, None, options.header, options.na, False, options.sheet), notes.append)
    return ReadTable(f, tuple(notes))
def read_data(data, path, options=ReadOptions()):
    import tempfile, os
    with tempfile.TemporaryDirectory() as d:
        p = pathlib.Path(d)/pathlib.Path(path).name
        p.write_bytes(data)
        return read_file(p, options)
