"""Linear machines: perceptron, sequential minimal optimization, separability."""

from ensvm.solvers.linear.perceptron import PerceptronResult, perceptron
from ensvm.solvers.linear.separability import Separability, separability, signed_points
from ensvm.solvers.linear.smo import LinearSMOResult, linear_smo

__all__ = [
    "LinearSMOResult",
    "PerceptronResult",
    "Separability",
    "linear_smo",
    "perceptron",
    "separability",
    "signed_points",
]
