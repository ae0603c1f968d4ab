"""Output files: `WRITERS` maps a suffix to the text of a report; rows are written by `write_rows`."""

from __future__ import annotations

import contextlib
import glob
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from pyod_explain._atomic import Content, write_file
from pyod_explain._validate import optional
from pyod_explain.beyond_memory import Source
from pyod_explain.cli.request import Notify, OutputOptions
from pyod_explain.cli.run import Result
from pyod_explain.exceptions import ParameterError
from pyod_explain.explanation import Explanation, outlier_origin
from pyod_explain.export import to_dbt
from pyod_explain.input import EXACT_UP_TO, plain_value
from pyod_explain.report import Changes, to_csv, without_formulas
from pyod_explain.result import best_rule, free_name, read_rows

NOT_IN_SHEETS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # characters that XML lacks
MAX_SHEET_ROWS = 1_048_576
SHEET_SIZE = f"{MAX_SHEET_ROWS:,} rows, 16,384 columns and 32,767 characters a cell"
SHEET_LIMITS = f"a sheet has at most {SHEET_SIZE}; .csv has no limit"

Report = Explanation | Changes
Writer = Callable[[Any, OutputOptions, Notify], str]


def _to_html(report: Report, options: OutputOptions, _notify: Notify) -> str:
    if isinstance(report, Changes):
        return report.to_html(title=options.title)
    return report.to_html(title=options.title, interactive=options.interactive)


def _to_json(report: Report, _options: OutputOptions, _notify: Notify) -> str:
    return json.dumps(report.to_dict(), indent=2) + "\n" if isinstance(report, Changes) else report.to_json()


def _to_csv(report: Report, _options: OutputOptions, notify: Notify) -> str:
    text, n_changed = to_csv(report.to_frame())
    _note_formulas(n_changed, notify)
    return text


def _to_text(report: Report, _options: OutputOptions, _notify: Notify) -> str:
    return (report.to_text(rows=False) if isinstance(report, Changes) else str(report)) + "\n"


WRITERS: dict[str, Writer] = {
    ".html": _to_html,
    ".md": lambda report, options, _notify: str(report.to_markdown(title=options.title)),
    ".json": _to_json,
    ".txt": _to_text,
    ".csv": _to_csv,
    ".sql": lambda report, options, _notify: report.to_sql(options.table, dialect=options.dialect),
    ".yaml": lambda report, options, _notify: to_dbt(report, options.table, dialect=options.dialect),
}
WRITERS[".yml"] = WRITERS[".yaml"]


def check_outputs(options: OutputOptions, sources: Sequence[str] = ()) -> None:
    """Refuse output files that cannot be written or would replace an input, before the work.

    Parameters
    ----------
    options : the output files.
    sources : the files that are read.
    """
    sources = [one for one in sources if one != "-" and "\0" not in one]
    read = [Path(path).resolve() for one in sources for path in (one, *glob.glob(one, recursive=True))]  # noqa: PTH207 - absolute patterns
    seen: list[Path] = []
    rows_out = [] if options.rows_out is None else [("rows_out", options.rows_out)]
    for argument, path in [*(("output", one) for one in options.outputs), *rows_out]:
        real = path.resolve()
        if not real.parent.is_dir():
            raise ParameterError(argument, "a file in an existing folder", got=str(path))
        in_folder = argument == "rows_out" and any(real.is_relative_to(one) for one in read)
        if real in read or real in seen or in_folder:
            raise ParameterError(argument, "a file that is not read, and a different one each time", got=str(path))
        seen.append(real)


def write_reports(report: Report, options: OutputOptions, notify: Notify) -> None:
    """Write the report to each output file, in the format of its suffix.

    Parameters
    ----------
    report : an explanation, what is new, or what changed.
    options : the output files.
    notify : gets a note for each file.
    """
    for path in options.outputs:
        write_file(path, WRITERS[path.suffix.lower()](report, options, notify))
        notify(f"wrote {path}")


def write_rows(result: Result, options: OutputOptions, notify: Notify) -> None:
    """Write a line for each outlier, or for each row, with its group and rules.

    Parameters
    ----------
    result : the explanation and its rows.
    options : the output file.
    notify : gets notes on the file.
    """
    path = options.rows_out
    if path is None:
        return
    is_parquet = path.suffix.lower() == ".parquet"
    content: Content
    if options.all_rows and isinstance(result.rows, Source):
        batches = _scan(result.explanation, result.rows)
        frames = (batch.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True) for batch in batches)
        content = _parquet(batches) if is_parquet else _lines(frames, path, notify)
    else:
        frame = _row_frame(result, all_rows=options.all_rows)
        content = _parquet(_to_arrow(frame, notify)) if is_parquet else _lines([frame], path, notify)
    write_file(path, content)
    notify(f"wrote {path}")


def _row_frame(result: Result, *, all_rows: bool) -> pd.DataFrame:
    """Give the outliers by their labels beside the columns of `to_rows`, or all rows beside those of `scan`."""
    if all_rows and isinstance(result.rows, pd.DataFrame):
        summary, beside = result.explanation.summary, result.rows.reset_index(drop=True)
        best = best_rule(summary, read_rows(summary, result.rows))
        number = pd.array(best + 1, dtype="Int64")
        number[best < 0] = pd.NA
        outlier = np.isin(np.arange(len(best)), _positions(result.explanation))
        group = np.array([*(rule.group for rule in summary.rules), 0])[best]
        text = np.array([*(rule.text for rule in summary.rules), None], dtype=object)[best]
        answers = pd.DataFrame({"outlier": outlier, "group": group, "rule": number, "text": text})
    else:
        answers = result.explanation.to_rows()
        beside = answers.index.to_frame(index=False)
    beside.columns = [str(name) for name in beside.columns]
    names = {name: free_name(name, tuple(beside.columns)) for name in answers.columns}
    return pd.concat([beside, answers.reset_index(drop=True).rename(columns=names)], axis=1)


def _positions(explanation: Explanation) -> Any:
    """Give the positions of the outliers."""
    return outlier_origin(explanation, "--all-rows").positions if explanation.groups else []


def _scan(explanation: Explanation, source: Source) -> Any:
    """Read all rows beyond memory lazily, each with `outlier` before the columns of `scan`."""
    arrow = optional("pyarrow", "to read parquet files", extra="arrow")
    scanned, positions = explanation.scan(source), _positions(explanation)
    at = len(scanned.schema) - 3
    schema = scanned.schema.insert(at, arrow.field(free_name("outlier", source.columns), arrow.bool_()))

    def batches() -> Iterator[Any]:
        start = 0
        for batch in scanned:
            marks = arrow.array(np.isin(np.arange(start, start + batch.num_rows), positions))
            yield arrow.RecordBatch.from_arrays([*batch.columns[:at], marks, *batch.columns[at:]], schema=schema)
            start += batch.num_rows

    return arrow.RecordBatchReader.from_batches(schema, batches())


def _lines(frames: Iterable[pd.DataFrame], path: Path, notify: Notify) -> Content:
    """Give a function that writes frames one after the other: CSV, a JSON object in each line, or a workbook."""
    if path.suffix.lower() == ".xlsx":
        return _sheet(frames, notify)

    def write(file: BinaryIO) -> None:
        n_changed = 0
        for k, frame in enumerate(frames):
            if path.suffix.lower() == ".csv":
                text, more = to_csv(frame, header=k == 0)
                n_changed += more
            else:
                cells = frame.astype(object)
                records = cells.mask(cells.isna() | cells.isin([np.inf, -np.inf]), None).to_dict("records")
                text = "".join(json.dumps(one, default=str) + "\n" for one in records)
            file.write(text.encode("utf-8", "backslashreplace"))
        _note_formulas(n_changed, notify)

    return write


def _sheet(frames: Iterable[pd.DataFrame], notify: Notify) -> Content:
    """Give a function that writes frames as the one sheet of a workbook."""
    openpyxl = optional("openpyxl", "to write .xlsx files", extra="excel")

    def write(file: BinaryIO) -> None:
        book, n_rows, n_changed = openpyxl.Workbook(write_only=True), 0, 0
        with contextlib.closing(book.create_sheet("rows")) as sheet:
            for k, frame in enumerate(frames):
                cells, changed = without_formulas(frame, header=k == 0)
                n_rows, n_changed = n_rows + len(cells), n_changed + changed
                if n_rows >= MAX_SHEET_ROWS or cells.shape[1] > 16_384:
                    raise ValueError(SHEET_LIMITS)
                lines = cells.astype(object).where(cells.notna(), None).itertuples(index=False, name=None)
                for line in [*([] if k else [tuple(cells.columns)]), *lines]:
                    sheet.append([_sheet_cell(plain_value(cell)) for cell in line])
        book.save(file)
        _note_formulas(n_changed, notify)

    return write


def _sheet_cell(value: Any) -> Any:
    """Give a cell that a workbook keeps as it is; a text for what it would round or refuse, such as a time zone."""
    is_exact = isinstance(value, int | None) and abs(value or 0) <= EXACT_UP_TO
    if is_exact or (isinstance(value, float) and np.isfinite(value)):
        return value
    if isinstance(value, pd.Timestamp) and value.tzinfo is None and value.year > 1900 and value == value.floor("ms"):
        return value.to_pydatetime()
    text = NOT_IN_SHEETS.sub(lambda found: found[0].encode("unicode_escape").decode(), str(value))
    if len(text) > 32_767:  # openpyxl would cut it
        raise ValueError(SHEET_LIMITS)
    return text


def _parquet(batches: Any) -> Content:
    parquet = optional("pyarrow.parquet", "to write parquet files", extra="arrow")

    def write(file: BinaryIO) -> None:
        with parquet.ParquetWriter(file, batches.schema) as out:
            for batch in batches:
                out.write_batch(batch)

    return write


def _to_arrow(frame: pd.DataFrame, notify: Notify) -> Any:
    """Give a frame as record batches; columns of mixed types become text."""
    arrow = optional("pyarrow", "to write parquet files", extra="arrow")
    texts = {}
    for name in frame.columns:
        try:
            arrow.Array.from_pandas(frame[name])
        except (arrow.ArrowException, UnicodeEncodeError):
            cells = frame[name].astype(object).map(str, na_action="ignore")
            texts[name] = cells.str.encode("utf-8", "backslashreplace").str.decode("utf-8")
            notify(f"column {name!r} holds values of several types and is written as text")
    return arrow.Table.from_pandas(frame.assign(**texts), preserve_index=False).to_reader()


def _note_formulas(n_changed: int, notify: Notify) -> None:
    if n_changed:
        notify(f"an apostrophe was put before {n_changed:,} texts that a spreadsheet would run as formulas")
