"""Subsets: the rows of another data set, in the order of the whole."""

import os

import numpy as np
import pytest

from ensvm.data import find_card, load
from ensvm.data.files.file_content import Raw, joined_parts
from ensvm.data.loading import read_arrays
from ensvm.data.providers.folders import data_folders
from ensvm.data.providers.serving import subset_text

MIRROR = os.environ.get("ENSVM_DATA")
TRAIN = Raw(np.array([[1, 0, 0], [0, 0, 2]]), np.array(["1", "-1"]))
TEST = Raw(np.array([[0, 0, 0], [0, 1, 1], [3, 0, 0]]), np.array(["1", "-1", "-1"]))
WHOLE = joined_parts([TRAIN, TEST])
LEVELS = "10201"  # of the whole: test, train, test, train, test


def test_kept_rows_come_in_the_order_of_the_whole() -> None:
    assert subset_text(WHOLE, LEVELS, "01") == b"+1 \n+1 1:1 \n-1 3:2 \n-1 1:3 \n"
    assert subset_text(WHOLE, LEVELS, "2") == b"-1 2:1 3:1 \n"


def test_levels_partition_the_rows() -> None:
    lines = [subset_text(WHOLE, LEVELS, keep).splitlines() for keep in ("0", "1", "2", "012")]
    assert sorted(lines[0] + lines[1] + lines[2]) == sorted(lines[3])


@pytest.mark.parametrize("levels", ["1020", "10001", "102011"])
def test_list_of_another_data_set_is_refused(levels: str) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        subset_text(WHOLE, levels, "0")


@pytest.mark.slow
@pytest.mark.skipif(MIRROR is None, reason="ENSVM_DATA names no folder of originals")
@pytest.mark.parametrize("name", ["a2a", "a3a"])
def test_rebuilt_subsets_of_adult_are_the_published_files(name: str) -> None:
    card = find_card(name)
    only = {
        part: [source for source in sources if source.subset]
        for part, sources in card.parts.items()
    }
    arrays, provider = read_arrays(card.model_copy(update=only), data_folders(MIRROR, offline=True))
    assert provider == "subset of a1a"
    assert arrays.checksum == load(card, data_dir=MIRROR).checksum
