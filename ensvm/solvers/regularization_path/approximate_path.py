"""An approximate regularization path with a proof: few machines that serve every C.

The machine of C minimises P_C(f, b) = |f|^2 / 2 + C sum_i w_i [1 - y_i (f(x_i) + b)]_+. The dual
objective is D(alpha) = sum alpha - |f_alpha|^2 / 2 with f_alpha = sum_i y_i alpha_i k(x_i, .), over
0 <= alpha_i <= C w_i and y'alpha = 0. D never exceeds the least P_C, so the duality gap P_C - D
bounds what a machine loses. Take alpha at C, its f and b, q = |f|^2, h = C sum_i w_i [...]_+ and
the gap g = q / 2 + h - (sum alpha - q / 2), so that sum alpha = q + h - g. At the price s C the
multipliers s alpha are feasible, and the same f and b have

    P(s) = q / 2 + s h,    D(s) = s sum alpha - s^2 q / 2,
    P(s) - D(s) = (1 - s)^2 q / 2 + s g.

The gap is at most tol P(s) if (1 - s)^2 q / 2 + s g <= tol (q / 2 + s h). This is quadratic in s;
its roots are the ends of an interval around 1 if g < tol (q / 2 + h). So one machine, unchanged, is
within tol of the optimum for all C of an interval. The path is a chain of such intervals without a
hole. The relative gap is a convex quadratic divided by a positive line, thus quasi-convex: its
largest value on an interval is at one of the ends.

Small C need no machine. Take a_i = w_i in the class of smaller weight W, and the same total spread
over the other class. Then f = 0 with the label of the larger class has P = 2 W C, and
D(C a) = 2 W C - C^2 |f_a|^2 / 2: the gap is at most tol P up to C = 4 tol W / |f_a|^2.

The number of machines depends on tol and on the logarithm of the range of C, not on the rows
(Giesen, Jaggi & Laue 2012). Each starts from the multipliers of the one before, scaled; the steps
are those of `sequential_minimal_optimization`.

Reference: Giesen, Jaggi & Laue, Approximating parameterized convex optimization problems, ACM
Transactions on Algorithms 9, 2012.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ensvm.array_types import Vector
from ensvm.solvers.regularization_path.path import MachinesOfPath, checked_problem
from ensvm.solvers.sequential_minimal_optimization import MAX_ITER, duality_gap, minimise

__all__ = ["ApproximatePath", "approximate_regularization_path"]

# Each machine is solved to this part of tol: the rest of tol is for its interval.
SOLVED_PART = 0.3
OVERLAP = 0.9  # of the expected distance (in log C) to the next machine, so that intervals join


@dataclass(frozen=True, eq=False)
class ApproximatePath(MachinesOfPath):
    """Machines within tol of the optimum for every C; made by `approximate_regularization_path`.

    Attributes
    ----------
    labels : ndarray of shape (m,)
        The labels, -1 and +1.
    upper : ndarray of shape (m,)
        The weight of each point: its alpha is at most C times that.
    Cs : ndarray of shape (n_pieces,)
        The C that each machine was trained for, rising. The first machine is f = 0.
    ends : ndarray of shape (n_pieces,)
        The largest C that each machine serves; it serves all from the end of the one before, the
        first all from 0.
    coefficients : ndarray of shape (n_pieces, m)
        The multipliers alpha of each machine.
    intercepts : ndarray of shape (n_pieces,)
        The intercepts.
    certificate : float
        The largest duality gap, as a part of the primal objective, that is proved on the path.
    n_iter : int
        The steps of all machines.
    converged : bool
        Whether the path reached C_max with `certificate` at most tol.
    fit_intercept : bool
        Whether the machines have an intercept: always true.
    """

    labels: Vector
    upper: Vector
    Cs: Vector
    ends: Vector
    coefficients: Vector
    intercepts: Vector
    certificate: float
    n_iter: int
    converged: bool
    fit_intercept: ClassVar[bool] = True

    @property
    def lambdas(self) -> Vector:
        """The regularization 1 / C of each machine, falling."""
        return 1.0 / self.Cs

    def _machine_at(self, C: float) -> tuple[Vector, float]:
        if not 0.0 < C <= self.ends[-1]:
            raise ValueError(f"C must be positive and at most {self.ends[-1]:.6g}, got {C!r}")
        piece = int(np.searchsorted(self.ends, C))
        return self.coefficients[piece], float(self.intercepts[piece])

    def staged_decision_function(self, cross_gram: ArrayLike) -> Iterator[Vector]:
        """Yield the decision values of n points by every machine, in ascending order of C.

        Parameters
        ----------
        cross_gram : array of shape (n, m)
            The kernel values between the n points and the training rows.

        Yields
        ------
        ndarray of shape (n,)
            The values f(x) of the points.
        """
        values = np.asarray(cross_gram) @ (self.labels * self.coefficients).T + self.intercepts
        yield from values.T


class _Piece(NamedTuple):
    """A machine, and the C between which it is within tol of the optimum."""

    C: float
    low: float
    high: float
    squared_norm: float
    hinge: float
    gap: float
    signed: Vector
    residual: Vector
    intercept: float
    steps: int

    def relative_gap(self, C: float) -> float:
        """Return the proved gap of this machine at a C, as a part of its primal objective."""
        s = C / self.C
        primal = 0.5 * self.squared_norm + s * self.hinge
        return (0.5 * (1.0 - s) ** 2 * self.squared_norm + s * self.gap) / primal


def approximate_regularization_path(
    gram: ArrayLike,
    y: ArrayLike,
    *,
    tol: float = 0.1,
    sample_weight: ArrayLike | None = None,
    C_max: float = 1e4,
    max_iter: int = MAX_ITER,
) -> ApproximatePath:
    """Return machines such that each C in (0, C_max] has one whose duality gap is proved small.

    Parameters
    ----------
    gram : array of shape (m, m)
        The positive semidefinite Gram matrix K, float32 or float64; its symmetry is trusted, and
        the proof is about the matrix in float64.
    y : array of shape (m,)
        The labels, -1 and +1, both present.
    tol : float, default 0.1
        The largest duality gap as a part of the primal objective, in (0, 1).
    sample_weight : array of shape (m,), default None
        The price of an error of each point, as a multiple of C: 0 <= alpha_i <= C w_i. Positive;
        None for 1 each.
    C_max : float, default 1e4
        The largest C, where the path ends; positive.
    max_iter : int, default 10000000
        The most steps of one machine.

    Returns
    -------
    ApproximatePath
        The machines.

    Raises
    ------
    ValueError
        If the Gram matrix is not finite or indefinite beyond rounding.
    """
    matrix, labels, weights = checked_problem(gram, y, sample_weight, keep_float32=True)
    pieces = _chain(matrix, labels, weights, tol, C_max, max_iter)
    # Each machine serves the C near its own as far as its interval goes.
    borders = [max(b.low, min(a.high, (a.C * b.C) ** 0.5)) for a, b in pairwise(pieces)]
    ends = np.array([*borders, min(pieces[-1].high, C_max)])
    gaps = [tol]  # of f = 0 at its end
    for piece, start, end in zip(pieces[1:], ends[:-1], ends[1:], strict=True):
        gaps += [piece.relative_gap(start), piece.relative_gap(end)]
    coefficients = np.array([np.abs(piece.signed) for piece in pieces])
    coefficients[0] = 0.0
    return ApproximatePath(
        labels=labels,
        upper=weights,
        Cs=np.array([piece.C for piece in pieces]),
        ends=ends,
        coefficients=coefficients,
        intercepts=np.array([piece.intercept for piece in pieces]),
        certificate=float(max(gaps)),
        n_iter=sum(piece.steps for piece in pieces),
        converged=bool(max(gaps) <= tol * (1.0 + 1e-9) and ends[-1] >= C_max),
    )


def _chain(
    gram: Vector, labels: Vector, weights: Vector, tol: float, C_max: float, max_iter: int
) -> list[_Piece]:
    """Return machines whose intervals cover (0, C_max], by rising C."""
    pieces = [_without_support(gram, labels, weights, tol, C_max)]
    ahead: list[_Piece] = []  # machines beyond a hole, the nearest last
    while pieces[-1].high < C_max:
        last = pieces[-1]
        if ahead and ahead[-1].low <= last.high:
            pieces.append(ahead.pop())
            continue
        if ahead:
            C = (last.high * ahead[-1].low) ** 0.5
        else:  # the next interval is about as wide as this one
            C = min(last.high * (last.C / last.low) ** OVERLAP, C_max)
        piece = _solved(gram, labels, weights, C, last, tol, max_iter)
        if piece.low > piece.high:  # it is not within tol even at its own C
            return [*pieces, piece._replace(low=last.high, high=C)]
        (pieces if piece.low <= last.high else ahead).append(piece)
    return pieces


def _without_support(
    gram: Vector, labels: Vector, weights: Vector, tol: float, C_max: float
) -> _Piece:
    """Return f = 0 and the C up to which it is within tol; its multipliers start the next one."""
    positive = labels > 0.0
    sides = np.array([weights[~positive].sum(), weights[positive].sum()])
    spread = labels * weights * (sides.min() / sides[positive.astype(int)])
    values = gram @ spread.astype(gram.dtype)
    norm = float(spread @ values)
    # At least one machine is trained, whose C is larger.
    C = min(4.0 * tol * sides.min() / norm if norm > 0.0 else np.inf, 0.5 * C_max)
    intercept = float(np.sign(sides[1] - sides[0]))
    signed = C * spread
    return _Piece(C, 0.5 * C, C, 0.0, 0.0, 0.0, signed, labels - C * values, intercept, 0)


def _solved(
    gram: Vector,
    labels: Vector,
    weights: Vector,
    C: float,
    start: _Piece,
    tol: float,
    max_iter: int,
) -> _Piece:
    """Return the machine of a C, trained from another's multipliers, and its interval."""
    scale = C / start.C
    signed, residual = scale * start.signed, labels - scale * (labels - start.residual)
    machine = minimise(
        gram, labels, C * weights, SOLVED_PART * tol, max_iter, (signed, residual), True
    )
    squared_norm, hinge, gap = duality_gap(
        labels, C * weights, machine.signed, machine.residual, machine.intercept
    )
    # The roots of (1 - s)^2 q / 2 + s g = tol (q / 2 + s h), whose product is 1 - tol
    spare = tol * hinge - gap
    low, high = np.inf, 0.0
    if squared_norm <= 0.0:
        low, high = (0.0, np.inf) if spare >= 0.0 else (low, high)
    else:
        middle = 1.0 + spare / squared_norm
        if middle > 0.0 and middle**2 >= 1.0 - tol:
            root = middle + (middle**2 - (1.0 - tol)) ** 0.5
            low, high = C * (1.0 - tol) / root, C * root
    if not low <= C <= high:
        low, high = np.inf, 0.0
    return _Piece(
        C,
        low,
        high,
        squared_norm,
        hinge,
        gap,
        machine.signed,
        machine.residual,
        machine.intercept,
        machine.n_iter,
    )
