"""Leave-one-out values of the machines of many pairs of classes by the span rule. Compiled.

The rule, and the rows whose value has to be followed event by event, are those of
`regularization_path.leave_one_out`, which calls LAPACK: for a pair of some hundred rows the calls
take longer than the sums.
"""

import numpy as np

from ensvm.compiled import internal, njit
from ensvm.solvers.cholesky_update import add_products, append_rows, solve_forward
from ensvm.solvers.one_vs_one import number_of_pairs, rows_of_pair, submatrix
from ensvm.solvers.regularization_path.row_removal import AT_BOUND

TINY = float(np.finfo(np.float64).tiny)


@njit
def apply_span_rule(  # type: ignore[no-untyped-def]
    gram, starts, machines, upper, kept, largest, roundings, values
):
    """Write the leave-one-out values of pairs' own rows; return which pairs this was done for.

    It is not done for pairs of more than `largest` rows, nor if a row has to be followed. `gram`,
    `starts` and `machines` are those of `one_vs_one.pairwise_machines`; `upper`, shape (m,), holds
    the bounds of the multipliers, `kept` those without the row; `roundings` are `DEPENDENT` and
    `CANCELLED` of `leave_one_out`; `values` has shape (pairs, m).
    """
    done = np.zeros(number_of_pairs(starts.size - 1), np.bool_)
    pair = 0
    for a in range(starts.size - 1):
        for b in range(a + 1, starts.size - 1):
            rows, labels = rows_of_pair(starts, a, b)
            if rows.size <= largest:
                coef = machines.coefficients[pair]
                free, full, parts = sets_of(rows, labels, coef, upper, kept)
                if can_be_taken_over(rows, labels, coef, upper, free, parts):
                    own = np.full(rows.size, machines.intercepts[pair])
                    done[pair] = span_values(
                        submatrix(gram, rows), coef[rows], free, full, parts, roundings, own
                    )
                    for k in range(rows.size):
                        values[pair, rows[k]] = own[k]
            pair += 1
    return done


@internal
def sets_of(rows, labels, coef, upper, kept):  # type: ignore[no-untyped-def]
    """Return which rows are free, which are full, and what each row's coefficient loses."""
    n, n_free, n_full = rows.size, 0, 0
    free, full, parts = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n)
    for k in range(n):
        top, alpha = upper[rows[k]], labels[k] * coef[rows[k]]
        if alpha <= AT_BOUND * top:
            continue
        if alpha < (1.0 - AT_BOUND) * top:
            free[n_free] = k
            n_free += 1
        else:
            full[n_full] = k
            n_full += 1
        parts[k] = labels[k] * max(alpha - kept[rows[k]], 0.0)
    return free[:n_free], full[:n_full], parts


@internal
def can_be_taken_over(rows, labels, coef, upper, free, parts):  # type: ignore[no-untyped-def]
    """Return whether there are free rows, and the others could take over each row's part."""
    rise = fall = 0.0
    room_up, room_down = np.zeros(rows.size), np.zeros(rows.size)
    for k in free:
        value, top = coef[rows[k]], upper[rows[k]]
        room_up[k] = (top if labels[k] > 0.0 else 0.0) - value
        room_down[k] = value + (top if labels[k] < 0.0 else 0.0)
        rise += room_up[k]
        fall += room_down[k]
    possible = free.size > 0
    for k in range(rows.size):
        room = rise - room_up[k] if labels[k] > 0.0 else fall - room_down[k]
        possible = possible and (parts[k] == 0.0 or room > abs(parts[k]))
    return possible


@internal
def span_values(  # type: ignore[no-untyped-def]
    gram, coef, free, full, parts, roundings, values
):
    """Take the intercepts `values` to the leave-one-out values; return whether all are sure."""
    support = np.flatnonzero(coef)
    add_products(gram, support, coef[support], values)
    (dependent, cancelled), n, constant = roundings, free.size, TINY
    for k in range(coef.size):
        constant = max(constant, gram[k, k])
    lower, right = np.empty((n, n)), np.empty((full.size + 1, n))
    for i in range(n):
        for j in range(i):
            lower[i, j] = gram[free[i], free[j]] + constant
        lower[i, i] = (gram[free[i], free[i]] + constant) * (1.0 + dependent)
        for k in range(full.size):
            right[k, i] = gram[full[k], free[i]] + constant
        right[full.size, i] = 1.0
    none = np.int64(0)
    append_rows(lower, right, none, n)
    ones = right[full.size]
    total, unit = 0.0, np.empty(n)
    for j in range(n):
        total += ones[j] * ones[j]
    for i in range(n):
        unit[:] = 0.0
        unit[i] = 1.0
        solve_forward(lower, unit, n, i)
        square = along = 0.0
        for j in range(i, n):
            square += unit[j] * unit[j]
            along += unit[j] * ones[j]
        inverse, part = square - along * along / total, parts[free[i]]
        if inverse > cancelled * square:
            values[free[i]] -= part / inverse
        elif part != 0.0:
            return False
    for k in range(full.size):
        square = along = 0.0
        for j in range(n):
            square += right[k, j] * right[k, j]
            along += right[k, j] * ones[j]
        schur = gram[full[k], full[k]] + constant - square + (1.0 - along) ** 2 / total
        values[full[k]] -= parts[full[k]] * max(schur, 0.0)
    return True
