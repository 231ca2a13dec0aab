"""Data sets: cards describe them, providers fetch them, realizations split them."""

from ensvm.data.card import DatasetCard
from ensvm.data.catalogue import adapt, find_card, list_cards
from ensvm.data.loading import DataLocation, DataSearch, Dataset, Realization, load, locate
from ensvm.data.own_file import inline_card
from ensvm.errors import DataUnavailable

__all__ = [
    "DataLocation",
    "DataSearch",
    "DataUnavailable",
    "Dataset",
    "DatasetCard",
    "Realization",
    "adapt",
    "find_card",
    "inline_card",
    "list_cards",
    "load",
    "locate",
]
