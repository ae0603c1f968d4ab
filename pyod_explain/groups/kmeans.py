"""Outliers as points, and points into clusters.

Numbers are scaled, and categories become 0/1 flags, which are never written out where they are many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from threadpoolctl import ThreadpoolController

from pyod_explain._arrays import BoolArray, FloatArray, IndexArray, IntArray
from pyod_explain.exceptions import ParameterError
from pyod_explain.input import Column, Table, robust_scale

MAX_DIRECTIONS = 24  # that k-means works in
MAX_DENSE_COORDINATES = 500  # whose covariances are decomposed as they are; that of 4,000 would take 20 s and 640 MB
SPARE_DIRECTIONS, N_POWER_STEPS = 10, 7  # directions followed beside those asked for, and steps towards the longest
MAX_CATEGORIES = 40  # values of a categorical column that get a coordinate of their own


def embed(table: Table, rows: IndexArray) -> FloatArray:
    """Place the given rows in a space where k-means makes sense.

    Numbers are centred and scaled by the whole table's median and quartiles and compressed (arcsinh), so that one
    extreme value does not decide everything; categories and missing cells become 0/1 columns.
    """
    return Points.of(table, rows).dense()


def main_directions(table: Table, rows: IndexArray) -> FloatArray:
    """Place the given rows as `embed` does, along the few directions in which they vary most.

    The many coordinates, mostly 0/1 columns of rare values, are never written out where they are many. Equal rows that
    stand next to each other get the same place, to the last digit.
    """
    points = Points.of(table, rows)
    if min(points.total_rows, points.shape[1]) <= MAX_DIRECTIONS:
        return points.dense()
    moved = points.along_covariance() if points.shape[1] <= MAX_DENSE_COORDINATES else points.along_span()
    return moved[first_of_runs(points.starts())]


@dataclass(frozen=True, eq=False)
class Points:
    """Rows as points: the coordinates of numbers, and the 0/1 coordinates, of which most are 0.

    Attributes
    ----------
    numbers : a row per point, a column per ordered column of the table.
    flags : a row per point, a column per value of a category or kind of gap.
    row_counts : how many rows each point stands for; None where each is one.
    """

    numbers: FloatArray
    flags: sparse.csr_array
    row_counts: IntArray | None = None

    @classmethod
    def of(cls, table: Table, rows: IndexArray) -> Points:
        """Place the given rows: see `embed`."""
        columns = table.columns.values()
        row_counts = table.row_counts
        scaled = [_scaled(column, rows, row_counts) for column in columns if column.has_order]
        numbers = np.array(scaled).T.reshape(len(rows), len(scaled))
        width, at_row, at_column = 0, [np.empty(0, np.intp)], [np.empty(0, np.intp)]
        for column in columns:
            for places in _flags(column, rows, row_counts):  # for each point its place, or -1 for none
                marked = np.flatnonzero(places >= 0)
                at_row.append(marked)
                at_column.append(places[marked] + width)
                width += int(places.max(initial=-1)) + 1
        where = (np.concatenate(at_row), np.concatenate(at_column))
        flags = sparse.csr_array((np.ones(len(where[0])), where), shape=(len(rows), width))
        return cls(numbers, flags, None if row_counts is None else row_counts[rows])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.numbers), self.numbers.shape[1] + int(self.flags.shape[1])

    @property
    def total_rows(self) -> int:
        return len(self.numbers) if self.row_counts is None else int(self.row_counts.sum())

    def starts(self) -> BoolArray:
        """Tell which points are other than the one before them."""
        other = (self.numbers[1:] != self.numbers[:-1]).any(axis=1)
        other |= np.diff((self.flags[1:] - self.flags[:-1]).tocsr().indptr) > 0 if self.flags.shape[1] else False
        return np.append(True, other)

    def dense(self) -> FloatArray:
        """Write all coordinates out; at least one, so that points of no column are points."""
        both = np.hstack([self.numbers, self.flags.toarray()])
        return both if both.shape[1] else np.zeros((len(both), 1))

    def along_covariance(self) -> FloatArray:
        """Find the directions among the coordinates: the longest axes of their covariances."""
        n_points, n_numbers = self.total_rows, self.numbers.shape[1]
        numbers, flags = self.numbers, self.flags
        if self.row_counts is not None:
            numbers, flags = numbers * self.row_counts[:, None], flags.multiply(self.row_counts[:, None]).tocsr()
        mixed = np.asarray(flags.T @ self.numbers)
        squares = np.block([[numbers.T @ self.numbers, mixed.T], [mixed, (flags.T @ self.flags).toarray()]])
        middle = np.concatenate([numbers.sum(axis=0), np.asarray(flags.sum(axis=0))]) / n_points
        axes = np.linalg.eigh(squares - n_points * np.outer(middle, middle))[1][:, : -MAX_DIRECTIONS - 1 : -1]
        return np.asarray(self.numbers @ axes[:n_numbers] + self.flags @ axes[n_numbers:] - middle @ axes)

    def along_span(self) -> FloatArray:
        """Find them among the points: what they span is all that matters, however many the coordinates.

        Any few directions, multiplied again and again by the points' products with one another, turn towards the
        longest axes (block power iteration; Halko, Martinsson and Tropp 2011). Exact for up to 34 points.
        """
        n_followed = min(MAX_DIRECTIONS + SPARE_DIRECTIONS, len(self.numbers))
        found = np.random.default_rng(0).normal(size=(len(self.numbers), n_followed))
        for _ in range(N_POWER_STEPS):
            found = np.linalg.qr(self._products(found))[0]
        lengths, axes = np.linalg.eigh(found.T @ self._products(found))
        longest = slice(None, -MAX_DIRECTIONS - 1, -1)
        return np.asarray(found @ axes[:, longest] * np.sqrt(np.maximum(lengths[longest], 0.0)) / self._root)

    def _products(self, directions: FloatArray) -> FloatArray:
        """Multiply by the centred points' inner products, without writing these down."""
        centred = self._root * self._centred(directions)
        mixed = self.numbers @ (self.numbers.T @ centred) + self.flags @ (self.flags.T @ centred)
        return self._centred(self._root * mixed)

    @property
    def _root(self) -> FloatArray:
        """A point that stands for c rows counts in products as one that is the square root of c times as long."""
        return np.ones((len(self.numbers), 1)) if self.row_counts is None else np.sqrt(self.row_counts)[:, None]

    def _centred(self, directions: FloatArray) -> FloatArray:
        root = self._root
        return np.asarray(directions - root * ((root * directions).sum(axis=0) / self.total_rows))


def _flags(column: Column, rows: IndexArray, row_counts: IntArray | None) -> Iterator[IndexArray]:
    """Give which of a column's 0/1 coordinates is 1 for each row, -1 for none: its value, and whether it has one."""
    missing = column.missing[rows]
    if not column.has_order:
        codes = column.values[rows]
        there = codes >= 0
        present, which = np.unique(codes[there], return_inverse=True)
        counts = np.bincount(which, None if row_counts is None else row_counts[rows][there], minlength=len(present))
        kept = np.sort(present[np.argsort(-counts, kind="stable")[:MAX_CATEGORIES]])
        place = np.searchsorted(kept, codes)
        known = (codes >= 0) & (place < len(kept))
        known[known] = kept[place[known]] == codes[known]
        yield np.where(known, place, -1)
    if missing.any() and not missing.all():
        yield np.where(missing, 0, -1)


def _scaled(column: Column, rows: IndexArray, row_counts: IntArray | None) -> FloatArray:
    values = column.floats()
    known = values[~column.missing]
    if not len(known):
        return np.zeros(len(rows))
    largest = float(np.abs(known).max())
    if largest > 1e100:  # first, so that no difference overflows
        values, known = values / largest, known / largest
    middle, scale = robust_scale(known, None if row_counts is None else row_counts[~column.missing])
    return np.where(column.missing[rows], 0.0, np.arcsinh((values[rows] - middle) / scale))


def first_of_runs(new: BoolArray) -> IndexArray:
    """Give for each row where its run starts; a run starts where `new` is True."""
    return np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))


def kmeans(points: FloatArray, n_groups: int, random_state: Any, row_counts: IntArray | None = None) -> IntArray:
    """Cluster the points; fewer distinct points than groups give fewer clusters.

    Distinct as far as k-means can see: it works with squared distances, in which points closer than about 1e-8 of the
    whole extent are one. So they are rounded before they are counted. Equal points that stand next to each other share
    a cluster. Without that a tie between two centres could part them, by the last digit of a distance, which is not the
    same in every row of a matrix.

    Points that stand for many rows give the clusters that repeated ones would, as far as sums of floats allow:
    scikit-learn draws the first centres by weight, and only the spread of the points, by which it tells that the
    centres have come to rest, is weighed here.
    """
    points = np.round(points / (float(np.abs(points).max(initial=0.0)) or 1.0), 6)
    model = KMeans(min(n_groups, len(np.unique(points, axis=0))), n_init=4, random_state=random_state)
    if row_counts is not None:
        middle = np.average(points, axis=0, weights=row_counts)
        weighed = float(np.average((points - middle) ** 2, axis=0, weights=row_counts).mean())
        plain = float(np.var(points, axis=0).mean())
        model.set_params(tol=model.tol * (weighed / plain if plain else 1.0))
    weights = {} if row_counts is None else {"sample_weight": row_counts}
    with _threads().limit(limits=1):  # for so few points threads cost more than they bring; the answer is that of one
        found = np.asarray(model.fit_predict(points, **weights), dtype=np.int64)
    return found[first_of_runs(np.append(True, (points[1:] != points[:-1]).any(axis=1)))]


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()  # finding the libraries takes some milliseconds


def ask_clusterer(clusterer: Any, points: FloatArray) -> NDArray[Any]:
    """Ask the user's clusterer; a copy of it, so that theirs stays as it is."""
    name = type(clusterer).__name__
    try:
        clusters = np.asarray(clone(clusterer).fit_predict(points))
    except Exception as error:
        requirement = f"a clusterer that can split the {len(points):,} outliers"
        hint = "a smaller number of clusters, or groups='kmeans'."
        got = f"{name}, which failed with {type(error).__name__}: {error}"
        raise ParameterError("groups", requirement, got_text=got, hint=hint) from error
    if clusters.shape != (len(points),):
        got = f"shape {clusters.shape} from {name} for {len(points):,} outliers"
        raise ParameterError("groups", "a clusterer that gives one label per row", got_text=got)
    if n_missing := int(pd.isna(clusters).sum()):
        got, hint = f"{n_missing:,} missing labels from {name}", "-1 marks those that belong to no cluster."
        raise ParameterError("groups", "a clusterer that gives every outlier a label", got_text=got, hint=hint)
    return clusters
