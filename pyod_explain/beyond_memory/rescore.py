"""`rescore_on_all_rows`: rules that were found on a sample, counted on all rows and selected again."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pyod_explain._arrays import FloatArray, IntArray
from pyod_explain._progress import Step, silent
from pyod_explain.beyond_memory.engines import Kernel
from pyod_explain.beyond_memory.kernels import CountKernel, SignatureKernel, Signatures
from pyod_explain.beyond_memory.population import Population
from pyod_explain.bits import unpack
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import group_bits, grouped_bits, tag_bits
from pyod_explain.explainers import Selection
from pyod_explain.growth import left_out_note, shorten
from pyod_explain.search import Counted, Found, rules_of
from pyod_explain.settings import Settings
from pyod_explain.tags import Condition, Tag, lifted

MAX_SHORTLIST = 256  # rules whose signatures are made, at most, beside those that were chosen on the sample
TAGS_PER_OUTLIER = 16  # rules that each outlier should have to choose from
MAX_OUTLIERS_CHECKED = 4_096  # outliers that are looked at for that


def rescore_on_all_rows(found: Found, settings: Settings, population: Population, step: Step = silent) -> Found:
    """Choose again among what was found on a sample, by counts of all rows.

    Parameters
    ----------
    found : what a search found on the kept rows, each normal one of which stood for several.
    settings : how it was searched.
    population : all rows.
    step : called with the progress.
    """
    begun = time.perf_counter()
    count = _Counter(population, step)
    if not found.tags.tags:
        return _estimated(found, population, begun, _note(population, 0))
    tags, conditions = found.tags, _conditions(found.tags.tags)
    counts = count.normals((*tags.tags, *(Tag.of(one) for one in conditions)))
    met = dict(zip(conditions, counts[len(tags.tags) :].tolist(), strict=True))
    best = shortlist(found, counts[: len(tags.tags)], population.n_normals, settings.explainer.min_lift)
    if not best:  # nothing is more frequent among outliers, as all rows tell, and nothing was chosen
        return _estimated(found, population, begun, _note(population, 0))
    signatures = count.signatures([tags.tags[j] for j in best], n_required=len(_used(found.selection)))
    if signatures.overflowed:
        return _estimated(found, population, begun, _on_estimates(population))
    exact = _simplify(settings, found, _choose(settings, found, best[: signatures.n_tags], signatures), count)
    missing = [one for one in _conditions([exact.tags.tags[j] for j in _used(exact.selection)]) if one not in met]
    if missing:  # shortened lists of values, which nobody had counted
        met.update(zip(missing, count.normals([Tag.of(one) for one in missing]).tolist(), strict=True))
    n_normals = max(population.n_normals, 1)
    counted = Counted(population.n_rows, len(tags.tags), {one: n / n_normals for one, n in met.items()})
    notes = (*tags.notes, *exact.selection.notes, _note(population, signatures.n_tags))
    timings = {**found.timings, "counting": time.perf_counter() - begun}
    return replace(exact, notes=notes, timings=timings, counted=counted)


@dataclass(frozen=True, eq=False)
class _Counter:
    """Counts normal rows: all rows, less those that are not normal, which were kept.

    So nobody has to be asked again which rows are outliers.
    """

    population: Population
    step: Step

    def normals(self, tags: Sequence[Tag]) -> IntArray:
        """Count the normal rows that have each tag."""
        found: IntArray = self._count(CountKernel(tuple(tags)))
        return found

    def signatures(self, tags: Sequence[Tag], n_required: int) -> Signatures:
        """Find out which of the tags normal rows have together; at least the first ones, as long as that is few."""
        found: Signatures = self._count(SignatureKernel(tuple(tags), n_required))
        return found

    def _count(self, kernel: Kernel[Any]) -> Any:
        population = self.population
        found, n_rows = population.engine.total(kernel, population.source, self.step)
        if n_rows != population.n_rows:
            raise population.source.changed(f"gave {population.n_rows:,} rows at first and {n_rows:,} later")
        if population.non_normal is None:
            return found
        normals = found - kernel(population.non_normal)
        if (getattr(normals, "counts", normals) < 0).any():
            raise population.source.changed("lacked rows later that it gave at first")
        return normals


def shortlist(on_sample: Any, normals: IntArray, n_normals: int, min_lift: float) -> list[int]:
    """Give the tags worth choosing from, by what each saves alone: those that were chosen first, then the best.

    A rule for a small kind of outlier saves few bits and is still needed, so tags come first that have outliers of
    which fewer than sixteen better ones are on the list.

    Parameters
    ----------
    on_sample : has the `coverage` and the `selection`, whose counts of outliers are exact.
    normals, n_normals : how many normals have each tag, and how many there are.
    min_lift : as for the explainer.
    """
    coverage: Coverage = on_sample.coverage
    essential = _used(on_sample.selection)
    worth = _worth(coverage, normals, n_normals, min_lift)
    order = [j for j in np.argsort(-worth, kind="stable").tolist() if worth[j] > -math.inf]
    words = coverage.compact_outlier_bits
    width = words.shape[1]
    some = np.unique(np.linspace(0, width - 1, min(width, MAX_OUTLIERS_CHECKED // 64)).astype(np.intp))
    depth = np.zeros(64 * len(some), dtype=np.int64)
    needed = []
    for j in order:
        having = unpack(words[j, some], len(depth))
        if (depth[having] < TAGS_PER_OUTLIER).any():
            needed.append(j)
        depth[having] += 1
    return list(dict.fromkeys([*essential, *needed, *order]))[: MAX_SHORTLIST + len(essential)]


def _worth(coverage: Coverage, normals: IntArray, n_normals: int, min_lift: float) -> FloatArray:
    """Bits that each tag alone saves the group that it saves most; minus infinity if it may describe none."""
    price, inside = tag_bits(coverage), coverage.group_counts
    best = np.full(coverage.n_tags, -math.inf)
    for k, size in enumerate(coverage.group_sizes.tolist()):
        own = inside[k]
        how = {"size": size, "n_rows": n_normals + coverage.n_outliers}
        empty = group_bits(missed=size, normals=0, foreign=0, **how)
        wrong = group_bits(missed=size - own, normals=normals, foreign=coverage.outlier_counts - own, **how)
        allowed = lifted(own, size, normals, n_normals, min_lift) if min_lift else own > 0
        best = np.where(allowed, np.maximum(best, empty - price - wrong), best)
    return best


def _choose(settings: Settings, on_sample: Found, best: Sequence[int], signatures: Signatures) -> Found:
    """Choose on exact counts; what was chosen on the sample stays if it is better."""
    coverage = _of_all(on_sample.coverage.take(best), signatures)
    short = replace(on_sample.tags, tags=tuple(on_sample.tags.tags[j] for j in best))
    place = {j: i for i, j in enumerate(best)}
    before = tuple(tuple(place[j] for j in one) for one in on_sample.selection.tags)
    if settings.known or settings.new:  # what was chosen beside them is counted, and not chosen again
        return replace(on_sample, tags=short, coverage=coverage, selection=replace(on_sample.selection, tags=before))
    selection = settings.explainer.select(coverage)
    if settings.minimises_bits:
        old = replace(on_sample.selection, tags=before, objective=grouped_bits(coverage, before))
        if old.objective < selection.objective:
            selection = replace(old, notes=selection.notes)
    return replace(on_sample, tags=short, coverage=coverage, selection=selection)


def _simplify(settings: Settings, on_sample: Found, chosen: Found, count: _Counter) -> Found:
    """Leave out what saves little, as the sample tells; what is left is counted on all rows."""
    if not settings.detail or not settings.minimises_bits or settings.known or settings.new:
        return chosen
    place = {tag: j for j, tag in enumerate(on_sample.tags.tags)}
    local = on_sample.coverage.take([place[tag] for tag in chosen.tags.tags])
    sampled = replace(chosen.selection, objective=grouped_bits(local, chosen.selection.tags))
    share, min_lift = settings.detail, settings.explainer.min_lift
    tags, local, shorter = shorten(on_sample.table, chosen.tags, local, sampled, share=share, min_lift=min_lift)
    if shorter is sampled:
        return chosen
    final = list(dict.fromkeys([*_used(shorter), *_used(chosen.selection)]))
    few = replace(tags, tags=tuple(tags.tags[j] for j in final))
    signatures = count.signatures(few.tags, n_required=len(final))
    if signatures.overflowed:
        return chosen
    coverage = _of_all(local.take(final), signatures)
    at = {j: i for i, j in enumerate(final)}
    after, before = (tuple(tuple(at[j] for j in one) for one in which.tags) for which in (shorter, chosen.selection))
    allowed = coverage.eligible(settings.explainer.min_lift)
    if not all(allowed[k, j] for k, one in enumerate(after) for j in one):
        return chosen  # a rule that lost its lift, as all rows tell
    objective = grouped_bits(coverage, after)
    rules, brief = (tuple(map(tuple, rules_of(replace(shorter, tags=one), few))) for one in (before, after))
    note = left_out_note(rules, brief, objective - grouped_bits(coverage, before))
    selection = replace(chosen.selection, tags=after, objective=objective, notes=(*chosen.selection.notes, note))
    return replace(chosen, tags=few, coverage=coverage, selection=selection)


def _of_all(local: Coverage, signatures: Signatures) -> Coverage:
    """Put the normals of the population in the place of those of the sample: a line for each signature."""
    counts = signatures.counts
    return replace(local, normal_bits=signatures.bits(), normal_rows=np.arange(len(counts)), normal_row_counts=counts)


def _estimated(found: Found, population: Population, begun: float, note: str) -> Found:
    """Give what was found on the sample; its normals stand for all, so that their number is right."""
    n_lines = len(found.coverage.normal_rows)
    each, left_over = divmod(population.n_normals, max(n_lines, 1))
    coverage = replace(found.coverage, normal_row_counts=each + (np.arange(n_lines, dtype=np.int64) < left_over))
    timings = {**found.timings, "counting": time.perf_counter() - begun}
    counted = Counted(population.n_rows, len(found.tags.tags), {})
    return replace(found, coverage=coverage, notes=(*found.notes, note), timings=timings, counted=counted)


def _on_estimates(population: Population) -> str:
    """Say how far counts of the sample may be off."""
    error = 100 * 0.5 / math.sqrt(max(population.n_sampled, 1))
    return (
        f"The chosen rules have too many combinations among the {population.n_normals:,} normal rows to be counted "
        f"together, so all counts of normals are estimates from a sample of {population.n_sampled:,}: the standard "
        f"error of a share is at most {error:.2g} percent of the normals."
    )


def _note(population: Population, n_short: int) -> str:
    some = f"{population.n_sampled:,} of the {population.n_normals:,} normal rows"
    searched = f"Rules were looked for among all outliers and a sample of {some}; "
    if not n_short:
        return f"{searched}none was worth counting on all {population.n_rows:,} rows."
    return (
        f"{searched}the best {n_short:,} were then chosen from, and counted, on all {population.n_rows:,} rows. "
        "Ranges of values, and what is left out for brevity, are by the sample."
    )


def _used(selection: Selection) -> list[int]:
    return list(dict.fromkeys(j for one in selection.tags for j in one))


def _conditions(tags: Sequence[Tag]) -> list[Condition]:
    return list(dict.fromkeys(one for tag in tags for one in tag.sorted))
