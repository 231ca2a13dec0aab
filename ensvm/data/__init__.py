"""Data sets: cards that say what they are, providers that fetch them, realizations that cut them."""

from ensvm.data.adapting import adapt
from ensvm.data.cards import DatasetCard
from ensvm.data.catalogue import find_card, list_cards
from ensvm.data.errors import DataError, DataUnavailable
from ensvm.data.loading import Dataset, Location, Realization, load, locate
from ensvm.data.own_files import inline_card

__all__ = [
    "DataError",
    "DataUnavailable",
    "Dataset",
    "DatasetCard",
    "Location",
    "Realization",
    "adapt",
    "find_card",
    "inline_card",
    "list_cards",
    "load",
    "locate",
]
