"""A file that was cut off in its last line is refused, or the draft says what is missing."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ensvm.data import inline_card, load
from ensvm.data.files.last_line import NO_LINE_BREAK, ends_whole
from ensvm.drafting.draft import draft_study
from ensvm.errors import UserError

N = 40
LABELS = ["sick", "well"]
ROWS = [(f"{(i * 7919 % 997) / 100:.2f}", f"{i * i % 31}", LABELS[i % 2]) for i in range(N)]
ARFF = "@relation t\n@attribute a real\n@attribute b real\n@attribute label {sick,well}\n@data\n"


def delimited(mark: str) -> str:
    return "".join(mark.join(row) + "\n" for row in [("a", "b", "label"), *ROWS])


def sparse_arff() -> str:
    return ARFF + "".join(f"{{0 {a}, 1 {b}, 2 {label}}}\n" for a, b, label in ROWS)


TEXTS = {
    "d.csv": delimited(","),
    "d.tsv": delimited("\t"),
    "d.txt": delimited("  "),
    "d.arff": ARFF + "".join(",".join(row) + "\n" for row in ROWS),
    "sparse.arff": sparse_arff(),
    "d.dat": ARFF.replace("real", "real [0.0, 99.0]") + "".join(",".join(r) + "\n" for r in ROWS),
    "d.libsvm": "".join(f"{LABELS.index(c)} 1:{a} 2:{b}.5\n" for a, b, c in ROWS),
}


def arrays(path: Path) -> tuple[object, ...]:
    """Return the inputs and the labels that a config reads."""
    block = {"name": "d", "path": path.name, "split": {"protocol": "random", "n_train": 0.8}}
    if path.suffix != ".libsvm":
        block["target"] = "label"
    if path.suffix == ".txt":
        block["format"] = {"delimiter": "whitespace"}
    dataset = load(inline_card(block, path.parent))
    X = dataset.X.toarray() if path.suffix == ".libsvm" else dataset.X
    return X.tolist(), [dataset.classes[int(code > 0)] for code in dataset.y.tolist()]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_text_cut_at_any_byte_of_its_last_line_is_never_read_in_silence(
    tmp_path: Path, name: str, end: str
) -> None:
    content = TEXTS[name].replace("\n", end).encode()
    path = tmp_path / name
    path.write_bytes(content)
    whole = arrays(path)
    assert NO_LINE_BREAK not in draft_study(path, tmp_path / "c.yaml").written_as
    last = content.rstrip().rindex(b"\n") + 1
    changed = 0
    for stop in range(last + 1, len(content)):
        path.write_bytes(content[:stop])
        try:
            same = arrays(path) == whole
        except UserError as error:
            assert str(path) in str(error)  # noqa: PT017
            changed += 1
            continue
        try:
            draft = draft_study(path, tmp_path / "c.yaml")
        except UserError:
            continue
        said = " ".join([draft.written_as, *draft.alarms])
        assert content[:stop].endswith(b"\r") or "last line" in said
        assert same or name in ("d.libsvm",) or "footer" in str(draft.block), content[last:stop]
    assert changed > 3


def test_a_cut_label_is_refused_by_draft_and_config_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(TEXTS["d.csv"][:-3])
    for read in (arrays, draft_study):
        with pytest.raises(UserError, match=f"line {N + 1}: .* no line break.*'we'.*cut off"):
            read(path)
    path.write_text(TEXTS["d.csv"][:-1])
    assert len(arrays(path)[1]) == N  # many whole files end so


@pytest.mark.parametrize("name", ["d.npz", "d.parquet", "d.feather"])
def test_a_binary_file_that_was_cut_off_is_refused(tmp_path: Path, name: str) -> None:
    buffer = io.BytesIO()
    if name == "d.npz":
        np.savez(buffer, X=np.random.default_rng(0).random((N, 3)), y=np.arange(N) % 2)
    else:
        pytest.importorskip("pyarrow")
        frame = pd.DataFrame(ROWS, columns=["a", "b", "label"])
        (frame.to_parquet if name == "d.parquet" else frame.to_feather)(buffer)
    content, path = buffer.getvalue(), tmp_path / name
    for stop in [*range(1, len(content), len(content) // 60), len(content) - 1]:
        path.write_bytes(content[:stop])
        with pytest.raises(UserError, match=name):
            draft_study(path, tmp_path / "c.yaml")


def test_the_end_of_a_text_is_found_in_any_encoding() -> None:
    for encoding in ("utf-8", "utf-16", "utf-16-be", "utf-32"):
        assert ends_whole("a,b\n".encode(encoding))
        assert not ends_whole("a,b".encode(encoding))
