"""Data files that are cut off, garbled, or say what they are not."""

import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd

from ensvm.records.store import read_records
from faults.outcome import FaultClass, Outcome, Verdict, judged
from faults.trial import own_rows

KEYS = {
    ".csv": "target: label, positive: 1",
    ".csv.gz": "target: label, positive: 1",
    ".csv.xz": "target: label, positive: 1",
    ".libsvm": "positive: 1",
    ".npz": "positive: 1",
    ".txt": 'target: label, positive: 1, format: {delimiter: ";", decimal: ",", encoding: utf-16}',
    ".arff": "target: label, positive: 1",
}
if find_spec("pyarrow"):
    KEYS |= dict.fromkeys((".parquet", ".feather"), "target: label, positive: 1")
CHECKSUMMED = (".csv.gz", ".csv.xz", ".npz")
BOMB_MEBIBYTES = 160  # more than LARGEST_GIB allows


@dataclass(frozen=True)
class File:
    """A data file, and what must become of it.

    It must be refused (None: a reader may find it good). One that is found good and was packed with
    checksums must hold the good file's data; where `classes` is told, it has as many classes.
    """

    ending: str
    content: bytes
    refused: bool | None
    what: str
    classes: int | None = None


Making = Callable[[np.random.Generator], File]


def good(ending: str) -> bytes:
    """Return a good file of 60 rows."""
    text = own_rows()
    if ending.startswith(".csv"):
        pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(ending[4:], bytes)
        return pack(text.encode())
    if ending == ".txt":
        return text.replace(",", ";").replace(".", ",").encode("utf-16")
    header, *lines = text.splitlines()
    if ending == ".arff":
        kinds = zip(header.split(","), ("real", "real", "{-1,1}"), strict=True)
        head = ["@relation own", *(f"@attribute {name} {kind}" for name, kind in kinds), "@data"]
        return ("\n".join([*head, *lines]) + "\n").encode()
    rows = np.array([line.split(",") for line in lines], dtype=float)
    if ending == ".libsvm":
        lines = (f"{int(label):+d} 1:{a!r} 2:{b!r}" for a, b, label in rows.tolist())
        return ("\n".join(lines) + "\n").encode()
    file = io.BytesIO()
    if ending in (".parquet", ".feather"):
        frame = pd.DataFrame(rows, columns=header.split(",")).astype({"label": int})
        (frame.to_parquet if ending == ".parquet" else frame.to_feather)(file)
    else:
        np.savez(file, X=rows[:, :2], y=rows[:, 2].astype(int))
    return file.getvalue()


def garbled(rng: np.random.Generator) -> File:
    """Change some bytes anywhere."""
    ending = list(KEYS)[rng.integers(len(KEYS))]
    content = bytearray(good(ending))
    for at in rng.integers(len(content), size=int(rng.integers(1, 5))):
        content[at] = rng.integers(256)
    return File(ending, bytes(content), None, "garbled")


def cut_off(rng: np.random.Generator) -> File:
    """End the file anywhere."""
    ending = list(KEYS)[rng.integers(len(KEYS))]
    content = good(ending)
    # A plain text may end after a row.
    refused = None if ending in (".csv", ".libsvm", ".txt", ".arff") else True
    return File(ending, content[: rng.integers(len(content) - 1)], refused, "cut off")


def another_field(rng: np.random.Generator) -> File:
    """Put an odd field in the place of one of a CSV."""
    odd = {
        "": True,
        "nan": True,
        "inf": True,
        "-inf": True,
        "1e400": True,
        "1e308": True,
        "x": True,
        '"1\n2"': True,
        '"1': True,
        "1" * 140_000: True,
        "0x10": None,
        "1_000": None,
        "١": None,
        "1,5": True,
        "\x00": True,
        "\ud800": True,
    }
    field, refused = list(odd.items())[rng.integers(len(odd))]
    lines = [line.split(",") for line in own_rows().splitlines()]
    lines[rng.integers(1, len(lines))][rng.integers(2)] = field
    text = "\n".join(",".join(line) for line in lines) + "\n"
    what = f"the field {field[:12]!r}"
    return File(".csv", text.encode(errors="surrogatepass"), refused, what)


def another_label(rng: np.random.Generator) -> File:
    """Put an odd label in the place of one of a CSV."""
    # How many classes there are with it; None where it is none.
    odd = {
        "nan": None,
        "": None,
        "NaN": None,
        "NA": None,
        "001": 3,
        "1.0": 2,
        "1.0000000000000001": 3,
    }
    label, classes = list(odd.items())[rng.integers(len(odd))]
    lines = own_rows().splitlines()
    lines[2] = lines[2].rsplit(",", 1)[0] + f",{label}"
    content = ("\n".join(lines) + "\n").encode()
    return File(".csv", content, classes is None or None, f"the label {label!r}", classes)


def another_header(rng: np.random.Generator) -> File:
    """Give columns the same name, none, or another."""
    headers = {
        "a,label,label": True,
        "label,b,label": True,
        "a,a,label": True,
        "a,b": True,
        "a,b,c": True,
        "": True,
        ",,label": None,
        '"a,b,label': True,
        "a,b,label,more": True,
    }
    header, refused = list(headers.items())[rng.integers(len(headers))]
    text = "\n".join([header, *own_rows().splitlines()[1:]]) + "\n"
    return File(".csv", text.encode(), refused, f"the header {header!r}")


def of_another_size(rng: np.random.Generator) -> File:
    """Return nothing, a header, one class, more classes than fit into a byte, or one row."""
    header, *rows = own_rows().splitlines()
    sizes = {
        "nothing": [],
        "a header": [header],
        "one row": [header, rows[0]],
        "one class": [header, *(row for row in rows if row.endswith(",1"))],
        "300 classes": [header, *(f"{i}.5,{i}.25,{i}" for i in range(300))],
        "blank lines": [""] * 50,
    }
    what, lines = list(sizes.items())[rng.integers(len(sizes))]
    return File(".csv", ("\n".join(lines) + "\n").encode(), what != "300 classes" or None, what)


def another_index(rng: np.random.Generator) -> File:
    """Put an odd entry in a LIBSVM file."""
    entries = ("4000000000:1", "-1:1", "0:1", "1:x", "1:nan", "1:1e400", "99999999999999999999:1")
    entries += ("2:1 1:1", "1:1 1:2", ":", "1:", ":1", "qid:1", "1:0x1")
    entry = entries[rng.integers(len(entries))]
    lines = good(".libsvm").decode().splitlines()
    lines[rng.integers(len(lines))] = f"+1 {entry}"
    # A base of 0 and numbers in other notation may be read.
    refused = None if entry in ("0:1", "qid:1", "1:0x1", "1:", ":1") else True
    return File(".libsvm", ("\n".join(lines) + "\n").encode(), refused, f"the entry {entry}")


def badly_written(rng: np.random.Generator) -> File:
    """Return a table in another dress than its config says, and ARFF that is none."""
    text, arff = good(".txt").decode("utf-16"), good(".arff").decode()
    first = text.splitlines()[1]
    made = (
        (".txt", text.encode(), "another encoding"),
        (".txt", text.replace(",", ".").encode("utf-16"), "another decimal mark"),
        (".txt", text.replace(";", "|").encode("utf-16"), "another delimiter"),
        (".txt", text.replace(first, f'"{first}').encode("utf-16"), "an open quote"),
        (".txt", text.replace(first, "2020-01-01;1;1").encode("utf-16"), "a date"),
        (".txt", text.replace(first, "1.000,5;1;1").encode("utf-16"), "a mark of thousands"),
        (".arff", arff.replace("@data", "").encode(), "no data"),
        (".arff", arff.replace("{-1,1}", "{-1,2}").encode(), "a value that is not declared"),
        (".arff", arff.replace("real", "relational").encode(), "an odd attribute"),
        (".arff", (arff + "{0 1}\n").encode(), "a sparse row"),
        (".arff", (arff + "1,2\n").encode(), "a short row"),
        (".arff", (arff + "1,2,1,4\n").encode(), "a long row"),
    )
    ending, content, what = made[rng.integers(len(made))]
    return File(ending, content, True, what)


def lying(rng: np.random.Generator) -> File:
    """Return an npz with arrays of other shapes and kinds, or that lies about its shape."""
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2 * 2 - 1
    arrays = (
        {"X": X[:50], "y": y},
        {"X": X[:, 0], "y": y},
        {"X": X.astype(object), "y": y},
        {"X": X + 1j, "y": y},
        {"X": np.full_like(X, np.nan), "y": y},
        {"X": X, "z": y},
        {"X": np.zeros((60, 0)), "y": y},
        {"X": X.astype("U8"), "y": y},
    )
    at = int(rng.integers(len(arrays) + 2))
    file = io.BytesIO()
    if at < len(arrays):
        np.savez(file, **arrays[at])
        return File(".npz", file.getvalue(), True, f"arrays {at}")
    shape = (10**12, 10**6) if at == len(arrays) else (600, 2)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    labels = io.BytesIO()
    np.save(labels, y)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("X.npy", header.getvalue() + X.tobytes())
        archive.writestr("y.npy", labels.getvalue())
    return File(".npz", file.getvalue(), True, f"an array that claims the shape {shape}")


def unpacks_without_end(rng: np.random.Generator) -> File:
    """Return a small file that unpacks to very much."""
    packer = lzma.LZMACompressor(preset=0)
    parts = [packer.compress(b"a,b,label\n")]
    parts += [packer.compress(b"0,0,1\n" * (1 << 20)) for _ in range(BOMB_MEBIBYTES // 6)]
    return File(".csv.xz", b"".join([*parts, packer.flush()]), True, "a file that grows")


MAKINGS: tuple[Making, ...] = (
    garbled,
    another_field,
    another_header,
    cut_off,
    another_label,
    of_another_size,
    another_index,
    lying,
    badly_written,
    unpacks_without_end,
)


class MalformedData(FaultClass):
    """A user's own file that is not what it should be: named, with what to do, and no traceback."""

    name: ClassVar[str] = "malformed data"
    share: ClassVar[float] = 0.18
    short: ClassVar[int] = 8

    def one(self, number: int) -> Verdict:
        """Make a file, and run a study of one cell on it."""
        folder = self.folder / str(number)
        folder.mkdir()
        made = MAKINGS[number % len(MAKINGS)](self.rng)
        self._write(folder, made)
        fault = f"{made.ending}: {made.what}"
        ran = self.starter.run(self._arguments(folder), folder / "log")
        wrong = judged(fault, ran, allowed=(0, 1, 2))
        if wrong:
            return wrong
        if ran.status == 0 and (taken := self._taken_for_good(folder, made)):
            return Verdict(fault, Outcome.WRONG, f"{taken}: {ran.tail}")
        named = f"own{made.ending}" in ran.output or "data set 'own'" in ran.output
        if ran.status != 0 and not named:
            return Verdict(fault, Outcome.STATUS, f"the data are not named: {ran.tail}")
        return Verdict(fault)

    def _write(self, folder: Path, made: File) -> None:
        (folder / f"own{made.ending}").write_bytes(made.content)
        # Of labels that are to be told apart none is the positive one, against all others.
        keys = KEYS[made.ending] if made.classes is None else "target: label"
        (folder / "trial.yaml").write_text(
            "study: trial\nrealizations: 1\ndatasets:\n"
            f"  - {{name: own, path: own{made.ending}, {keys},"
            " split: {protocol: random, n_train: 40, n_test: 20}}\n"
            'algorithms: {majority: {estimator: "troublesome:Majority"}}\n'
        )

    def _taken_for_good(self, folder: Path, made: File) -> str:
        """Return in what respect data were found good that are not; "" if they are."""
        records = read_records(folder / "r" / "trial").values()
        if not any(record.status == "ok" for record in records):
            return ""
        if made.refused:
            return "taken for good data"
        facts = {key: value for record in records for key, value in record.metrics.items()}
        if made.classes not in (None, facts["classes"]):
            return f"{facts['classes']} classes"
        if made.what == "garbled" and made.ending in CHECKSUMMED:
            keys = {record.key for record in records}
            if keys != self._keys_of_good(made.ending):
                return "other data than the file held before"
        return ""

    def _keys_of_good(self, ending: str) -> set[str]:
        folder = self.folder / f"good{ending}"
        if not folder.exists():
            folder.mkdir()
            self._write(folder, File(ending, good(ending), False, "good"))
            ran = self.starter.run(self._arguments(folder), folder / "log")
            assert ran.status == 0, ran.tail
        return {record.key for record in read_records(folder / "r" / "trial").values()}

    def _arguments(self, folder: Path) -> list[str]:
        config, results = str(folder / "trial.yaml"), str(folder / "r")
        return ["run", config, "--results", results, "--jobs", "1"]
