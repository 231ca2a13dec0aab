"""The blocks of all pages run, and print what the pages show."""

from functools import lru_cache

import page_blocks
import pytest

from ensvm.report.query import read_shipped_study


@pytest.fixture(autouse=True, scope="module")
def shipped_records_are_read_once():
    """Seven pages show results of ijcai07, and reading its 31,000 records takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        read_once = lru_cache(maxsize=1)(read_shipped_study)
        patch.setattr("ensvm.report.query.read_shipped_study", read_once)
        yield


@pytest.mark.slow
@pytest.mark.parametrize("page", page_blocks.PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_blocks_print(page, tmp_path):
    steps = page_blocks.run_page(page, tmp_path)
    wrong = [step for step in steps if not page_blocks.agrees(step.expected, step.printed)]
    assert wrong == []


def test_numbers_may_be_near_and_lines_may_be_left_out():
    printed = "one 1.001\ntwo\nthree 3.0"
    assert page_blocks.agrees("one 1.0\n...\nthree 3.0", printed)
    assert not page_blocks.agrees("one 1.5\n...\nthree 3.0", printed)
    assert not page_blocks.agrees("one 1.0\n...\nfour 3.0", printed)
