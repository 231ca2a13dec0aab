"""Files damaged at random, always in the same ways: a message that names the file, or they load."""

import shutil

import numpy as np
import pytest
from made_up_records import cells_run_here, invoke

from ensvm.records.store import CELLS_FILE
from faults.study import content, write_study

SEEDS = range(8)
TOKENS = (
    *(b"[]", b"{}", b"null", b"''", b"-1", b"0", b"1e400", b".nan", b"true", b"nan", b"inf"),
    *(b"&a [*a]", b"!!float x", b"? [x, y]", b'"\\ud800"', b"os:getpid", b"SVC:", b"<<", b"x"),
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\t", b'"', b",", b";", b":", b"#", b"\n", b"- ", b"{"),
)


def damaged(good: bytes, rng: np.random.Generator) -> bytes:
    """Return bytes that are cut off, changed, left out, zeroed or moved."""
    at, size = int(rng.integers(len(good))), int(rng.integers(1, 64))
    lines = good.splitlines(keepends=True)
    line = lines.pop(rng.integers(len(lines)))
    lines.insert(int(rng.integers(len(lines) + 1)), line * int(rng.integers(3)))
    flipped = bytes([good[at] ^ 1 << int(rng.integers(8))])
    token = TOKENS[rng.integers(len(TOKENS))]
    return [
        good[:at],
        good[:at] + flipped + good[at + 1 :],
        good[:at] + good[at + size :],
        good[:at] + bytes(size) + good[at + size :],
        good[:at] + token + good[at + int(rng.integers(8)) :],
        good[:at] + token + good[at:],
        b"".join(lines),
    ][rng.integers(7)]


def must_end_well(ran, *names) -> None:
    """Assert that a command ended well or with a message that has one of these names."""
    assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exc_info
    assert ran.exit_code in (0, 1, 2)
    assert ran.exit_code == 0 or any(name in ran.output for name in names), ran.output


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_config_is_checked_or_refused(tmp_path, seed):
    config = write_study(tmp_path / "study")
    config.write_bytes(damaged(config.read_bytes(), np.random.default_rng(seed)))
    must_end_well(invoke("check", config), "trial.yaml", "printed.csv")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study's config and results."""
    folder = tmp_path_factory.mktemp("done")
    config = write_study(folder / "study")
    with pytest.MonkeyPatch.context() as patch:
        cells_run_here(patch)
        assert invoke("run", config, "--results", folder / "r", "--jobs", "1").exit_code == 0
    return config, folder / "r"


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_records_are_named_and_the_intact_ones_kept(tmp_path, done, seed):
    config, good = done
    results = tmp_path / "r"
    shutil.copytree(good, results)
    cells = results / "trial" / CELLS_FILE
    whole = cells.read_bytes()
    cells.write_bytes(damaged(whole, np.random.default_rng(seed)))
    intact = {line for line in cells.read_bytes().split(b"\n")[:-1] if line in whole.split(b"\n")}
    must_end_well(invoke("table", results), "cells.jsonl", "no records")
    (results / "trial" / "table-errors.csv").unlink(missing_ok=True)
    ran = invoke("run", config, "--results", results, "--jobs", "1")
    must_end_well(ran, "cells.jsonl")
    assert intact <= set(cells.read_bytes().split(b"\n"))
    if ran.exit_code == 0:
        # Every cell has a record. A damaged line may be a record of another name or value.
        records, expected = (content(each)["trial/cells.jsonl"] for each in (results, good))
        assert expected.keys() <= records.keys()
