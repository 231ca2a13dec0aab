"""Cards by name, alias or variant, and cards as a study changes them."""

import difflib
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ensvm.data.card import DatasetCard, Source
from ensvm.data.row_numbers import with_listed_sizes
from ensvm.data.split_sizes import refuse_without_groups, sizes_in_rows
from ensvm.data.splits import IndicesSplit
from ensvm.errors import UserError, did_you_mean
from ensvm.shipped import card_files, shipped_datasets
from ensvm.yaml_block import explain
from ensvm.yaml_text import Loader

NEAREST = 3  # names that a message suggests


def find_card(name: str, folder: Path | None = None) -> DatasetCard:
    """Return the card of a data set by its name, an alias or a variant's name.

    `folder` has cards of the user's own, which go before shipped ones; it may be missing. Raises
    UserError if there is none; the message suggests the nearest known names.
    """
    own = card_files(folder) if folder is not None else []
    paths = {path.stem: path for path in [*card_files(shipped_datasets()), *own]}
    if name in paths:
        return read_card(paths[name])
    names = list(paths)
    for path in paths.values():  # validating every card would take longer than reading its names
        content = _content(path)
        aliases, variants = content.get("aliases") or (), content.get("variants") or ()
        if name in aliases:
            return read_card(path)
        if name in variants:
            return read_card(path).variant(name)
        names += [*aliases, *variants]
    nearest = ", ".join(difflib.get_close_matches(name, names, n=NEAREST, cutoff=0.0))
    raise UserError(
        f"data set {name!r} is unknown{did_you_mean(name, names)} (nearest: {nearest}; "
        "`ensvm data list` lists all)"
    )


def list_cards() -> list[DatasetCard]:
    """Return every shipped card, sorted by name."""
    return [read_card(path) for path in card_files(shipped_datasets())]


def read_card(path: Path) -> DatasetCard:
    """Return the card in a YAML file; raise UserError naming file, key and value if it is wrong."""
    _content(path)
    state = path.stat()
    return _card_in(path, state.st_mtime_ns, state.st_size)


def _content(path: Path) -> dict[str, Any]:
    try:
        state = path.stat()
        content = _yaml_in(path, state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UserError(f"{path}: is not a readable YAML file: {error}") from error
    if not isinstance(content, dict):
        raise UserError(f"{path}: does not hold a mapping of keys to values")
    return content


# A study of forty data sets asks for each by name; a file that was written anew has another state.
@lru_cache(maxsize=1024)
def _yaml_in(path: Path, _written: int, _size: int) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)


@lru_cache(maxsize=1024)
def _card_in(path: Path, _written: int, _size: int) -> DatasetCard:
    try:
        card = _with_files_beside(DatasetCard.model_validate(_content(path)), path.parent)
        for name in card.variants:
            card.variant(name)
    except ValidationError as error:
        raise explain(error, str(path)) from error
    if card.name != path.stem:
        raise UserError(f"{path}: name: {card.name!r} is not the file's name")
    return card


def _with_files_beside(card: DatasetCard, folder: Path) -> DatasetCard:
    """Return the card with paths of the user's files that begin at the card's folder."""

    def beside(path: str) -> str:
        """Return a path that begins at the card's folder as an absolute one."""
        return os.path.normpath((folder / path).absolute())

    def moved(source: Source) -> Source:
        """Return a source, and those that follow it, with absolute paths."""
        update: dict[str, Any] = {"followed_by": [moved(other) for other in source.followed_by]}
        if source.file is not None:
            update["file"] = beside(source.file)
        return source.model_copy(update=update)

    def split_beside(split: dict[str, Any]) -> dict[str, Any]:
        """Return the block of a split with an absolute path."""
        return split | {"file": beside(split["file"])} if split.get("file") else split

    update: dict[str, Any] = {
        part: [moved(source) for source in sources] for part, sources in card.parts.items()
    }
    if isinstance(card.split, IndicesSplit) and card.split.file is not None:
        update["split"] = card.split.model_copy(update={"file": beside(card.split.file)})
    update["variants"] = {
        name: changes | {key: split_beside(changes[key]) for key in {"split"} & set(changes)}
        for name, changes in card.variants.items()
    }
    return card.model_copy(update=update)


def adapt(
    card: DatasetCard,
    *,
    split: dict[str, Any] | None = None,
    scaling: str | None = None,
    fill: str | float | None = None,
    options: dict[str, Any] | None = None,
    folder: Path = Path(),
) -> DatasetCard:
    """Return the card with the values that a study changes; None leaves a value as it is.

    `split` is a whole protocol (with the key `protocol`), or some keys of the card's own; sizes may
    be fractions of the rows, and the path of a file of splits begins at `folder`. `fill` only fits
    a card that fills in missing values, `options` one with a generator. A generated set with other
    options has no checksum, and of its `classes` only the labels hold. Raises UserError if a key or
    a value is wrong.
    """
    changes: dict[str, Any] = {}
    if split is not None:
        whole = split if "protocol" in split else {**card.split_protocol(), **split}
        try:
            refuse_without_groups(whole)
            whole = with_listed_sizes(whole, folder, card.rows, card.name)
            changes["split"] = sizes_in_rows(whole, split, card.rows)
        except ValueError as error:
            raise UserError(f"data set {card.name!r}: {error}") from error
    if scaling is not None:
        changes["scaling"] = scaling
    if fill is not None:
        if card.fill is None:
            raise UserError(f"data set {card.name!r}: fill: it has no missing values")
        changes["fill"] = fill
    if options is not None:
        changes["generator"] = _with_options(card, options)
    try:
        adapted = card.changed(changes)
    except ValidationError as error:
        raise explain(error, f"data set {card.name!r}") from error
    if adapted.generator is None or adapted.generator == card.generator:
        return adapted
    return adapted.model_copy(update={"features": adapted.generator.features, "checksum": None})


def _with_options(card: DatasetCard, options: dict[str, Any]) -> dict[str, Any]:
    if card.generator is None or not card.generator.options:
        none = "it is read from files"
        which = (
            none if card.generator is None else f"the generator {card.generator.name!r} has none"
        )
        raise UserError(f"data set {card.name!r}: options: {options} is not accepted; {which}")
    return card.generator.model_dump() | options
