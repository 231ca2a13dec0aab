"""Files that are something else than their name says: a message names what they are."""

import bz2
import gzip
import io
import lzma
import pickle
import sqlite3
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ensvm.data import inline_card
from ensvm.drafting.draft import draft_study
from ensvm.errors import UserError

SPLIT = {"protocol": "random", "n_train": 0.8}
TABLE = "a,b,label\n" + "".join(f"{i}.5,{i * i},{'sw'[i % 2]}\n" for i in range(40))
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, TABLE)
    return buffer.getvalue()


def npz() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, X=np.ones((20, 2)), y=np.arange(20) % 2)
    return buffer.getvalue()


def database(folder: Path) -> bytes:
    with sqlite3.connect(folder / "d.sqlite") as connection:
        connection.execute("create table t (a)")
    connection.close()
    return (folder / "d.sqlite").read_bytes()


FOREIGN = {
    "git lfs pull": LFS.encode(),
    "git annex get": b"/annex/objects/SHA256E-s27--4d7a2146f1.csv\n",
    "git-annex": b"../.git/annex/objects/G6/qW/SHA256E-s27--4d/SHA256E-s27--4d.csv",
    "dvc pull": b"outs:\n- md5: a304afb96060aad90176268345e10355\n  path: d.csv\n",
    "a web page": b"\n<!DOCTYPE html><html><body>404</body></html>",
    "HTML or XML": b"<?xml version='1.0'?><a/>",
    "a document of Office": zipped("[Content_Types].xml", "word/document.xml"),
    "LibreOffice": zipped("mimetype", "content.xml"),
    "a zip archive of d.csv; unpack it": zipped("d.csv"),
    "rename it to end in .npz": npz(),
    "a PDF document": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
    "a gzip file inside another one": gzip.compress(gzip.compress(TABLE.encode())),
    "an SQLite database": database,
    "an HDF5 file": b"\x89HDF\r\n\x1a\n" + bytes(99),
    "a pickle of Python": pickle.dumps([[1, 2]] * 20, protocol=4),
    "a pickle": pickle.dumps({"a": 1}, protocol=2),
    "a Stata file": b"r\x02\x01\x00\x05\x00<\x00" + bytes(99),
    "a SAS file": bytes(12) + b"\xc2\xea\x81\x60" + bytes(99),
    "not data: sites": b"<table border='1'>\n<tr><td>1</td></tr>\n</table>",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(99),
    "an old Excel": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99),
}


def refusals(path: Path) -> list[str]:
    """Return what a draft and a config say of a file."""
    config = {"name": "d", "path": path.name, "split": SPLIT}
    if path.suffix not in (".npz", ".libsvm"):
        config["target"] = "label"
    messages = []
    for read in (
        lambda: draft_study(path, path.with_suffix(".yaml")),
        lambda: inline_card(config, path.parent),
    ):
        with pytest.raises(UserError) as refusal:
            read()
        messages.append(str(refusal.value))
    return messages


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.arff", "d.parquet", "d.libsvm", "d.npz"])
@pytest.mark.parametrize("what", FOREIGN)
def test_a_file_under_a_wrong_name_is_called_what_it_is(
    tmp_path: Path, name: str, what: str
) -> None:
    if name.endswith(".npz") and what != "git lfs pull" and not callable(FOREIGN[what]):
        pytest.skip("a zip archive may be one of numpy")
    content = FOREIGN[what]
    path = tmp_path / name
    path.write_bytes(content(tmp_path) if callable(content) else content)
    for message in refusals(path):
        assert what in message
        assert str(path) in message
        assert "\n" not in message


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_a_compressed_file_is_read_under_any_name(tmp_path: Path, pack: object) -> None:
    block = {"name": "d", "path": "d.csv", "target": "label", "split": SPLIT}
    (tmp_path / "d.csv").write_text(TABLE)
    plain = inline_card(block, tmp_path).checksum
    (tmp_path / "d.csv").write_bytes(pack(TABLE.encode()))  # type: ignore[operator]
    assert inline_card(block, tmp_path).checksum == plain
    assert draft_study(tmp_path / "d.csv", tmp_path / "c.yaml").rows == 40


def test_a_plain_file_that_is_called_compressed_is_to_be_renamed(tmp_path: Path) -> None:
    (tmp_path / "d.csv.gz").write_text(TABLE)
    for message in refusals(tmp_path / "d.csv.gz"):
        assert "rename it without .gz" in message


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/x.csv",
        "http://example.org/x.csv",
        "s3://bucket/x.csv",
        "www.example.org/x.csv",
    ],
)
def test_an_address_is_no_path(tmp_path: Path, address: str) -> None:
    block = {"name": "d", "path": address, "target": "label", "split": SPLIT}
    with pytest.raises(UserError, match=r"is an address, .*; download the file") as refusal:
        inline_card(block, tmp_path)
    assert address.replace(":///", "://") in str(refusal.value)
    with pytest.raises(UserError, match=r"is an address, .*; download the file"):
        draft_study(Path(address))


def test_the_address_of_a_file_is_refused_with_its_path(tmp_path: Path) -> None:
    block = {"path": "file:///home/me/x.csv", "target": "label", "split": SPLIT}
    with pytest.raises(UserError, match=r"is an address; name the file by its path, /home/me/x.c"):
        inline_card(block, tmp_path)
    with pytest.raises(UserError, match=r"is an address; name the file by its path, /home/me/x.c"):
        draft_study(Path("file:///home/me/x.csv"))


def test_a_link_to_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "d.csv").symlink_to("d.csv")
    for message in refusals(tmp_path / "d.csv"):
        assert "d.csv is a link to d.csv, which is not there" in message


def test_a_home_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "d.csv").write_text(TABLE)
    block = {"name": "d", "path": "~/d.csv", "target": "label", "split": SPLIT}
    assert inline_card(block, tmp_path / "elsewhere").rows == 40
    assert draft_study(Path("~/d.csv"), tmp_path / "c.yaml").rows == 40


def test_a_link_without_its_file_says_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "d.csv").symlink_to(".git/annex/objects/x/d.csv")
    for message in refusals(tmp_path / "d.csv"):
        assert "git annex get" in message


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-32-be"])
def test_text_of_wide_letters_without_a_mark_is_named(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "d.csv").write_bytes(TABLE.encode(encoding))
    with pytest.raises(UserError, match="UTF-16 or UTF-32 without a byte-order mark"):
        draft_study(tmp_path / "d.csv")


@pytest.mark.parametrize("name", ["iris.dat", "iris.data"])
def test_tables_of_commas_without_a_header_need_no_ending(tmp_path: Path, name: str) -> None:
    rows = "".join(f"{i % 7}.1, {i % 5}.5, Iris-{'sv'[i % 2]}\n" for i in range(30))
    (tmp_path / name).write_text(rows)
    block = {"name": "d", "path": name, "target": -1, "split": SPLIT}
    card = inline_card(block, tmp_path)
    assert (card.rows, card.features, list(card.classes)) == (30, 2, ["Iris-s", "Iris-v"])
