"""Programs for HiGHS: columns by name, rows as sparse blocks, a call within the time, and what its answer proves."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from pyod_explain.solvers.deadline import Deadline

__all__ = ["Answer", "Program", "Relaxed", "Untimed"]

Floats = NDArray[np.float64]
Index = NDArray[np.intp]
Block = tuple[Index, Index, float | Floats]

READ = 5e-7  # seconds a nonzero in which HiGHS reads a program in and looks it over
LONG = 20.0  # seconds: with more of them, what HiGHS overruns is little beside what it may still find
LEAST_SECONDS = 0.05  # for one call: with no time at all HiGHS does not even begin


@dataclass(frozen=True, eq=False)
class Answer:
    """What HiGHS found and proved.

    Attributes
    ----------
    x : the solution, or None if none was found.
    bound : proved lower bound of the cost, or None.
    infeasible : whether it says that there is no solution.
    value : cost of the solution, if it was solved to the end; a program without whole numbers has no other bound.
    """

    x: Floats | None
    bound: float | None
    infeasible: bool
    value: float | None = None


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The solution of a program without whole numbers.

    Attributes
    ----------
    value : proved lower bound of its cost.
    x : the solution.
    at_zero, at_one : reduced costs: what the value grows by if a variable at 0 goes to 1, or one at 1 goes to 0.
    """

    value: float
    x: Floats
    at_zero: Floats
    at_one: Floats


@dataclass(frozen=True)
class Untimed:
    """Seconds that HiGHS may work on a program of some kind without looking at its clock, as measured.

    Attributes
    ----------
    each : for each nonzero ...
    most : ... but no more than this: where there is more time, it is worth the risk.

    Examples
    --------
    >>> Untimed(each=1e-5).of(500_000), Untimed(each=1e-5).of(5_000_000)
    (5.0, 10.0)
    """

    each: float
    most: float = 10.0

    def of(self, nonzeros: int) -> float:
        return min(self.each * nonzeros, self.most)

    def leaves_time(self, nonzeros: int, deadline: Deadline) -> bool:
        """Tell whether HiGHS can end in time."""
        return deadline.left > self.of(nonzeros)


class Program:
    """Minimise the cost of variables from 0 up, under rows `coefficients @ variables <= limit`.

    It is handed to HiGHS only where the time allows for what HiGHS does without looking at its clock.

    Examples
    --------
    Cover two outliers, the first by either tag, the second by the last one alone:

    >>> program = Program(Untimed(each=1e-5))
    >>> tags = program.columns("tags", 2, cost=1.0, whole=True)
    >>> program.add(2, -1.0, (np.array([0, 0, 1]), tags[[0, 1, 1]], -1.0))
    >>> answer = program.solve(Deadline.after(1.0))
    >>> answer.x.tolist(), answer.bound, answer.infeasible
    ([0.0, 1.0], 1.0, False)
    """

    def __init__(self, untimed: Untimed) -> None:
        self._untimed, self._took = untimed, 0.0
        self._named: dict[str, Index] = {}
        self.n_columns = 0
        self._cost: list[Floats] = [np.zeros(0)]
        self._upper: list[Floats] = [np.zeros(0)]
        self._whole: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        self._waiting: list[tuple[Index, Index, Floats]] = []
        self._n_built = self.n_rows = 0
        self._limit: list[Floats] = [np.zeros(0)]
        self._matrix: sp.csr_array | None = None

    def columns(
        self, name: str, n: int, *, cost: float | Floats = 0.0, upper: float = 1.0, whole: bool = False
    ) -> Index:
        """Add variables, and return their numbers; all of them before the first row is read."""
        self._named[name] = np.arange(self.n_columns, self.n_columns + n)
        self.n_columns += n
        self._cost.append(np.broadcast_to(np.asarray(cost, dtype=np.float64), n))
        self._upper.append(np.full(n, upper))
        self._whole.append(np.full(n, int(whole), dtype=np.int64))
        return self._named[name]

    def __getitem__(self, name: str) -> Index:
        """Return the numbers of the columns of this name."""
        return self._named[name]

    @property
    def cost(self) -> Floats:
        return np.concatenate(self._cost)

    @property
    def upper(self) -> Floats:
        return np.concatenate(self._upper)

    def forbid(self, which: NDArray[np.bool_]) -> None:
        """Hold variables at 0."""
        self._upper = [np.where(which, 0.0, self.upper)]

    def add(self, n_rows: int, limit: float | Floats, *blocks: Block) -> None:
        """Add rows; each block gives row numbers (from 0 in each call), columns and the coefficients there."""
        for row, column, value in blocks:
            number = np.broadcast_to(np.asarray(value, dtype=np.float64), len(row))
            self._waiting.append((row + self.n_rows - self._n_built, column, number))
        self._limit.append(np.broadcast_to(np.asarray(limit, dtype=np.float64), n_rows))
        self.n_rows += n_rows

    @property
    def matrix(self) -> sp.csr_array:
        """All rows; those that were added since it was last read are put below the others."""
        if self._matrix is None or self.n_rows > self._n_built:
            row, column, value = (np.concatenate(parts) for parts in zip(_NO_ENTRY, *self._waiting, strict=True))
            new = sp.csr_array((value, (row, column)), shape=(self.n_rows - self._n_built, self.n_columns))
            self._matrix = _narrow(new if self._matrix is None else sp.vstack([self._matrix, new], format="csr"))
            self._waiting, self._n_built = [], self.n_rows
        return self._matrix

    @property
    def limit(self) -> Floats:
        return np.concatenate(self._limit)

    def seconds(self, deadline: Deadline, share: float = 1.0) -> float | None:
        """Time to give to HiGHS, a share of what is left; None if it could not come to anything and end in time."""
        matrix = self.matrix  # first, for to build it takes time, too
        left, untimed = deadline.left, self._untimed.of(matrix.nnz)
        if left <= untimed:
            return None
        if left < LONG:
            left -= untimed  # it may come late
        reading = max(READ * matrix.nnz, self._took)
        seconds = share * left - reading
        return seconds if seconds > reading else None

    def solve(
        self,
        deadline: Deadline,
        *,
        share: float = 1.0,
        most: float = np.inf,
        gap: float = 0.0,
        cost: Floats | None = None,
        upper: Floats | None = None,
        row: tuple[Floats, float] | None = None,
        unit: float = 1.0,
    ) -> Answer:
        """Hand it to HiGHS, if there is time for that; nothing is found and proved if there is not.

        Parameters
        ----------
        share : of the time that is left, which HiGHS gets ...
        most : ... and the most seconds, even if that is more.
        gap : relative, at which HiGHS need not go on.
        cost, upper : instead of its own, for this call.
        row : coefficients and limit of one more row, for this call.
        unit : costs, and that row, are divided by it: HiGHS has absolute tolerances.
        """
        if (seconds := self.seconds(deadline, share)) is None:
            return Answer(None, None, infeasible=False)
        constraints = [LinearConstraint(self.matrix, -np.inf, self.limit)]
        if row is not None:
            constraints.append(LinearConstraint(_narrow(sp.csr_array(row[0][None, :] / unit)), -np.inf, row[1] / unit))
        answer = milp(
            (self.cost if cost is None else cost) / unit,
            constraints=constraints,
            bounds=Bounds(0.0, self.upper if upper is None else upper),
            integrality=np.concatenate(self._whole),
            options={"time_limit": max(min(seconds, most), LEAST_SECONDS), "mip_rel_gap": gap},
        )
        bound = answer.mip_dual_bound
        proved = None if bound is None or not np.isfinite(bound) else float(bound) * unit
        value = float(answer.fun) * unit if answer.status == 0 else None
        return Answer(answer.x, proved, answer.status == 2, value)

    def relax(self, deadline: Deadline, upper: Floats, *, share: float = 1.0) -> Relaxed | None:
        """Solve the linear relaxation, in a share of the time that is left; None if that did not end in time.

        HiGHS ends at a value that is right up to its tolerances. What counts here is what its prices of the rows prove:
        whatever they are, every solution costs at least what it costs with each row paid at its price.
        """
        if (seconds := self.seconds(deadline, share)) is None:
            return None
        cost, matrix, limit = self.cost, self.matrix, self.limit
        start = time.perf_counter()
        answer: Any = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
            cost,
            A_ub=matrix,
            b_ub=limit,
            bounds=np.column_stack([np.zeros(self.n_columns), upper]),
            method="highs-ipm",
            options={"time_limit": max(seconds, LEAST_SECONDS)},
        )
        # With whole numbers HiGHS begins likewise, and may not look at its clock before that is done.
        self._took = max(self._took, time.perf_counter() - start)
        if answer.status != 0:
            return None
        price = np.minimum(np.asarray(answer.ineqlin.marginals, dtype=np.float64), 0.0)
        rest = cost - matrix.T @ price
        value = float(price @ limit + np.where(rest > 0, 0.0, upper) @ rest)
        return Relaxed(value, answer.x, np.maximum(rest, 0.0), np.maximum(-rest, 0.0))


_NO_ENTRY = (np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0))


def _narrow(matrix: sp.csr_array) -> sp.csr_array:
    """Number its entries in 32 bits, the only way that HiGHS takes them in scipy before 1.15."""
    return sp.csr_array(
        (matrix.data, matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)), shape=matrix.shape
    )
