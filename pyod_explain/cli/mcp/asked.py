"""What a call asks for, as options of the command line; and what the command line says, in the words of the call."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
from collections.abc import Mapping
from typing import Any

from pyod_explain.cli.parser import parse
from pyod_explain.cli.usage import UsageError

__all__ = ["ARGUMENTS", "command_of", "in_arguments", "options_of"]

SCALARS = (
    "detector",
    "contamination",
    "labels",
    "index",
    "groups",
    "max_length",
    "validate",
    "placebo",
    "seed",
    "sep",
    "decimal",
    "encoding",
)
LISTS = ("drop", "only", "ban")
ARGUMENTS = {**{name: name for name in (*SCALARS, *LISTS, "outlier_values")}, "param": "detector_params"}
ARGUMENT = re.compile("^argument (--[a-z-]+):")
FLAG = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


def options_of(arguments: Mapping[str, Any], data: str) -> argparse.Namespace:
    """Read the arguments of a call as the command line reads its flags, and refuse what it would refuse.

    Parameters
    ----------
    arguments : those that were given, by name.
    data : the table to read.

    Examples
    --------
    >>> options_of({"labels": "status != ok", "drop": ["a,b"]}, "x.csv").drop
    [['a,b']]
    """
    flags = [_flag(name, arguments[name]) for name in SCALARS if name in arguments]
    for key, value in arguments.get("param", {}).items():
        flags.append(f"--param={key}={value!r}")
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            _, options, _ = parse([*flags, "--", data])
    except SystemExit:
        said = complaint.getvalue().strip().removeprefix("pyod-explain: ").removesuffix("; see pyod-explain --help")
        raise UsageError(ARGUMENT.sub(r"\1", said) + ".") from None
    for name in LISTS:
        if arguments.get(name):
            setattr(options, name, [list(arguments[name])])  # as they are: a name may have a comma
    if "outlier_values" in arguments:
        options.outlier_values = list(arguments["outlier_values"])
        if options.labels is None:
            raise UsageError("--outlier-values says which values of --labels are outliers: name that column too.")
    return options


def command_of(arguments: Mapping[str, Any], path: str) -> str:
    """Write the command that does the same; nothing where there is none.

    Parameters
    ----------
    arguments : those that were given, by name.
    path : the table, as a person finds it.

    Examples
    --------
    >>> command_of({"labels": "status != ok", "drop": ["id", "note"]}, "x.csv")
    "pyod-explain x.csv '--labels=status != ok' --drop=id,note"
    """
    lists = [name for name in (*LISTS, "outlier_values") if arguments.get(name)]
    if "rows" in arguments or any("," in one or one != one.strip() for name in lists for one in arguments[name]):
        return ""
    flags = [_flag(name, arguments[name]) for name in SCALARS if name in arguments]
    flags += [f"--param={key}={value!r}" for key, value in arguments.get("param", {}).items()]
    flags += [_flag(name, ",".join(arguments[name])) for name in lists]
    return shlex.join(["pyod-explain", f"./{path}" if path.startswith("-") else path, *flags])


def in_arguments(text: str) -> str:
    """Say with arguments of a call what the command line says with flags; other flags stay flags.

    Examples
    --------
    >>> in_arguments("--labels: the table has no column 'x'; --outlier-values says otherwise; --raw")
    "`labels`: the table has no column 'x'; `outlier_values` says otherwise; --raw"
    """

    def named(found: re.Match[str]) -> str:
        name = found[1].replace("-", "_")
        return f"`{ARGUMENTS[name]}`" if name in ARGUMENTS else found[0]

    return FLAG.sub(named, text.replace("pyod-explain detectors lists", "list_detectors lists"))


def _flag(name: str, value: Any) -> str:
    return f"--{name.replace('_', '-')}={value}"
