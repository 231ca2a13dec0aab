"""Data sets: cards describe them, providers fetch them, realizations split them."""

from ensvm.data.cards.card import DatasetCard
from ensvm.data.cards.catalogue import adapt, find_card, list_cards
from ensvm.data.cards.own_file import inline_card
from ensvm.data.errors import DataError, DataUnavailable
from ensvm.data.finding import Whereabouts, whereabouts
from ensvm.data.loading import Dataset, Location, Realization, load, locate
from ensvm.data.search import DataSearch

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
