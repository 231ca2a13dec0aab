"""A package of one's own."""

from booster.stumps import StumpBooster

__all__ = ["StumpBooster"]
