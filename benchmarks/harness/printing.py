"""The tables that `quality.py` prints: a line a case, then means by half."""

from __future__ import annotations

from collections.abc import Sequence

from harness.score import Score, duel, median_ratio


def show_cases(result: dict, *, header: bool) -> None:
    """Print the held-out bits of a case, one column a learner."""
    scores = result["scores"]
    if header:
        print(f"\nheld-out bits\n{'case':24} {'half':6} " + " ".join(f"{name:>16}" for name in scores))
    cells = " ".join(f"{one['bits']:16.3f}" for one in scores.values())
    print(f"{result['case']:24} {result['half']:6} {cells}", flush=True)
    for name, error in result["errors"].items():
        print(f"    {name} failed: {error}", flush=True)


def show_summary(results: Sequence[dict], peers: Sequence[str]) -> None:
    """Print means over the cases of each half and of both, and how ours does against the best of the four peers."""
    for half in ("tune", "report", "both"):
        own = [one for one in results if half in (one["half"], "both")]
        if own and (half != "both" or len({one["half"] for one in own}) > 1):
            show_half(f"{half}: {len(own)} cases", own, peers)


def show_half(title: str, results: Sequence[dict], peers: Sequence[str]) -> None:
    yardstick = {one["case"]: one["yardstick"] for one in results}
    names = list(dict.fromkeys(name for one in results for name in one["scores"]))
    by_name = {
        name: {one["case"]: Score(**one["scores"][name]) for one in results if name in one["scores"]} for name in names
    }
    bits = {name: {case: score.bits for case, score in scores.items()} for name, scores in by_name.items()}
    others = [bits[name] for name in peers if name in bits]
    print(f"\n{title}; fewer (equal) bits than, and ratio to, the best of {', '.join(n for n in peers if n in bits)}")
    print(f"{'':30} {'cases':>5} {'bits':>6} {'F1':>6} {'rules':>6} {'conds':>6} {'CPU s':>7} {'/IForest':>8}  against")
    for name, scores in by_name.items():
        mean = Score.mean(list(scores.values()))
        ratio = median_ratio({case: score.cpu for case, score in scores.items()}, yardstick)
        line = (
            f"{name:30} {len(scores):5} {mean.bits:6.3f} {mean.f1:6.3f} {mean.rules:6.1f} {mean.conditions:6.1f} "
            f"{mean.cpu:7.2f} {ratio:8.2f}"
        )
        found = None if name in peers else duel(bits[name], others)
        if found is not None:
            share = found.fewer / found.cases
            line += f"  {found.fewer} ({found.equal}) of {found.cases}, {share:.0%}; ratio {found.ratio:.3f}"
        print(line)
