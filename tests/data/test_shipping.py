"""The shipped files: what the conversion makes of the original data, and nothing else."""

import hashlib
import lzma
import os
from pathlib import Path

import numpy as np
import pytest

from ensvm.data import find_card, load
from ensvm.data.loading import read_arrays
from ensvm.data.providers.folders import places
from ensvm.data.shipping import Shipped, as_csv, convert, shipped_files
from ensvm.shipped import shipped_datasets

MIRROR = os.environ.get("ENSVM_DATA")
needs_originals = pytest.mark.skipif(
    MIRROR is None, reason="ENSVM_DATA names no folder with the original data"
)


@pytest.mark.parametrize("shipped", shipped_files(), ids=lambda shipped: shipped.source.place)
def test_shipped_file_is_its_own_conversion(shipped: Shipped) -> None:
    content = decompressed(shipped)
    assert hashlib.sha256(content).hexdigest() == shipped.source.sha256
    only = {
        part: [source for source in sources if source.shipped]
        for part, sources in shipped.card.parts.items()
    }
    card = shipped.card.model_copy(update=only)
    assert as_csv(shipped, read_arrays(card, places(None, offline=True))[0]) == content


def test_every_shipped_file_is_named_in_the_attribution() -> None:
    text = (shipped_datasets() / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in shipped_datasets().glob("*.xz") if path.name not in text] == []


@needs_originals
@pytest.mark.parametrize(
    "name", ["breast-cancer", "diabetis", "german", "labor", "optdigits", "spambase"]
)
def test_conversion_of_the_original_is_the_shipped_file(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    own = [shipped for shipped in shipped_files() if shipped.card.name == name]
    assert own
    for shipped in own:
        assert convert(shipped, Path(str(MIRROR))) == decompressed(shipped)


@needs_originals
@pytest.mark.parametrize("name", ["breast-cancer", "german", "titanic", "waveform"])
def test_class_sizes_agree_with_the_original_benchmark(name: str) -> None:
    ours, original = (
        load(find_card(name), offline=True),
        load(find_card(f"ida-{name}"), offline=True),
    )
    assert ours.X.shape == original.X.shape
    if name != "waveform":  # drawn anew, so only its proportions agree
        assert (ours.y == 1).sum() == (original.y == 1).sum()
    assert abs((ours.y == 1).mean() - (original.y == 1).mean()) < 0.02


@needs_originals
@pytest.mark.parametrize("name", ["german", "titanic"])
def test_encoded_and_standardised_rows_are_those_of_the_benchmark(name: str) -> None:
    ours, original = (
        load(find_card(name), offline=True),
        load(find_card(f"ida-{name}"), offline=True),
    )
    X = (ours.X - ours.X.mean(axis=0)) / ours.X.std(axis=0, ddof=1)
    np.testing.assert_allclose(ordered(X, ours.y), ordered(original.X, original.y), atol=1e-6)


@needs_originals
def test_cancer_columns_are_affine_images_of_the_benchmarks() -> None:
    ours, original = (
        load(find_card("breast-cancer"), offline=True),
        load(find_card("ida-breast-cancer"), offline=True),
    )
    spread = ours.X.std(axis=0), original.X.std(axis=0)
    X = (ours.X - ours.X.mean(axis=0)) / spread[0]
    Z = (original.X - original.X.mean(axis=0)) / spread[1]
    np.testing.assert_allclose(ordered(X, ours.y), ordered(Z, original.y), atol=1e-6)


@needs_originals
@pytest.mark.slow
@pytest.mark.parametrize("name", ["a1a", "a2a", "a3a", "a9a", "w1a", "svmguide1"])
def test_large_sets_load_from_the_mirror(name: str) -> None:
    found = load(find_card(name), offline=True)
    assert found.realization(1).X_train.shape[0] == found.card.sizes()[1]


def decompressed(shipped: Shipped) -> bytes:
    return lzma.decompress((shipped_datasets() / shipped.source.place).read_bytes())


def ordered(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the rows with their label in an order that rounding does not disturb."""
    rows = np.column_stack([y, X])
    return rows[np.lexsort(np.round(rows, 4).T[::-1])]
