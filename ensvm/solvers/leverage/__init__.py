"""The leveraging algorithm of Singer (NIPS-99): vector machines built greedily."""

from ensvm.solvers.leverage.algorithm import LeverageResult, leverage

__all__ = ["LeverageResult", "leverage"]
