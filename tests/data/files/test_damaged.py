"""Damaged, endless and misleading files: one message that names the file, and no other end."""

import bz2
import gzip
import io
import lzma
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensvm.data import inline_card
from ensvm.data.files.file_content import unpack
from ensvm.drafting.draft import draft_study
from ensvm.errors import Refused, UserError

CSV = b"u,v,class\n1,2,a\n3,4,b\n5,6,a\n7,8,b\n"
PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}
RANDOM = {"protocol": "random", "n_train": 2}


def card(folder: Path, name: str, **keys: Any) -> Any:
    named = {"target": "class"} if ".csv" in name or ".parquet" in name else {}
    return inline_card({"path": name, "split": RANDOM, **named, **keys}, folder)


def refusal(folder: Path, name: str, content: bytes, **keys: Any) -> str:
    """Return the one line that says why a file is refused."""
    (folder / name).write_bytes(content)
    with pytest.raises(UserError) as caught:
        card(folder, name, **keys)
    message = str(caught.value)
    assert name in message
    assert "\n" not in message
    return message


def outcome(path: Path) -> bytes | str:
    try:
        return unpack(path)
    except Refused as refused:
        return str(refused)


@pytest.mark.parametrize("ending", PACK)
def test_packed_file_is_whole_or_refused_wherever_it_is_damaged(
    tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"own.csv{ending}"
    packed = PACK[ending](CSV * 50)
    rng = np.random.default_rng(0)
    for at in rng.choice(len(packed), 40, replace=False):
        damaged = bytearray(packed)
        damaged[at] ^= 1 << int(rng.integers(8))
        for content in (bytes(damaged), packed[:at]):
            path.write_bytes(content)
            found = outcome(path)
            if isinstance(found, bytes):  # a bit of a header may not matter
                assert found == (CSV * 50 if content else b"")
            else:
                assert str(path) in found


@pytest.mark.parametrize("ending", ["", *PACK])
def test_more_than_the_limit_is_refused_and_the_limit_can_be_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = tmp_path / f"own{ending}"
    path.write_bytes(PACK.get(ending, bytes)(bytes(4_000_000)))
    monkeypatch.setenv("ENSVM_MAX_GIB", "0.001")
    with pytest.raises(Refused, match=r"0\.001 GiB once unpacked; ENSVM_MAX_GIB"):
        unpack(path)
    monkeypatch.setenv("ENSVM_MAX_GIB", "0.01")
    assert len(unpack(path)) == 4_000_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("kind", ["a folder", "a pipe"])
def test_only_regular_files_are_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "own.csv"
    path.mkdir() if kind == "a folder" else os.mkfifo(path)
    what = r"own\.csv is (a folder, not a file|not a regular file)$"
    with pytest.raises(UserError, match=what):
        card(tmp_path, "own.csv")
    with pytest.raises(UserError, match=rf"^[^:]*{what}"):
        draft_study(path)


@pytest.mark.parametrize("name", ["own.csv", "own.csv.gz", "own.libsvm", "own.npz", "own.parquet"])
@pytest.mark.parametrize("content", [b"", b"\n", b"\0" * 99, bytes(range(256)) * 9, b"<html>\n"])
def test_no_content_gets_past_its_reader(tmp_path: Path, name: str, content: bytes) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    refusal(tmp_path, name, content)
    if name.endswith("gz"):
        refusal(tmp_path, name, gzip.compress(content))


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_other_encodings_are_refused_with_the_key_that_names_them(
    tmp_path: Path, codec: str
) -> None:
    text = "u,class\n1,é\n2,b\n3,b\n".encode(codec)
    assert "`format: {encoding: " in refusal(tmp_path, "own.csv", text)
    read = card(tmp_path, "own.csv", format={"encoding": codec})
    assert read.classes == {"b": 2, "é": 1}


def npz(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def npy(array: np.ndarray[Any, Any], shape: str | None = None) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue().replace(
        str(array.shape).encode(), (shape or str(array.shape)).encode()
    )


@pytest.mark.parametrize("shape", ["(3, 2)", "(9, 2)", "(4, 9)", "(-4,-2)", "(4.0, 2)", "(8,)"])
def test_archive_that_lies_about_a_shape_is_refused(tmp_path: Path, shape: str) -> None:
    X, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
    assert card_of(tmp_path, npz(X=npy(X), y=npy(y))).rows == 4
    refusal(tmp_path, "own.npz", npz(X=npy(X, shape), y=npy(y)))


def card_of(folder: Path, content: bytes) -> Any:
    (folder / "own.npz").write_bytes(content)
    return card(folder, "own.npz")


class Unpickled:
    """Complains if an archive is unpickled."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return pytest.fail, ("unpickled",)


def test_objects_of_an_archive_are_never_unpickled(tmp_path: Path) -> None:
    for other in ("X", "extra"):
        arrays = {"X": np.eye(4), "y": np.array([0, 1, 0, 1])}
        buffer = io.BytesIO()
        np.savez(buffer, **(arrays | {other: np.array([[Unpickled()]] * 4, dtype=object)}))
        assert "Object arrays cannot be loaded" in refusal(tmp_path, "own.npz", buffer.getvalue())


def test_archive_is_unpacked_no_further_than_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, X=np.zeros((200_000, 5)), y=np.zeros(200_000))
    monkeypatch.setenv("ENSVM_MAX_GIB", "0.001")
    assert "ENSVM_MAX_GIB" in refusal(tmp_path, "own.npz", buffer.getvalue())


def test_index_that_makes_a_vast_dense_matrix_is_refused(tmp_path: Path) -> None:
    text = b"1 1:1\n-1 90000000:1\n" * 20
    (tmp_path / "own.libsvm").write_bytes(text)
    assert card(tmp_path, "own.libsvm").sparse
    with pytest.raises(UserError, match=r"40 rows of 90000000 columns.*accepted"):
        card(tmp_path, "own.libsvm", scaling="standard")


@pytest.mark.parametrize("name", ["own.arff", "own.dat"])
def test_arff_may_be_in_utf_16(tmp_path: Path, name: str) -> None:
    text = "@relation r\n@attribute u real\n@attribute class {b,é}\n@data\n1,é\n2,b\n3,b\n"
    for codec in ("utf-8", "utf-16", "latin-1"):
        (tmp_path / name).write_bytes(text.encode(codec))
        assert card(tmp_path, name, target="class").classes == {"b": 2, "é": 1}


def test_an_encoding_of_arff_that_is_assumed_is_said(tmp_path: Path) -> None:
    rows = "".join(f"{k * k % 7},{'bé'[k % 2]}\n" for k in range(20))
    text = f"@relation r\n@attribute u real\n@attribute class {{b,é}}\n@data\n{rows}"
    for codec, is_assumed in (("utf-8", False), ("latin-1", True)):
        (tmp_path / "own.arff").write_bytes(text.encode(codec))
        draft = draft_study(tmp_path / "own.arff", tmp_path / "c.yaml")
        assert ("Latin-1 (assumed, since it is not UTF-8)" in draft.written_as) == is_assumed
