"""Tables of few rows and many columns, as gene expressions and spectra are."""

import time

import numpy as np

from ensvm.data import inline_card, load
from ensvm.data.alarms import alarms
from ensvm.drafting.draft import draft_study

ROWS = 40
SPLIT = {"protocol": "random", "n_train": 0.8}


def read(path, **keys):
    """Read a table as `check` does."""
    block = {"name": "wide", "path": path.name, "target": "label", "split": SPLIT, **keys}
    return alarms(load(inline_card(block, path.parent)))


def written(folder, n_columns, decimal="."):
    """Return the path of a table of numbers with so many inputs."""
    names = [f"g{at}" for at in range(n_columns)]
    X = np.random.default_rng(0).normal(size=(ROWS, n_columns)).round(2).astype(str)
    lines = [
        ";".join([*row, "sw"[at % 2]]) for at, row in enumerate(np.char.replace(X, ".", decimal))
    ]
    path = folder / f"{n_columns}.csv"
    path.write_text("\n".join([";".join([*names, "label"]), *lines]) + "\n")
    return path


def seconds(read, path):
    start = time.process_time()
    read(path)
    return time.process_time() - start


def grows_no_faster_than_columns(read, folder):
    """Return whether 4,000 columns take less than 8 times as long as 1,000: quadratic is 16.

    It may take two tries, since the machine may be busy.
    """
    narrow, wide = written(folder, 1000), written(folder, 4000)
    read(narrow)  # imports and the like
    return any(seconds(read, wide) < 8 * seconds(read, narrow) for _ in range(2))


def test_the_time_of_a_check_grows_with_the_columns_and_not_faster(tmp_path):
    one_hot = {"g7": "one-hot", "g9": "one-hot"}
    form = {"delimiter": "semicolon"}

    def check(path):
        drop = [f"g{at}" for at in range(500, 900)]
        return read(path, inputs=one_hot, drop=drop, format=form)

    assert grows_no_faster_than_columns(check, tmp_path)


def test_the_time_of_a_draft_grows_with_the_columns_and_not_faster(tmp_path):
    def draft(path):
        return draft_study(path, tmp_path / "x.yaml")

    assert grows_no_faster_than_columns(draft, tmp_path)


def test_a_draft_of_many_columns_finds_their_decimal_mark(tmp_path):
    draft = draft_study(written(tmp_path, 300, decimal=","), tmp_path / "x.yaml")
    assert draft.block["format"]["decimal"] == ","
    assert all(column.kind == "number" for column in draft.columns if column is not draft.target)
