"""Reading idx files and LIBSVM text: rows in order, labels as cards write them."""

import codecs
import hashlib
from pathlib import Path

import numpy as np
import pytest

from ensvm.data import DatasetCard, load
from ensvm.data.files.binary_arrays import IdxFormat
from ensvm.data.files.file_content import FileContent
from ensvm.data.files.libsvm_text import LibsvmFormat

PIXELS = np.arange(4 * 2 * 3, dtype=np.uint8).reshape(4, 2, 3) * 10
DIGITS = np.array([3, 8, 1, 3], dtype=np.uint8)


def idx(values: np.ndarray) -> bytes:
    header = bytes([0, 0, 8, values.ndim]) + np.array(values.shape, ">u4").tobytes()
    return header + values.astype(np.uint8).tobytes()


IMAGES, LABELS = idx(PIXELS), idx(DIGITS)


def test_images_are_rows_of_pixels_in_their_order() -> None:
    raw = IdxFormat(type="idx").read(FileContent(IMAGES, "file", labels=LABELS))
    np.testing.assert_array_equal(raw.X, PIXELS.reshape(4, 6))
    assert raw.labels.tolist() == ["3", "8", "1", "3"]


@pytest.mark.parametrize(("mark", "end"), [(b"", b""), (codecs.BOM_UTF8, b"\x1a")])
def test_label_only_line_is_a_row_of_zeros_and_width_is_the_cards(mark: bytes, end: bytes) -> None:
    raw = LibsvmFormat(type="libsvm").read(
        FileContent(mark + b"+1 2:1 3:0.5 \n-1\n-1 1:2\n" + end, "file", features=5)
    )
    expected = [[0, 1, 0.5, 0, 0], [0, 0, 0, 0, 0], [2, 0, 0, 0, 0]]
    np.testing.assert_array_equal(raw.X.toarray(), expected)
    assert raw.labels.tolist() == ["1", "-1", "-1"]


def card(form: dict[str, object]) -> DatasetCard:
    def source(part: str, pixels: bytes, labels: bytes) -> list[dict[str, object]]:
        shared = {"sha256": hashlib.sha256(pixels).hexdigest(), "format": form}
        sha256 = hashlib.sha256(labels).hexdigest()
        return [
            {**place, key: f"{part}-images", "labels": {key: f"{part}-labels", "sha256": sha256}}
            for key, place in (("mirror", shared), ("member", {"pip": "digits==1", **shared}))
        ]

    keys = dict.fromkeys(["title", "source", "licence", "citation"], "")
    keys |= {"name": "digits", "rows": 6, "features": 6, "scaling": "pixels"}
    keys |= {"classes": {"3": 4, "8": 2}, "positive": "8"}
    keys |= {"split": {"protocol": "official", "n_train": 2, "n_test": 3}}
    parts = {part: source(part, IMAGES, LABELS) for part in ("train", "test")}
    return DatasetCard.model_validate({**keys, **parts})


DIGITS_CARD = card({"type": "idx", "keep": ["3", "8"]})


def test_images_and_labels_come_from_one_mirror(tmp_path: Path) -> None:
    for part in ("train", "test"):
        (tmp_path / f"{part}-images").write_bytes(IMAGES)
        (tmp_path / f"{part}-labels").write_bytes(LABELS)
    found = load(DIGITS_CARD, data_dir=tmp_path, offline=True)
    assert found.provider == "mirror"
    assert found.y.tolist() == [-1, 1, -1] * 2
    drawn = found.realization(5)
    assert (drawn.X_train.shape, drawn.X_test.shape) == ((2, 6), (3, 6))
    np.testing.assert_array_equal(drawn.X_test, PIXELS.reshape(4, 6)[[0, 1, 3]] / 255)


@pytest.mark.usefixtures("downloads_allowed")
def test_images_whose_labels_are_wrong_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("train", "test"):
        (tmp_path / f"{part}-images").write_bytes(IMAGES)
        (tmp_path / f"{part}-labels").write_bytes(LABELS[::-1])
    members = {
        "train-images": IMAGES,
        "train-labels": LABELS,
        "test-images": IMAGES,
        "test-labels": LABELS,
    }
    monkeypatch.setattr(
        "ensvm.data.providers.serving.download", lambda source: members[source.member]
    )
    elsewhere = card({"type": "idx", "keep": ["8", "3"]}).model_copy(update={"scaling": "none"})
    assert load(elsewhere, data_dir=tmp_path).provider.startswith("package digits==1")
    assert load(elsewhere, data_dir=tmp_path / "cache", offline=True).provider == "cache"
