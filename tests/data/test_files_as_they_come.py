"""Files as their publishers name and write them: LIBSVM's names, text columns, sample numbers."""

import bz2
import lzma

import numpy as np
import pandas as pd
import pytest

from ensvm.data import inline_card, load
from ensvm.data.alarms import alarms
from ensvm.drafting.draft import draft_study
from ensvm.errors import UserError

RNG = np.random.default_rng(0)
ROWS = RNG.random((40, 3)).round(3)
LIBSVM = "".join(
    f"{(-1) ** k:+d} " + " ".join(f"{at}:{value}" for at, value in enumerate(row, 1)) + "\n"
    for k, row in enumerate(ROWS)
)
FOLDS = {"split": {"protocol": "kfold", "n_splits": 5}}
COLOURS = pd.DataFrame(
    {
        "colour": ["red", "green", "", "blue"] * 10,
        "size": range(40),
        "kind": ["a", "a", "b", "b", "a"] * 8,
    }
)


def loaded(folder, **keys):
    return load(inline_card({"name": "mine", **FOLDS, **keys}, folder))


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a1a", bytes),
        ("a1a.t", bytes),
        ("data.txt", bytes),
        ("svmguide1.xz", lzma.compress),
        ("w8a.bz2", bz2.compress),
    ],
)
@pytest.mark.parametrize("keys", [{}, {"format": {"type": "libsvm"}}], ids=["shown", "said"])
def test_libsvm_text_needs_no_ending(tmp_path, name, pack, keys):
    (tmp_path / name).write_bytes(pack(b"# a comment\n" + LIBSVM.encode()))
    found = loaded(tmp_path, path=name, **keys)
    np.testing.assert_array_equal(found.X.toarray(), ROWS)
    if not keys:
        assert draft_study(tmp_path / name, tmp_path / "c.yaml").classes == {"-1": 20, "1": 20}


def test_libsvm_text_may_have_long_lines_and_rows_of_zeros(tmp_path):
    wide = " ".join(f"{k}:0.123456789" for k in range(1, 8001))
    lines = [f"{label} {wide if label > 0 else '  # zeros'}\n" for label in (-1, 1)]
    (tmp_path / "wide").write_text("".join(lines * 20))
    assert loaded(tmp_path, path="wide").X.shape == (40, 8000)


def test_a_format_that_is_written_goes_before_the_ending(tmp_path):
    table = "a,kind\n" + "1,x\n2,y\n" * 20
    (tmp_path / "mine.svm").write_text(table)
    found = loaded(tmp_path, path="mine.svm", target="kind", format={"type": "table"})
    assert found.X.shape == (40, 1)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"train": "a1a.x", "test": "a1a"}, "train: there is no file .*a1a.x; did you mean 'a1a'"),
        (
            {"split": {"protocol": "offical"}},
            "'offical' is not accepted; .*did you mean 'official'",
        ),
        (
            {"split": {"protocol": "official", "n_train": 41}},
            "41 is more than the 40 training rows",
        ),
        ({"split": {"protocol": "official", "n_train": 1.5}}, "of at most 1.0"),
        ({"features": 1}, "features: 1: .*a1a has . columns"),
    ],
)
def test_what_is_wrong_with_two_files_is_said_at_its_key(tmp_path, keys, message):
    (tmp_path / "a1a").write_text(LIBSVM)
    block = {"train": "a1a", "test": "a1a", "split": {"protocol": "official"}, **keys}
    with pytest.raises(UserError, match=message):
        loaded(tmp_path, **block)


def test_all_training_rows_are_a_share_of_1(tmp_path):
    (tmp_path / "a1a").write_text(LIBSVM)
    split = {"protocol": "official", "n_train": 1.0}
    assert loaded(tmp_path, train="a1a", test="a1a", split=split).card.split.n_train == 40


def test_libsvm_text_has_no_other_format(tmp_path):
    (tmp_path / "a1a").write_text(LIBSVM)
    with pytest.raises(UserError, match="format: is for tables of text; remove it for the file"):
        loaded(tmp_path, path="a1a", format={"type": "libsvm", "delimiter": "tab"})
    (tmp_path / "prose").write_text("1 2 3\n" + LIBSVM)
    with pytest.raises(UserError, match=r"ends in none of \.csv, .* and it is not LIBSVM text"):
        loaded(tmp_path, path="prose")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_column_of_text_becomes_indicators_without_a_list(tmp_path, ending):
    pytest.importorskip("pyarrow")
    getattr(COLOURS, f"to_{ending}")(tmp_path / f"mine.{ending}", index=False)
    found = loaded(
        tmp_path,
        path=f"mine.{ending}",
        target="kind",
        inputs={"colour": "one-hot"},
        incomplete="keep",
        fill=0,
    )
    assert found.card.inputs["colour"] == {"one-hot": ["blue", "green", "red"]}
    assert found.X.shape == (40, 4)


def test_the_values_of_all_files_count(tmp_path):
    first, second = COLOURS[COLOURS["colour"] != "red"], COLOURS[COLOURS["colour"] != "blue"]
    first.to_csv(tmp_path / "train.csv", index=False)
    second.to_csv(tmp_path / "test.csv", index=False)
    card = inline_card(
        {
            "train": "train.csv",
            "test": "test.csv",
            "target": "kind",
            "inputs": {"colour": "one-hot"},
            "incomplete": "drop",
        },
        tmp_path,
    )
    assert card.inputs["colour"] == {"one-hot": ["blue", "green", "red"]}


@pytest.mark.parametrize(("header", "rows"), [(False, 41), (True, 40), (None, 40)])
def test_a_header_is_there_or_not(tmp_path, header, rows):
    text = COLOURS.drop(columns="colour").to_csv(index=False).replace("size,kind", "0,a")
    (tmp_path / "mine.csv").write_text(text)
    form = {} if header is None else {"format": {"header": header}}
    target = "a" if header or header is None else 1
    assert loaded(tmp_path, path="mine.csv", target=target, **form).card.rows == rows


@pytest.mark.parametrize(
    ("name", "low", "high", "is_named"),
    [
        ("sample", 0, 500, True),
        ("Sample code number", 0, 500, True),
        ("first", 10**5, 10**7, True),
        ("first", 0, 500, False),
    ],
)
def test_a_sample_number_that_repeats_is_named(tmp_path, name, low, high, is_named):
    """As 645 of the 699 sample numbers of the Wisconsin breast cancer data differ."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: rng.integers(low, high, 300), "x": rng.integers(1, 11, 300)})
    frame.assign(kind=np.where(frame["x"] + rng.normal(0, 4, 300) > 5, 4, 2)).to_csv(
        tmp_path / "mine.csv", index=False
    )
    found = alarms(loaded(tmp_path, path="mine.csv", target="kind"))
    assert any(f"{name!r} has " in alarm for alarm in found) == is_named
