"""The ten completions of w2a, drawn from the two subsets around it that are published.

Platt's subsets are nested: w1a's training rows are among w4a's, in the same order, and so w2a's are
w1a's and 993 of the 4,889 others. `python tests/data/test_web2_completions.py` writes the file.
"""

import csv
import io
import lzma
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from ensvm.data import find_card, load
from ensvm.shipped import shipped_datasets

MIRROR = os.environ.get("ENSVM_DATA")
N_TRAIN, REALIZATIONS = 3470, 10
FILE = shipped_datasets() / "w2a-completions.csv.xz"


def positions(subset: Sequence[bytes], rows: Sequence[bytes]) -> list[int]:
    """Return where the rows of a subset stand among `rows`, which have them in the same order."""
    at, found = 0, []
    for row in subset:
        at = rows.index(row, at) + 1
        found.append(at - 1)
    return found


def rows_of(name: str, data_dir: Path | None = None) -> tuple[list[bytes], int]:
    data = load(find_card(name), data_dir=data_dir)
    X = data.X.toarray().astype(bool)
    bits = np.packbits(np.column_stack([data.y > 0, X]), axis=1)
    rows = [line.tobytes() for line in bits]
    return rows, data.splits[0].shape[1]


def completions(data_dir: Path | None = None) -> str:
    """Return the training rows of each realization, as numbers of w1a's rows, in w4a's order."""
    rows1, n1 = rows_of("w1a", data_dir)
    rows4, n4 = rows_of("w4a", data_dir)
    kept = positions(rows1[:n1], rows4[:n4])
    # w1a's test rows that w4a trains on
    tested_on_by_both = set(positions(rows4[n4:], rows1[n1:]))
    moved = [n1 + at for at in range(len(rows1) - n1) if at not in tested_on_by_both]
    others = sorted(set(range(n4)) - set(kept))
    assert sorted(rows1[at] for at in moved) == sorted(rows4[at] for at in others)
    by_row: dict[bytes, list[int]] = {}
    for at in moved:
        by_row.setdefault(rows1[at], []).append(at)
    number_of = dict(zip(kept, range(n1), strict=True))
    number_of |= {at: by_row[rows4[at]].pop(0) for at in others}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["realization", "part", "row"])
    for realization in range(1, REALIZATIONS + 1):
        drawn = np.random.default_rng(realization).choice(others, N_TRAIN - n1, replace=False)
        for at in sorted([*kept, *drawn.tolist()]):
            writer.writerow([realization, "train", number_of[at]])
    return text.getvalue()


@pytest.mark.skipif(MIRROR is None, reason="ENSVM_DATA names no folder with the original data")
def test_the_shipped_file_is_drawn_from_the_published_subsets() -> None:
    text = completions(Path(str(MIRROR)))
    assert lzma.decompress(FILE.read_bytes()).decode() == text


if __name__ == "__main__":
    Path(FILE).write_bytes(lzma.compress(completions().encode(), preset=9 | lzma.PRESET_EXTREME))
