"""From a search to a Summary: every figure of a report is counted here, once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pyod_explain._arrays import FloatArray, IndexArray
from pyod_explain.coverage import Coverage
from pyod_explain.description_length import grouped_bits, mdl_of_group, named_bits, set_bits
from pyod_explain.input import Outliers, Table, by_content, draw_rows, sample_rows
from pyod_explain.metrics import measure
from pyod_explain.result.extremes import UnexplainedRow, find_extremes, relations_of
from pyod_explain.result.group import GroupExplanation, Rule
from pyod_explain.result.profiles import Normals, all_facts, profiles
from pyod_explain.result.provenance import versions
from pyod_explain.result.significance import DistinctRules, p_value
from pyod_explain.result.summary import Summary
from pyod_explain.search import Found
from pyod_explain.tags import Condition, Tag

MAX_NORMAL_ROWS, MAX_NORMAL_CELLS = 500, 20_000  # of normal rows that are kept
MAX_UNEXPLAINED = 1_000  # outliers that no rule covers, in which what is extreme is told


def _order_tags(coverage: Coverage, group: int, chosen: Sequence[int], tags: Sequence[Tag]) -> list[tuple[int, int]]:
    """Order the tags of a group: each with the number of outliers of the group that no tag above it has.

    Of tags that add as many, the one that adds fewer normals comes first, then the shorter one, then by text. The order
    is the same whichever solver chose them, and in whatever order.

    Parameters
    ----------
    coverage : which row has which tag.
    group : 0-based.
    chosen : the tags that describe the group.
    tags : all tags.

    Examples
    --------
    The second tag has two outliers of the group, one of which the first has:

    >>> from pyod_explain import Condition
    >>> coverage = Coverage.from_dense([[1, 0], [1, 1], [0, 1], [0, 1], *[[0, 0]] * 5], [1, 1, 1, 1, *[0] * 5])
    >>> _order_tags(coverage, 0, [0, 1], [Tag.of(Condition("x", "==", v)) for v in "ab"])
    [(1, 3), (0, 1)]
    """
    left = list(chosen)
    plainness = {j: (len(tags[j]), str(tags[j])) for j in chosen}
    own = coverage.outlier_bits[:, coverage.slices[group]]
    covered = np.zeros(own.shape[1], dtype=np.uint64)
    result: list[tuple[int, int]] = []
    while left:
        added = coverage.count_group(own[left] & ~covered, group)
        best = [left[i] for i in np.flatnonzero(added == added.max())]
        if len(best) > 1:
            matched = coverage.normals_with(j for j, _ in result)
            new = dict(zip(best, coverage.count_normals(coverage.normal_bits[best] & ~matched).tolist(), strict=True))
            best.sort(key=lambda j: (new[j], *plainness[j]))
        result.append((best[0], int(added.max())))
        covered |= own[best[0]]
        left.remove(best[0])
    return result


def collect(found: Found, outliers: Outliers, parameters: Mapping[str, str]) -> Summary:
    """Count what the chosen tags cover and put it beside where it came from."""
    table, groups, tags = found.table, found.groups, found.tags
    coverage, selection = found.coverage, found.selection
    metrics = measure(coverage, selection.tags)
    distinct = DistinctRules(table)
    counted = found.counted
    # Of a population the coverage has no rows: what is said of values is of the sample that was kept.
    rows = coverage.normal_rows if counted is None else np.flatnonzero(groups.numbers == 0)
    normals = Normals(table, rows, {} if counted is None else counted.shares)
    unexplained = _unexplained(found, rows, outliers.scores)
    described = tuple(
        replace(_describe(k, chosen, found, metrics[k], distinct, normals), extremes=unexplained[k])
        for k, chosen in enumerate(selection.tags)
    )
    covers = enumerate(coverage.own_and_foreign(selection.tags))
    matched = coverage.normals_with(j for chosen in selection.tags for j in chosen)
    used = [rule.tag for group in described for rule in group.rules]
    return Summary(
        detector=outliers.source,
        grouping=groups.how,
        groups=described,
        n_rows=table.total_rows if counted is None else counted.n_rows,
        n_lines=outliers.n_lines,
        n_normals=coverage.n_normals,
        n_normals_matched=int(coverage.count_normals(matched)),
        n_matched_by_other_group=sum(int(coverage.count_group(theirs & ~own, k)) for k, (own, theirs) in covers),
        n_tags=coverage.n_tags if counted is None else counted.n_tags,
        n_items=tags.n_items,
        mdl=sum(group.metrics["MDL"] for group in described),
        mdl_empty=sum(group.mdl_empty for group in described),
        bits=set_bits(coverage, selection.tags),
        bits_named=named_bits(coverage),
        bits_groups=grouped_bits(coverage, selection.tags),
        groups_made=groups.made,
        method=selection.method,
        solver=selection.solver,
        status=selection.status,
        objective=float(selection.objective),
        bound=None if selection.bound is None else float(selection.bound),
        group_curve=() if groups.curve is None else tuple(groups.curve.itertuples(name=None)),
        columns=tuple(all_facts(used, normals)),
        notes=(*outliers.notes, *found.notes),
        parameters=dict(parameters),
        versions=versions(),
        timings=dict(found.timings),
        cells=replace(table, sampled=False).take(outlier_rows(found)),
        normal_cells=_sample_normals(table, rows),
    )


def outlier_rows(found: Found) -> IndexArray:
    """Give the outliers' positions, group after group as in the user's table."""
    return np.concatenate([np.sort(members) for members in found.coverage.group_rows])


def _sample_normals(table: Table, rows: IndexArray) -> Table:
    """Sample the normal rows; of an aggregated table the rows that its lines stand for."""
    most = min(MAX_NORMAL_ROWS, MAX_NORMAL_CELLS // max(len(table.columns), 1))
    if table.row_counts is None or table.sampled:
        return replace(table, row_counts=None, sampled=False).take(sample_rows(table, rows, most, random_state=0))
    rows = by_content(table, rows)
    counts = table.row_counts[rows]
    drawn = draw_rows(counts, min(most, int(counts.sum())), np.random.default_rng(0))
    return replace(table.take(rows[drawn > 0]), row_counts=drawn[drawn > 0])


def _unexplained(found: Found, normals: IndexArray, scores: FloatArray | None) -> list[tuple[UnexplainedRow, ...]]:
    """Give what is extreme in the outliers that no rule of their group covers, by group, the strangest first."""
    coverage, table = found.coverage, found.table
    covers = [coverage.outlier_mask(coverage.outliers_with(chosen), k) for k, chosen in enumerate(found.selection.tags)]
    rows = np.concatenate([members[~own] for members, own in zip(coverage.group_rows, covers, strict=True)])
    names = list(map(str, table.index[rows].tolist()))  # equal rows come in the order of their labels
    rows = by_content(table, rows[sorted(range(len(rows)), key=names.__getitem__)])
    if scores is not None:
        rows = rows[np.argsort(-scores[rows], kind="stable")]
    rows = rows[:MAX_UNEXPLAINED]
    pairs = list(
        zip(
            rows.tolist(),
            find_extremes(table, normals, rows, relations_of([*itertools.chain(*found.rules), *found.tags.tags])),
            strict=True,
        )
    )
    if scores is None:
        pairs.sort(key=lambda pair: (pair[1][0].share, -pair[1][0].distance) if pair[1] else (1.0, 0.0))
    places = [{row: i for i, row in enumerate(np.sort(members).tolist())} for members in coverage.group_rows]
    return [tuple(UnexplainedRow(at[row], told) for row, told in pairs if row in at) for at in places]


def collect_nothing(
    table: Table, outliers: Outliers, parameters: Mapping[str, str], n_rows: int | None = None
) -> Summary:
    """Make the summary of a table without outliers: it says so."""
    neither = int((outliers.labels == -1).sum())
    return Summary(
        detector=outliers.source,
        grouping="none",
        groups=(),
        n_rows=table.total_rows if n_rows is None else n_rows,
        n_lines=outliers.n_lines,
        n_normals=outliers.n_normals(table) if n_rows is None else n_rows - neither,
        notes=outliers.notes,
        parameters=dict(parameters),
        versions=versions(),
    )


def _describe(
    k: int, chosen: Sequence[int], found: Found, metrics: Mapping[str, float], distinct: DistinctRules, normals: Normals
) -> GroupExplanation:
    coverage, tags = found.coverage, found.tags.tags
    covered = coverage.outliers_with(chosen)
    own = coverage.outlier_mask(covered, k)
    n_own = int(coverage.count_group(covered[coverage.slices[k]], k))
    members, labels = coverage.group_rows[k], normals.table.index
    ordered = _order_tags(coverage, k, chosen, tags)
    rules = tuple(_rule(k, j, n_added, found, distinct) for j, n_added in ordered)
    return GroupExplanation(
        number=k + 1,
        name=found.groups.names[k],
        rest=found.groups.rest and k + 1 == found.groups.n_groups,
        size=int(coverage.group_sizes[k]),
        rows=tuple(labels[np.sort(members)].tolist()),
        rules=rules,
        uncovered=tuple(labels[np.sort(members[~own])].tolist()),
        n_explained=n_own,
        n_normals=int(coverage.count_normals(coverage.normals_with(chosen))),
        n_others=int(coverage.count_outliers(covered)) - n_own,
        metrics=metrics,
        mdl_empty=mdl_of_group(coverage, k, ()),
        profiles=tuple(profiles([rule.tag for rule in rules], members, normals)),
    )


def _rule(k: int, j: int, n_added: int, found: Found, distinct: DistinctRules) -> Rule:
    coverage, tag = found.coverage, found.tags.tags[j]
    inside, sizes, made = coverage.group_counts[:, j], coverage.group_sizes, found.groups.made
    own, others, normals = int(inside[k]), int(inside.sum() - inside[k]), int(coverage.normal_counts[j])
    # Groups that were made by looking at the columns are described by these columns whatever the rows are. So the test
    # is then whether outliers, of whatever group, match more often than normals: that does not depend on the split.
    matching, drawn = (own + others, int(sizes.sum())) if made else (own, int(sizes[k]))
    known = tag in found.known  # not searched for among these rows, so that as many were tried as were known
    log_count = distinct.log_count(tag, drawn) + (0 if made else float(np.log(len(sizes))))
    log_count = float(np.log(len(found.known))) if known else log_count
    ends = [c for c in tag.sorted if c.op == "<=" and found.counted is None]  # of a sample nobody knows the least value
    below = {c: Condition(c.column, "<", c.value).holds(found.table[c.column]) for c in ends}
    return Rule(
        tag=tag,
        group=k + 1,
        n_outliers=own,
        n_normals=normals,
        n_others=others,
        group_size=int(sizes[k]),
        total_normals=coverage.n_normals,
        p_value=p_value(matching, normals, drawn, coverage.n_normals, log_count),
        n_added=n_added,
        log_rules=log_count,
        known=known,
        least=tuple(c for c in ends if not below[c].any()),
    )
