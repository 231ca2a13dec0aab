"""The shipped files: what the conversion makes of the original data, and nothing else."""

import hashlib
import lzma
import os
from pathlib import Path

import pytest
from shipped_files import Shipped, as_csv, convert, shipped_files

from ensvm.data.loading import read_arrays
from ensvm.data.providers.folders import data_folders
from ensvm.shipped import shipped_datasets

MIRROR = os.environ.get("ENSVM_DATA")
needs_originals = pytest.mark.skipif(
    MIRROR is None, reason="ENSVM_DATA names no folder with the original data"
)


@pytest.mark.parametrize("shipped", shipped_files(), ids=lambda shipped: shipped.source.address)
def test_shipped_file_has_the_sum_of_its_card(shipped: Shipped) -> None:
    assert hashlib.sha256(decompressed(shipped)).hexdigest() == shipped.source.sha256


CONVERTED = [shipped for shipped in shipped_files() if shipped.source.format.type == "table"]


@pytest.mark.parametrize("shipped", CONVERTED, ids=lambda shipped: shipped.source.address)
def test_shipped_file_is_its_own_conversion(shipped: Shipped) -> None:
    content = decompressed(shipped)
    only = {
        part: [source for source in sources if source.shipped]
        for part, sources in shipped.card.parts.items()
    }
    card = shipped.card.model_copy(update=only)
    assert as_csv(shipped, read_arrays(card, data_folders(None, offline=True))[0]) == content


def test_every_shipped_file_is_named_in_the_attribution() -> None:
    text = (shipped_datasets() / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in shipped_datasets().glob("*.xz") if path.name not in text] == []


@needs_originals
@pytest.mark.parametrize(
    "name", ["breast-cancer", "diabetis", "german", "labor", "optdigits", "spambase"]
)
def test_conversion_of_the_original_is_the_shipped_file(name: str) -> None:
    own = [shipped for shipped in shipped_files() if shipped.card.name == name]
    assert own
    for shipped in own:
        assert convert(shipped, Path(str(MIRROR))) == decompressed(shipped)


def decompressed(shipped: Shipped) -> bytes:
    return lzma.decompress((shipped_datasets() / shipped.source.address).read_bytes())
