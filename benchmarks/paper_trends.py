"""What the paper says of its figures, asked of figures: each claim holds, does not, or cannot be told.

The same questions are asked of the printed figures and of ours, so that a claim is read in a way in which it holds in
the paper. FUO and FCN are means over the groups: group by group the printed figures themselves do not always agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from paper_lines import Line, as_text

BASELINES = ("RIPPER", "BRL", "BRS", "DTDM", "D-WCCM")  # that D-BCCM is compared with
LESS_PURE = ("RIPPER", "BRL", "DTDM")  # by the paper's words


@dataclass(frozen=True)
class Trend:
    """A claim, whether it holds (None: cannot be told), and the figures that say so."""

    claim: str
    holds: bool | None
    figures: str

    def __str__(self) -> str:
        verdict = {True: "holds here", False: "does not hold here", None: "cannot be told here"}[self.holds]
        return f"{self.claim}: {verdict} ({self.figures})"


def lowest_mdl(lines: Mapping[str, Line]) -> Trend:
    """Tell whether D-BCCM has the fewest bits of the paper's methods."""
    claim = "D-BCCM has the lowest MDL of the paper's methods"
    bits = {name: lines[name].mdl if name in lines else None for name in ("D-BCCM", *BASELINES)}
    return _lowest(claim, bits, "D-BCCM", "{:,.0f}")


def purer(lines: Mapping[str, Line], method: str) -> Trend:
    """Tell whether a method is purer than RIPPER, BRL and DTDM: a lower mean of FUO, FCO and FCN."""
    claim = f"{method} is purer than {', '.join(LESS_PURE[:-1])} and {LESS_PURE[-1]} (mean of FUO, FCO, FCN)"
    known = {name: line.impurity for name, line in lines.items() if line.measures}
    means = {name: known.get(name) for name in (method, *LESS_PURE)}
    return _lowest(claim, means, method, "{:.3f}")


def _lowest(claim: str, figures: Mapping[str, float | None], method: str, form: str) -> Trend:
    """Compare with those that have a figure; those that have none are named."""
    texts = {name: "no figure" if value is None else form.format(value) for name, value in figures.items()}
    said = ", ".join(f"{name} {text}" for name, text in texts.items())
    own, others = figures.get(method), [v for name, v in figures.items() if name != method and v is not None]
    return Trend(claim, None if own is None or not others else own < min(others), said)


def parameter_trends(lines: Sequence[Line]) -> list[Trend]:
    """Ask the lines of the paper's table of parameters, in its order: how each parameter moves FUO and FCN."""
    weights = [one for one in lines if one.method == "D-WCCM"]
    budgets = [one for one in lines if one.method == "D-BCCM"]
    theta = max(one.setting["max_tags"] for one in budgets)
    rho = min(one.setting["max_uncovered"] for one in budgets)
    shares = sorted((one for one in budgets if one.setting["max_tags"] == theta), key=_setting("max_uncovered"))
    tags = sorted(
        (one for one in budgets if one.setting["max_uncovered"] == rho), key=_setting("max_tags"), reverse=True
    )
    return [
        _moves("higher lambda lowers FUO", weights, "weight", "FUO", -1),
        _moves("higher lambda raises FCN", weights, "weight", "FCN", 1),
        _moves(f"higher rho lowers FCN (theta {theta})", shares, "max_uncovered", "FCN", -1),
        _moves(f"lower theta raises FCN (rho {rho})", tags, "max_tags", "FCN", 1),
    ]


def _setting(name: str) -> Callable[[Line], float]:
    return lambda line: line.setting[name]


def _moves(claim: str, lines: Sequence[Line], parameter: str, measure: str, sign: int) -> Trend:
    """Tell whether a measure goes one way: never back, and not nowhere; all settings must have an answer."""
    values = [one.mean(measure) if one.measures else None for one in lines]
    said = ", ".join(
        f"{as_text(one.setting[parameter])}: {'no answer' if value is None else f'{value:.2f}'}"
        for one, value in zip(lines, values, strict=True)
    )
    known = [value for value in values if value is not None]
    if len(known) < len(values) or len(known) < 2:
        return Trend(claim, None, f"{measure} at {said}")
    steps = [sign * (after - before) for before, after in pairwise(known)]
    return Trend(claim, min(steps) >= 0 and max(steps) > 0, f"{measure} at {said}")
