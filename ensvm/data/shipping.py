"""Writes the small data files that travel with the package: `python -m ensvm.data.shipping`.

Each is the card's arrays before scaling as CSV, read by the card's own readers from a mirror or a package, so
the file is the same wherever it is made. The last column, `class`, holds the labels; categories are codes.
"""

import hashlib
import lzma
import sys
from pathlib import Path

from ensvm.data.arrays import Arrays
from ensvm.data.cards import DatasetCard
from ensvm.data.catalogue import list_cards
from ensvm.data.loading import read_arrays
from ensvm.data.store import places, write_atomically
from ensvm.shipped import shipped_datasets


def shipped_cards() -> list[DatasetCard]:
    """Return the cards that name a shipped file."""
    return [card for card in list_cards() if any(source.shipped for source in card.all)]


def as_csv(card: DatasetCard, arrays: Arrays) -> bytes:
    """Return dense two-class arrays as CSV: a header line, numbers that read back exactly, the label."""
    names = list(card.inputs) if card.inputs else [f"x{j}" for j in range(1, card.features + 1)]
    lines = [",".join([*names, "class"])]
    for row, sign in zip(arrays.X, arrays.y, strict=True):
        numbers = [str(int(value)) if value == int(value) else repr(float(value)) for value in row]
        lines.append(",".join([*numbers, card.labels[int(sign > 0)]]))
    return ("\n".join(lines) + "\n").encode()


def convert(card: DatasetCard, data_dir: Path | None = None) -> bytes:
    """Return what the card's shipped file must hold, made from any provider but the shipped file itself.

    Raises DataUnavailable or DataError as `load` does.
    """
    original = card.model_copy(update={"all": [source for source in card.all if not source.shipped]})
    return as_csv(card, read_arrays(original, places(data_dir, offline=False))[0])


def main() -> int:
    """Write every shipped file; return 1 if a card states another sum than the file written has."""
    stale = 0
    for card in shipped_cards():
        source = next(source for source in card.all if source.shipped)
        content = convert(card)
        path = shipped_datasets() / source.place
        write_atomically(path, lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
        found = hashlib.sha256(content).hexdigest()
        stale += found != source.sha256
        print(f"{path.name}: {path.stat().st_size} bytes, sha256 of the content {found}")
    if stale:
        print(f"{stale} of these sums are not the cards' yet: write them into the cards", file=sys.stderr)
    return int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
