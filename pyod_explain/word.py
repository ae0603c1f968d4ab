"""The user's word: which rules and columns must be used, and which must not."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from pyod_explain._validate import shown
from pyod_explain.exceptions import PyodExplainError
from pyod_explain.input import Table, name_list, some
from pyod_explain.tags import Condition, Tag

__all__ = ["Entry", "Word", "read_word", "said_of"]

Entry = str | Tag


@dataclass(frozen=True)
class Word:
    """What the user wants used, and what not: names of columns, and tags.

    Attributes
    ----------
    keep, ban : in the order in which they were given, each once.
    """

    keep: tuple[Entry, ...] = ()
    ban: tuple[Entry, ...] = ()

    @property
    def kept(self) -> tuple[Tag, ...]:
        """The tags that must be used, in one order."""
        tags = [one for one in self.keep if isinstance(one, Tag)]
        return tuple(sorted(tags, key=lambda tag: (len(tag), [condition.sort_key for condition in tag.sorted])))

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """The columns that some rule must speak of, in one order."""
        return tuple(sorted(one for one in self.keep if isinstance(one, str)))

    @property
    def banned(self) -> frozenset[Tag]:
        """The tags that must not be used."""
        return frozenset(one for one in self.ban if isinstance(one, Tag))

    @property
    def banned_columns(self) -> frozenset[str]:
        """The columns that no rule may speak of."""
        return frozenset(one for one in self.ban if isinstance(one, str))

    @property
    def spoken_of(self) -> set[str]:
        """The columns that the user wants in rules."""
        return {*self.kept_columns, *(name for tag in self.kept for name in tag.columns)}

    def check(self, table: Table, groups: Any) -> None:
        """Refuse what the table cannot give.

        Parameters
        ----------
        table : the columns that there are to explain with.
        groups : the user's argument: a column that names the groups would explain itself.
        """
        there = list(table.columns)
        for argument, entries in (("keep", self.keep), ("ban", self.ban)):
            absent = sorted(_columns_of(entries) - set(there))
            if absent:
                raise PyodExplainError(
                    f"`{argument}` of explain() must name columns of `X`, got {some(absent)}; it has "
                    f"{name_list(there)}.\nHint: {_rule_hint(absent)}."
                )
        if isinstance(groups, str) and groups in self.spoken_of:
            raise PyodExplainError(
                f"`keep` of explain() must name columns to explain with, got {groups!r}, which names the groups and "
                "would explain itself.\nHint: keep another column, or let groups be made otherwise."
            )
        left = set(there) - self.banned_columns - ({groups} if isinstance(groups, str) else set())
        if self.banned_columns and not left:
            raise PyodExplainError(
                f"`ban` of explain() must leave a column to explain with, got all of them: {name_list(there)}."
            )


def read_word(keep: Any, ban: Any) -> Word:
    """Read what the user wants used, and what not; refuse what contradicts itself.

    Parameters
    ----------
    keep, ban : lists of names of columns, of tags, and of conditions, each of which is the tag of that one; or None.

    Examples
    --------
    >>> read_word(["age"], [Condition("job", "==", "cook")]).banned
    frozenset({Tag(job == 'cook')})
    """
    word = Word(_entries("keep", keep), _entries("ban", ban))
    both = [one for one in word.keep if one in word.ban]
    both += [tag for tag in word.kept if word.banned_columns & set(tag.columns)]
    if both:
        raise PyodExplainError(
            f"`keep` and `ban` of explain() must not contradict each other, got {_what(both[0])} kept, and banned "
            f"{'too' if both[0] in word.ban else 'a column of it'}.\nHint: leave it out of one of them."
        )
    return word


def said_of(entry: Entry, costs: float | None, *, kept: bool, bits: bool, example: Tag | None = None) -> str:
    """Say what an entry costs: by how much what is minimised is larger than what the search finds without it.

    Parameters
    ----------
    entry : a column or a tag.
    costs : how much; None if without it the search ends in an error.
    kept : True if it must be used, False if it must not.
    bits : True if bits are minimised.
    example : a rule that a ban keeps out.

    Examples
    --------
    >>> said_of("age", 34.2, kept=False, bits=True, example=Tag.of(Condition("age", ">=", 65)))
    "Banned: column 'age'; without that ban the description would take 34 bits less (a rule: age >= 65)."
    """
    what = f"{'Kept' if kept else 'Banned'}: {_what(entry)}"
    if costs is None:
        return f"{what} (by your word); what that costs is not known: without it the search ends in an error."
    amount = _amount(abs(costs), bits=bits)
    if amount is None:
        return f"{what} (by your word) costs nothing."
    if kept:
        longer = ("longer" if costs > 0 else "shorter") if bits else ("larger" if costs > 0 else "smaller")
        made = "makes the description" if bits else "makes what is minimised"
        return f"{what} (by your word) {made} {amount} {longer} than without it."
    rule = f" (a rule: {example})" if example is not None else ""
    would = "the description would take" if bits else "what is minimised would be"
    return f"{what}; without that ban {would} {amount} {'less' if costs > 0 else 'more'}{rule}."


def _amount(costs: float, *, bits: bool) -> str | None:
    """Write a number of bits, or of what else is minimised; None if it is nothing."""
    if bits:
        return None if costs < 0.05 else f"{costs:,.0f} bits" if costs >= 9.5 else f"{costs:.1f} bits"
    return None if costs < 1e-9 else f"{costs:,.0f}" if costs >= 1e4 else f"{costs:.4g}"


def _what(entry: Entry) -> str:
    return f"column {entry!r}" if isinstance(entry, str) else str(entry)


def _rule_hint(absent: Iterable[str]) -> str:
    """Say how a rule is given where what was taken for a name looks like one."""
    if any(sign in name for name in absent for sign in "<>="):
        return "a rule is no text but a Condition, such as Condition('age', '>=', 65), or a Tag of several"
    return "give names as text, spelled as in `X`"


def _columns_of(entries: Iterable[Entry]) -> set[str]:
    return {name for one in entries for name in ([one] if isinstance(one, str) else one.columns)}


def _entries(argument: str, given: Any) -> tuple[Entry, ...]:
    if given is None:
        return ()
    if isinstance(given, str | bytes | Tag | Condition) or not isinstance(given, Collection):
        raise _wrong(argument, given)
    read = [Tag.of(one) if isinstance(one, Condition) else one for one in given]
    for one in read:
        if not isinstance(one, str | Tag):
            raise _wrong(argument, one)
    return tuple(dict.fromkeys(read))


def _wrong(argument: str, got: Any) -> PyodExplainError:
    example = got if isinstance(got, str | Tag | Condition) else "age"
    return PyodExplainError(
        f"`{argument}` of explain() must be a list of names of columns, Tags and Conditions, got {shown(got)}.\n"
        f"Hint: {argument}=[{shown(example, 60)}]."
    )
