"""Data sets: cards describe them, providers fetch them, realizations split them."""

from ensvm.data.availability import DataSearch, Location, Whereabouts, locate, whereabouts
from ensvm.data.cards.card import DatasetCard
from ensvm.data.cards.catalogue import adapt, find_card, list_cards
from ensvm.data.cards.own_file import inline_card
from ensvm.data.errors import DataError, DataUnavailable
from ensvm.data.loading import Dataset, Realization, load

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
