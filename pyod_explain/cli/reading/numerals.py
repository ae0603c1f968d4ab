"""Numbers as people write them: with a currency, a percent sign, thousands apart, and either decimal sign."""

from __future__ import annotations

import re

__all__ = ["MISSING_WORDS", "PLAIN", "SPACE", "UNIT", "numeral", "tells"]

SPACE = "[ \u00a0\u2007\u2009\u202f]"  # also those that do not break a line
_CODES = (
    "AED|ARS|AUD|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KRW|MAD|MXN|MYR|NOK|NZD|"
    "PEN|PHP|PKR|PLN|RON|RSD|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
UNIT = rf"(?:(?:US|A|C|R|S|HK|NZ)?\$|[\u00a2-\u00a5\u20a0-\u20c0\u0e3f%\u2030]|{_CODES}|Fr\.|kr\.?|z\u0142|K\u010d|Ft)"
_SIGN = "[-+\u2212]"


def _body(decimal: str, group: str) -> str:
    thousands = "|".join(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+" for mark in (re.escape(group), SPACE, "['\u2019]"))
    lakhs = rf"[1-9]\d?(?:{re.escape(group)}\d{{2}})+{re.escape(group)}\d{{3}}"  # as in India: 12,34,567
    point = re.escape(decimal)
    return rf"(?:(?:\d+|{thousands}|{lakhs})(?:{point}\d*)?|{point}\d+)(?:[eE][-+]?\d+)?"


def numeral(decimal: str) -> str:
    r"""Give the pattern of a number with this decimal sign; the other sign, a space or an apostrophe part thousands.

    Examples
    --------
    >>> for text in ("$1,179.60", "12 %", "(1,234)", "1 234.5", "0,5", "1.234,5 EUR", "-7", "2024-01-01"):
    ...     print(f"{text:12}", *(sign for sign in ".," if re.fullmatch(numeral(sign), text)))
    $1,179.60    .
    12 %         . ,
    (1,234)      . ,
    1 234.5      .
    0,5          ,
    1.234,5 EUR  ,
    -7           . ,
    2024-01-01
    """
    body = _body(decimal, "," if decimal == "." else ".")
    signed = rf"(?:{_SIGN}?{SPACE}?(?:{UNIT}{SPACE}?)?|{UNIT}{SPACE}?{_SIGN}){body}(?:{SPACE}?{UNIT})?"
    # Brackets are a minus sign: with another inside, as in (-5), they would say it twice or turn it around.
    return rf"(?:{signed}|\((?:{UNIT}{SPACE}?)?{body}(?:{SPACE}?{UNIT})?\))"


PLAIN = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"  # what pandas reads by itself

# Words for "no value", in lower case; only where all else in the column is a number.
MISSING_WORDS = frozenset(
    [
        "?",
        "??",
        "???",
        "-",
        "--",
        "---",
        "\u2013",
        "\u2014",
        ".",
        "..",
        "...",
        "*",
        "**",
        "/",
        "//",
        "#",
        "#na",
        "#n/a",
        "#div/0!",
        "#value!",
        "#ref!",
        "#name?",
        "#num!",
        "#null!",
        "\\n",
        "n/a",
        "na",
        "n.a.",
        "n.a",
        "n/d",
        "nd",
        "n.d.",
        "k.a.",
        "null",
        "(null)",
        "nil",
        "none",
        "(none)",
        "nan",
        "missing",
        "(missing)",
        "unknown",
        "(unknown)",
        "blank",
        "(blank)",
        "empty",
        "(empty)",
        "undefined",
        "unavailable",
        "tbd",
        "void",
        "<na>",
        "<null>",
    ]
) | {"not available", "not applicable", "not known", "no data", "no value", ""}


_POINT, _COMMA = re.compile(numeral(".")), re.compile(numeral(","))


def tells(text: str) -> str | None:
    """Tell which decimal sign a number has: `.` or `,`; `?` where it may be either; None if it is no number.

    Examples
    --------
    >>> [tells(text) for text in ("12", "1,5", "1.5", "1,234", "1,234,567", "0,123", "12 kg")]
    ['?', ',', '.', '?', '.', ',', None]
    """
    point, comma = _POINT.fullmatch(text), _COMMA.fullmatch(text)
    if point and comma:
        return "?"
    return "." if point else "," if comma else None
