"""Data sets: cards describe them, providers fetch them, realizations split them."""

from ensvm.data.availability import DataSearch, Location, Whereabouts, locate, whereabouts
from ensvm.data.card import DatasetCard
from ensvm.data.catalogue import adapt, find_card, list_cards
from ensvm.data.errors import DataError, DataUnavailable
from ensvm.data.loading import Dataset, Realization, load
from ensvm.data.own_file import inline_card

__all__ = [
    "DataError",
    "DataSearch",
    "DataUnavailable",
    "Dataset",
    "DatasetCard",
    "Location",
    "Realization",
    "Whereabouts",
    "adapt",
    "find_card",
    "inline_card",
    "list_cards",
    "load",
    "locate",
    "whereabouts",
]
