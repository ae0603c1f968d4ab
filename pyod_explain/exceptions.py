"""The errors this package raises on purpose, and the messages that errors and notes are made of.

A `Message` is a text with named values, rendered where it is shown: for Python with `max_length=`, for the shell with
`--max-length`, for a comparison of two tables with "rows of now" in place of outliers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Self


@dataclass(frozen=True)
class Words:
    """What the reader of a message calls arguments, outliers and normal rows.

    Attributes
    ----------
    flags : the command line's name of each argument (`{"random_state": "--seed"}`); None for a reader of Python.
    nouns : words for `outliers`, `normals` and `group`, by their names in templates.

    Examples
    --------
    >>> shell = Words(flags={"sample": "--sample"})
    >>> Words().argument("sample"), Words().argument("sample", "500")
    ('`sample=`', 'sample=500')
    >>> shell.argument("sample"), shell.argument("sample", "500")
    ('--sample', '--sample 500')
    """

    flags: Mapping[str, str] | None = None
    nouns: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def argument(self, name: str, value: str = "") -> str:
        """Name an argument, with a value if one is given."""
        flag = None if self.flags is None else self.flags.get(name)
        if flag is not None:
            return f"{flag} {value}".rstrip()
        if value:
            return f"{name}={value}"
        return f"`{name}=`" if self.flags is None else name


PYTHON = Words()
NOUNS = {"outliers": "outliers", "normals": "normal rows", "group": "the group"}


class Message(str):
    """A sentence with named values. It is a text in Python's words; `render` gives the same in other words.

    Attributes
    ----------
    template : the sentence. `{name}` is one of `values`; `{arg_name}` is an argument, `{arg_name:0}` that argument with
        the value 0; `{outliers}`, `{normals}` and `{group}` are nouns.
    values : what the names stand for.

    Examples
    --------
    >>> message = Message("Column {column!r} is left out; {arg_id_columns:[]} keeps it.", {"column": "id"})
    >>> print(message)
    Column 'id' is left out; id_columns=[] keeps it.
    >>> print(message.render(Words(flags={"id_columns": "--id-columns"})))
    Column 'id' is left out; --id-columns [] keeps it.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, Any]

    def __new__(cls, template: str, values: Mapping[str, Any] | None = None) -> Self:
        """Render the template in Python's words."""
        values = {} if values is None else dict(values)
        message = super().__new__(cls, template.format_map(_Names(values, PYTHON)))
        message.template, message.values = template, values
        return message

    def __getnewargs__(self) -> tuple[str, Mapping[str, Any]]:  # type: ignore[override]  # `str` pickles its text alone
        """Pickle and copy with template and values."""
        return self.template, self.values

    def render(self, words: Words = PYTHON) -> str:
        """Write the sentence in a reader's words."""
        return self.template.format_map(_Names(self.values, words))


class _Names(dict[str, Any]):
    def __init__(self, values: Mapping[str, Any], words: Words) -> None:
        super().__init__({**NOUNS, **words.nouns, **values})
        self._words = words

    def __missing__(self, name: str) -> _Argument:
        if not name.startswith("arg_"):
            raise KeyError(name)
        return _Argument(name.removeprefix("arg_"), self._words)


@dataclass(frozen=True)
class _Argument:
    name: str
    words: Words

    def __format__(self, value: str) -> str:
        return self.words.argument(self.name, value)


def render(text: str, words: Words = PYTHON) -> str:
    """Write a text in a reader's words, if it is a `Message`; any other text reads the same for everyone."""
    return text.render(words) if isinstance(text, Message) else text


def shown(value: Any, most: int = 80) -> str:
    """Write a value for an error message, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write out an integer of thousands of digits
        text = f"an {type(value).__name__} too long to write"
    return text if len(text) <= most else text[: most - 3] + "..."


class PyodExplainError(ValueError):
    """Root of all errors raised by this package; a `ValueError`, so existing handlers keep working.

    Attributes
    ----------
    problem : what is wrong; a `Message`, or a plain text that reads the same for everyone.
    hint : what to do next; "" for nothing.

    Examples
    --------
    >>> from pyod_explain import explain
    >>> explain([0, 1], [[1.0], [2.0], [3.0]])
    Traceback (most recent call last):
    pyod_explain.exceptions.PyodExplainError: ...
    """

    def __init__(self, problem: str, hint: str = "") -> None:  # by position too: so do pickle and copy
        self.problem, self.hint = problem, hint
        super().__init__(problem, hint)

    def render(self, words: Words = PYTHON) -> str:
        """Write the error in a reader's words."""
        hint = render(self.hint, words)
        return self._render_problem(words) + (f"\nHint: {hint}" if hint else "")

    def _render_problem(self, words: Words) -> str:
        return render(self.problem, words)

    def __str__(self) -> str:
        return self.render()

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self.args, self.__dict__  # as exceptions do; Dask looks whether it is defined


class ParameterError(PyodExplainError):
    """An argument is not what it must be.

    Attributes
    ----------
    argument : its name.
    requirement : what it must be, in words that follow "must be".
    got : what it was, in words that follow "got".
    owner : the function or class that it is an argument of; "" where that is plain.

    Examples
    --------
    >>> error = ParameterError("max_length", "a whole number of at least 1", got=0, hint="3 is usual.", owner="fit()")
    >>> print(error)
    `max_length` of fit() must be a whole number of at least 1, got 0.
    Hint: 3 is usual.
    >>> print(error.render(Words(flags={"max_length": "--max-length"})))
    --max-length must be a whole number of at least 1, got 0.
    Hint: 3 is usual.
    """

    def __init__(
        self,
        argument: str,
        requirement: str,
        *,
        got: Any = None,
        got_text: str | None = None,
        hint: str = "",
        owner: str = "",
    ) -> None:
        self.argument, self.requirement = argument, requirement
        self.got = shown(got) if got_text is None else got_text
        self.owner = owner
        super().__init__("", hint=hint)

    def _render_problem(self, words: Words) -> str:
        name = f"`{self.argument}`" + (f" of {self.owner}" if self.owner else "")
        if words.flags is not None:
            name = words.argument(self.argument)
        return f"{name} must be {render(self.requirement, words)}, got {render(self.got, words)}."


class FileError(PyodExplainError, OSError):
    """A file that cannot be read or written; an `OSError` as well, as from any function that opens files."""


class StaleExplanationWarning(UserWarning):
    """The detector was fitted again after it was explained, so the explanation is of an earlier fit.

    Examples
    --------
    >>> import warnings
    >>> import pandas as pd
    >>> from pyod.models.knn import KNN
    >>> from pyod_explain import explain
    >>> X = pd.DataFrame({"amount": [*range(50), 900, 950, 990]})
    >>> detector = KNN(contamination=0.05).fit(X)
    >>> e = explain(detector, X)
    >>> _ = detector.fit(X[::-1])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     numbers = e.predict(X)
    >>> caught[0].category.__name__
    'StaleExplanationWarning'
    """


class InfeasibleError(PyodExplainError):
    """No description met the constraints; `proved` tells a theorem from a search that gave up.

    Attributes
    ----------
    group : number of the group that failed (1..K), or None if no single group is to blame.
    round : round of the greedy algorithm in which it failed, or None.
    proved : True only if every possible choice of tags was ruled out.
    rows : positions of the outliers that no tag covers, where that is the reason.
    best_uncovered : lowest share of the group that was found to be left uncovered, within the most tags it may have.

    Examples
    --------
    Two outliers, and a tag for only one of them:

    >>> from pyod_explain import BCCM, Coverage, InfeasibleError
    >>> coverage = Coverage.from_dense([[1], [0], [0]], [1, 1, 0])
    >>> try:
    ...     BCCM(max_tags=1, max_uncovered=0.0).select(coverage)
    ... except InfeasibleError as error:
    ...     print(error.group, error.proved)
    1 True
    """

    def __init__(
        self,
        problem: str | Message,
        hint: str | Message = "",
        *,
        group: int | None = None,
        round: int | None = None,  # noqa: A002 - the attribute's name, which is public
        proved: bool = False,
        rows: Sequence[int] = (),
        best_uncovered: float | None = None,
    ) -> None:
        self.group, self.round, self.proved = group, round, proved
        self.rows, self.best_uncovered = tuple(rows), best_uncovered
        super().__init__(problem, hint=hint)

    def _render_problem(self, words: Words) -> str:
        """Say also whether it is proved, and name the first of its rows."""
        listed = ", ".join(map(str, self.rows[:10])) + (", ..." if len(self.rows) > 10 else ".")
        certainty = " This is proved." if self.proved else " This is not proved."
        return render(self.problem, words) + certainty + (f" Rows: {listed}" if self.rows else "")


def visible(text: str) -> str:
    r"""Write control characters as escapes, so that a name cannot move the cursor or break a line.

    The same goes for what is not seen but changes what is seen: marks that turn the direction of writing, line and
    paragraph separators, spaces other than the usual one, lone surrogates.

    >>> print(visible("a\x1b[31m\nb\u202e"))
    a\x1b[31m\nb\u202e
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def one_line(message: str) -> str:
    r"""Write a message, whose lines are ours, in one line, and what is in it visibly.

    >>> print(one_line("Column a\x1b is empty.\nHint: drop it."))
    Column a\x1b is empty. Hint: drop it.
    """
    return visible(" ".join(part.strip(" \t") for part in message.split("\n")).strip())
