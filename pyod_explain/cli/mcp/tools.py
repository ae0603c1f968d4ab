"""The tools that a client sees: their names, arguments and descriptions. The work is done elsewhere."""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from pyod_explain._printable import one_line, visible
from pyod_explain.cli.mcp.arguments import (
    Contamination,
    DataPath,
    Detector,
    How,
    Labels,
    OutlierValues,
    Params,
    Rows,
    View,
    Who,
)
from pyod_explain.cli.mcp.cut import cut
from pyod_explain.cli.mcp.folders import Folders
from pyod_explain.cli.mcp.process import Worker
from pyod_explain.cli.mcp.snapshot import copy_file
from pyod_explain.exceptions import PyodExplainError

__all__ = ["Limits", "Tools"]

ENDINGS = (".html", ".json", ".md", ".sql", ".txt")  # as work.SAVED has them, which takes seconds to import
AS_USUAL = How()
BY_DETECTOR = Who()


@dataclass(frozen=True)
class Limits:
    """How much a call may read and give.

    Attributes
    ----------
    megabytes : the largest file that is read, also once decompressed.
    characters : the longest text that is given.
    """

    megabytes: int = 200
    characters: int = 20_000


class Tools:
    """The tools, on the files of some folders.

    Parameters
    ----------
    folders : which files may be read.
    worker : who does the work.
    limits : how much of it.
    room : a folder of our own, for copies of the files.
    refuse : the error that the SDK turns into the answer of a call that failed.
    """

    def __init__(self, folders: Folders, worker: Worker, limits: Limits, room: str, refuse: type[Exception]) -> None:
        self.folders = folders
        self.worker = worker
        self.limits = limits
        self.room = room
        self.refuse = refuse
        self._most = limits.megabytes * 1_000_000
        self.turn = asyncio.Lock()  # one call at a time: each takes a core, and memory

    async def list_files(self) -> str:
        """List the files that may be read, with their sizes."""
        lines, more = await asyncio.to_thread(self.folders.files)
        said = "\n".join(lines) if lines or more else f"There is no file in {self.folders}."
        if more:
            said += f"\n[Cut here: {len(lines):,} files are listed, and not all was looked at.]"
        return cut(said, self.limits.characters)

    async def list_detectors(self) -> str:
        """List PyOD's detectors for tables: the names that `detector` may have, and the packages that some lack."""
        return (await self._ask({"task": "detectors"}, {}))[0]

    async def explain_outliers(
        self,
        data_path: DataPath,
        detector: Detector = "IForest",
        contamination: Contamination = 0.1,
        detector_params: Params = None,
        options: How = AS_USUAL,
        view: View = "text",
    ) -> list[str]:
        """Find the outliers of a table with a PyOD detector and explain them by a few readable rules per group.

        Says how many outliers each rule covers, how many normal rows match it too, how it fares on rows kept aside,
        and which outliers no rule explains. Columns that mark or name rows are better dropped, or named in `index`.
        """
        who = Who(detector=detector, contamination=contamination, detector_params=detector_params)
        return await self._explain(data_path, who, options, view)

    async def explain_labels(
        self,
        data_path: DataPath,
        labels: Labels = None,
        outlier_values: OutlierValues = None,
        rows: Rows = None,
        options: How = AS_USUAL,
        view: View = "text",
    ) -> list[str]:
        """Explain outliers that are known already, by a few readable rules per group; no detector runs.

        They are marked by a column or a test of one (`labels`), or given by their positions (`rows`), such as those of
        the 1s in `labels_train` of PyOD's run_detection.
        """
        if labels is None and rows is None:
            raise self.refuse("`labels` or `rows` must say which rows are outliers; neither is given.")
        return await self._explain(
            data_path, Who(labels=labels, outlier_values=outlier_values, rows=rows), options, view
        )

    async def explain_row(
        self,
        data_path: DataPath,
        row: Annotated[str | int, Field(description="The row's name in `index`, or its number from 0.")],
        report_path: Annotated[
            str | None,
            Field(description="A report of this table that pyod-explain wrote as .json, whose rules are asked."),
        ] = None,
        outliers: Who = BY_DETECTOR,
        options: How = AS_USUAL,
    ) -> list[str]:
        """Say why a row is an outlier: the rules that match it and its values, or the nearest rule and what it misses.

        Say in `outliers` and `options` what was said to explain_outliers or explain_labels before, and the rules are
        those that were found then; or name a report. Of an outlier that a rule matches also tells the smallest change
        of its values after which no rule of its group does.
        """
        if report_path is None:
            asked = self._asked(outliers, options)
            return await self._ask({"task": "row", "row": row, **asked}, {"file": data_path})
        if outliers.model_dump(exclude_none=True):
            raise self.refuse("`report_path` says which rows are outliers: leave out `outliers`.")
        asked = {"arguments": options.said()}
        return await self._ask({"task": "row", "row": row, **asked}, {"file": data_path, "report": report_path})

    async def compare_reports(
        self,
        before_path: Annotated[str, Field(description="The earlier report, as pyod-explain wrote it as .json.")],
        after_path: Annotated[str, Field(description="The later one.")],
        rows: Annotated[bool, Field(description="Also say which rows are outliers now or no longer.")] = False,
    ) -> list[str]:
        """Tell what changed from one report to another: which rules are new, gone, have other limits, or drifted."""
        return await self._ask({"task": "compare", "rows": rows}, {"before": before_path, "after": after_path})

    async def save_report(
        self,
        report_path: Annotated[
            str, Field(description=f"A new file, in the format of its ending: {', '.join(ENDINGS)}.")
        ],
        data_path: DataPath,
        outliers: Who = BY_DETECTOR,
        options: How = AS_USUAL,
    ) -> str:
        """Write a report to a new file. Say in `outliers` and `options` what was said to explain it before.

        No file is overwritten, and no folder is made.
        """
        ending = Path(report_path).suffix.lower()
        if ending not in ENDINGS:
            raise self.refuse(f"`report_path` must end in {', '.join(ENDINGS)}, got {visible(report_path)}.")
        try:
            place = self.folders.find_new(report_path)  # before the work
            request = {"task": "save", "ending": ending, **self._asked(outliers, options)}
            content = (await self._texts(request, {"file": data_path}))[0].encode()
            with self.folders.create(place) as descriptor:
                _write(descriptor, content)
        except (PyodExplainError, OSError) as error:
            raise self.refuse(one_line(str(error))) from error
        return f"Wrote {visible(str(place.path))}, {len(content):,} bytes."

    async def _explain(self, data_path: str, who: Who, how: How, view: str) -> list[str]:
        request = {"task": "explain", "view": view, **self._asked(who, how)}
        texts = await self._texts(request, {"file": data_path})
        most = self.limits.characters
        if view == "json" and len(texts[0]) > most:
            raise self.refuse(
                f"The JSON has {len(texts[0]):,} characters, more than {most:,}, and would be of no use if it were cut."
                " Hint: ask for the `view` text."
            )
        return [cut(text, most) for text in texts]

    def _asked(self, who: Who, how: How) -> dict[str, Any]:
        if (wrong := who.wrong()) is not None:
            raise self.refuse(wrong)
        return {"arguments": {**who.said(), **how.said()}}

    async def _ask(self, request: Mapping[str, Any], files: Mapping[str, str]) -> list[str]:
        return [cut(text, self.limits.characters) for text in await self._texts(request, files)]

    async def _texts(self, request: Mapping[str, Any], files: Mapping[str, str]) -> list[str]:
        """Copy the files, have the work done on the copies, and give the answer."""
        given_up = threading.Event()
        async with self.turn:
            with tempfile.TemporaryDirectory(dir=self.room, ignore_cleanup_errors=True) as folder:
                try:
                    copies = await asyncio.to_thread(self._copy, files, Path(folder))
                    whole = {**request, **copies, "folder": folder, "most": self._most}
                    return await asyncio.to_thread(self.worker.ask, whole, given_up)
                except (PyodExplainError, OSError) as error:
                    raise self.refuse(cut(one_line(str(error)), self.limits.characters)) from error
                except asyncio.CancelledError:
                    given_up.set()
                    self.worker.stop()  # nobody waits for it
                    raise

    def _copy(self, files: Mapping[str, str], folder: Path) -> dict[str, str]:
        copies: dict[str, str] = {}
        for role, path in files.items():
            place = self.folders.find(path)
            within = "" if role == "file" else f"{role}/"  # two reports may have the same name
            (folder / within).mkdir(exist_ok=True)
            copy_file(self.folders, place, folder / within, self._most)
            name = place.steps[-1]
            copies[role] = f"{within}{name}" if within or name != "-" else "./-"  # which alone is standard input
            if role == "file":
                copies["shown"] = str(place.path)
        return copies


def _write(descriptor: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(descriptor, left) :]
