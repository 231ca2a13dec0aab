"""`ensvm data new`: the card of a user's own file, with what only the user knows left open."""

import os
from pathlib import Path
from typing import Any

import yaml

from ensvm.data.card import DatasetCard
from ensvm.data.catalogue import PARTS, read_card
from ensvm.data.drafting.draft import draft_study
from ensvm.data.own_file import inline_card
from ensvm.data.providers.folders import write_atomically
from ensvm.errors import UserError
from ensvm.shipped import card_schema, schema_line

FILL_IN = {
    "title": "the name as reports show it",
    "source": "where the data come from, in one line",
    "licence": "what the licence allows",
    "citation": "how the publishers want to be cited",
}


def draft_card(
    file: Path, path: Path | None = None, *, target: str | None = None, force: bool = False
) -> Path:
    """Write the card of a user's file, and return where it is.

    Parameters
    ----------
    file : Path
        The file, of a format that `ensvm init` reads.
    path : Path or None, default None
        The card; None for `datasets/NAME.yaml`.
    target : str or None, default None
        The column of the classes, by name or position; None guesses it.
    force : bool, default False
        Whether a card that exists is overwritten.

    Raises
    ------
    UserError
        If no data set can be made of the file, or the card exists.
    """
    draft = draft_study(file, target=target)
    card = inline_card(draft.block, draft.config.parent)
    path = path or Path("datasets", f"{card.name}.yaml")
    if path.exists() and not force:
        raise UserError(f"{path} exists; choose another name with -o, or --force to overwrite it")
    card = card.model_copy(update={"name": path.stem})
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, card_text(card, path.parent).encode())
    read_card(path)
    return path


def card_text(card: DatasetCard, folder: Path) -> str:
    """Return a card as YAML with comments at what is to be filled in.

    Paths of files are written relative to `folder`, that of the card.
    """
    content: dict[str, Any] = card.model_dump(mode="json", exclude_defaults=True)
    for part in PARTS:
        for source in content.get(part, ()):
            for one in (source, *source.get("followed_by", ())):
                one["file"] = os.path.relpath(one["file"], folder.absolute())
    content |= dict.fromkeys(FILL_IN, "")
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    for key, meaning in FILL_IN.items():
        text = text.replace(f"\n{key}: ''\n", f"\n{key}: ''  # fill in: {meaning}\n")
    return schema_line(card_schema()) + text
