"""The tables that `quality.py` prints: a line a case, then means by half."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.score import Score, best_of, duel, median_ratio


def show_cases(result: dict, names: Iterable[str], *, header: bool) -> None:
    """Print the held-out bits of a case, one column a learner."""
    if header:
        print(f"\nheld-out bits\n{'case':24} {'half':6} " + " ".join(f"{name:>14}" for name in names))
    bits = {name: f"{score['bits']:.3f}" for name, score in result["scores"].items()}
    cells = " ".join(f"{bits.get(name, '-'):>14}" for name in names)
    print(f"{result['case']:24} {result['half']:6} {cells}", flush=True)
    for name, error in result["errors"].items():
        print(f"    {name} left out: {error}", flush=True)


def show_summary(results: Sequence[dict], teams: Mapping[str, Sequence[str]]) -> None:
    """Print means over the cases of each half and of both, with ours against each peer and the best of each team."""
    for half in ("tune", "report", "both"):
        own = [one for one in results if half in (one["half"], "both")]
        if own and (half != "both" or len({one["half"] for one in own}) > 1):
            show_half(f"{half}: {len(own)} cases", own, teams)


def show_half(title: str, results: Sequence[dict], teams: Mapping[str, Sequence[str]]) -> None:
    yardstick = {one["case"]: one["yardstick"] for one in results}
    names = list(dict.fromkeys(name for one in results for name in one["scores"]))
    scores = {
        name: {one["case"]: Score(**one["scores"][name]) for one in results if name in one["scores"]} for name in names
    }
    ours = [name for name in names if name.startswith("ours ")]
    for team, members in teams.items():
        if present := [scores[name] for name in members if name in scores]:
            scores[f"best of {len(present)} {team}"] = best_of(present)
    print(f"\n{title}; to the right ours against each: cases with fewer (equal) bits, ratio of bits,")
    print("of the cases with no more conditions those with fewer bits")
    heads = " ".join(f"{name:>27}" for name in ours)
    print(f"{'':24} {'cases':>5} {'bits':>6} {'F1':>6} {'rules':>6} {'conds':>6} {'CPU s':>7} {'/IForest':>8} {heads}")
    for name, own in scores.items():
        mean = Score.mean(list(own.values()))
        ratio = median_ratio({case: score.cpu for case, score in own.items()}, yardstick)
        cells = " ".join(f"{against(scores[one], own) if one != name else '':>27}" for one in ours)
        print(
            f"{name:24} {len(own):5} {mean.bits:6.3f} {mean.f1:6.3f} {mean.rules:6.1f} {mean.conditions:6.1f} "
            f"{mean.cpu:7.2f} {ratio:8.2f} {cells}".rstrip()
        )


def against(ours: Mapping[str, Score], other: Mapping[str, Score]) -> str:
    """Say how ours does against another: "66 (1)  0.965   40 of 52"."""
    found = duel(ours, other)
    if found is None:
        return "-"
    return f"{found.fewer} ({found.equal})  {found.ratio:.3f}  {found.short_fewer:3} of {found.short:3}"
