"""Test errors of the ensemble of IJCAI-07 where its training stops by rules other than the paper's.

Each realization is trained in three orders of its rows, which are the same problem.
"""

import argparse
from dataclasses import dataclass

import numpy as np
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.array_types import Vector
from ensvm.data import Realization, find_card, load
from ensvm.kernels import gram, resolve_gamma
from ensvm.solvers.entropy_projection.tsang_kwok import project

ORDERS = 3
ENDS = (0.1, 0.05, 0.025, 0.0125, 0.005)
FALLS = (0.01, 0.005, 0.0025)


@dataclass(frozen=True)
class Step:
    """One step of Algorithm 1: the member it left, its rate, its epsilon, how much it gained."""

    member: Vector
    rate: float
    epsilon: float
    fall: float


def path(signed_gram: Vector, divisor: float, end: float = min(ENDS)) -> list[Step]:
    """Return the steps of Algorithm 1 with epsilon divided by `divisor` in place of 2."""
    m = len(signed_gram)
    log_weights, epsilon = np.full(m, -np.log(m)), max(ENDS)
    weights, steps = np.full(m, 1.0 / m), list[Step]()
    gradient = signed_gram @ weights
    while epsilon >= end:
        objective = float(weights @ gradient)
        found = project(log_weights, gradient, objective / (1.0 + epsilon))
        product = None if found is None else signed_gram @ found.weights
        if found is None or found.weights @ product > objective:
            epsilon /= divisor
            continue
        fall = 1.0 - float(found.weights @ product) / objective
        steps.append(Step(weights, found.learning_rate, epsilon, fall))
        log_weights, weights, gradient = found.log_weights, found.weights, product
    return steps


def ensemble(steps: list[Step], kept: int) -> Vector:
    """Return the weights of the ensemble of the first members."""
    members = steps[: max(kept, 1)]
    return np.average([s.member for s in members], axis=0, weights=[s.rate for s in members])


def rules(signed_gram: Vector) -> dict[str, Vector]:
    """Return the ensemble's weights by rule."""
    halved, fifths = path(signed_gram, 2.0), path(signed_gram, 5.0)
    found = {
        f"epsilon ends at {end}": ensemble(halved, sum(s.epsilon >= end for s in halved))
        for end in ENDS
    }
    found["epsilon / 5, ends at 0.005"] = ensemble(fifths, len(fifths))
    for fall in FALLS:
        small = [number for number, s in enumerate(halved, 1) if s.fall < fall]
        found[f"a fall below {fall:.2%}"] = ensemble(halved, min(small, default=len(halved)))
    return found


def errors(data: Realization) -> dict[str, float]:
    """Return the test error by rule, in percent, the mean over orders of the training rows."""
    gamma = resolve_gamma("mean-distance", data.X_train)
    y = np.asarray(data.y_train, dtype=float)
    K = gram(data.X_train, kernel="rbf", gamma=gamma)
    test = gram(data.X_test, data.X_train, kernel="rbf", gamma=gamma)
    by_rule: dict[str, list[float]] = {}
    for order in range(ORDERS):
        rows = np.random.default_rng(order).permutation(y.size) if order else np.arange(y.size)
        signed = K[np.ix_(rows, rows)] * np.outer(y[rows], y[rows])
        for rule, weights in rules(signed).items():
            wrong = (test[:, rows] @ (y[rows] * weights) > 0.0) != (data.y_test > 0)
            by_rule.setdefault(rule, []).append(100.0 * float(wrong.mean()))
    return {rule: float(np.mean(values)) for rule, values in by_rule.items()}


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("name", nargs="?", default="waveform", help="of a data set")
    options.add_argument("--realizations", type=int, default=5)
    chosen = options.parse_args()
    dataset = load(find_card(chosen.name))
    with threadpool_limits(1):
        table = [errors(dataset.realization(index + 1)) for index in range(chosen.realizations)]
    means = [(rule, np.mean([row[rule] for row in table])) for rule in table[0]]
    print(f"Test error (%) of the ensemble on {chosen.name}, {chosen.realizations} realizations")
    print(tabulate(means, headers=["rule", "error"], floatfmt=".2f"))
