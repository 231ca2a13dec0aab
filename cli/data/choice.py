"""Which data sets a command is about."""

from ensvm.data import DatasetCard, find_card, list_cards


def cards_named(names: tuple[str, ...]) -> list[DatasetCard]:
    """Return the cards asked for, or all; wrong input ends the command with one message."""
    return [find_card(name) for name in names] if names else list_cards()
