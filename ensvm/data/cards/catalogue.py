"""Finding cards: by name, alias or variant among those shipped, or made from a user's own file."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ensvm.data.cards.card import DatasetCard
from ensvm.data.errors import DataError, explain, near_miss
from ensvm.shipped import shipped_datasets

# libyaml's parser is ten times quicker; not every platform's PyYAML has it
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def find_card(name: str) -> DatasetCard:
    """Return the card of a data set by its name, an alias or a variant's name.

    Parameters
    ----------
    name : str
        The name, as `ensvm data list` shows it.

    Returns
    -------
    DatasetCard
        The card.

    Raises
    ------
    DataError
        If there is none; the message suggests the nearest known name.

    Examples
    --------
    >>> from ensvm.data import find_card
    >>> find_card("cancer").name
    'breast-cancer'
    """
    folder = shipped_datasets()
    if name in {path.stem for path in _card_files(folder)}:
        return read_card(folder / f"{name}.yaml")
    cards = list_cards()
    for card in cards:
        if name == card.name or name in card.aliases:
            return card
        if name in card.variants:
            return card.variant(name)
    known = [other for card in cards for other in (card.name, *card.aliases, *card.variants)]
    raise DataError(
        f"data set {name!r} is unknown{near_miss(name, known)} (known: {', '.join(sorted(known))})"
    )


def list_cards() -> list[DatasetCard]:
    """Return every shipped card, sorted by name.

    Returns
    -------
    list of DatasetCard
        The cards.

    Examples
    --------
    >>> from ensvm.data import list_cards
    >>> "german" in [card.name for card in list_cards()]
    True
    """
    return [read_card(path) for path in _card_files(shipped_datasets())]


def read_card(path: Path) -> DatasetCard:
    """Return the card in a YAML file; raise DataError naming file, key and value if it is wrong."""
    try:
        state = path.stat()
        return _card_in(path, state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataError(f"{path}: is not a readable YAML file: {error}") from error


# A study of forty data sets asks for each by name, and an alias is looked for in all of the cards;
# a file that was written anew since has another state.
@lru_cache(maxsize=1024)
def _card_in(path: Path, _written: int, _size: int) -> DatasetCard:
    content: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    if not isinstance(content, dict):
        raise DataError(f"{path}: holds no mapping of keys to values")
    try:
        card = DatasetCard.model_validate(content)
        for name in card.variants:
            card.variant(name)
    except ValidationError as error:
        raise explain(error, str(path)) from error
    if card.name != path.stem:
        raise DataError(f"{path}: name: {card.name!r} is not the file's name")
    return card


def _card_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"), key=lambda path: path.stem)
