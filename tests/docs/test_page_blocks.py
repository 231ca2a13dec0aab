"""The blocks of pages run, and print what the pages show."""

import re
from pathlib import Path

import generated
import numpy as np
import page_blocks
import pytest
import wide_vectors
from worked_verdicts import worked

from ensvm.report.verdict import verdict_on

ROOT = Path(__file__).parents[2]
# Pages with numbers of scikit-learn's boosted trees. Equal splits are decided by the last bits of
# row weights, and NumPy's exp has other ones where the processor has AVX-512.
BOOSTED_TREES = {"a-table-of-your-own"}


@pytest.mark.slow
@pytest.mark.parametrize("page", page_blocks.PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_blocks_print(page, tmp_path):
    steps = page_blocks.run_page(page, tmp_path)
    any_numbers = bool(wide_vectors.IN_USE) and page.stem in BOOSTED_TREES
    wrong = [
        step
        for step in steps
        if not page_blocks.agrees(step.expected, step.printed, any_numbers=any_numbers)
    ]
    assert wrong == []


def test_numbers_may_be_near_and_lines_may_be_left_out():
    printed = "one 1.001\ntwo\nthree 3.0"
    assert page_blocks.agrees("one 1.0\n...\nthree 3.0", printed)
    assert not page_blocks.agrees("one 1.5\n...\nthree 3.0", printed)
    assert not page_blocks.agrees("one 1.0\n...\nfour 3.0", printed)
    assert page_blocks.agrees("one 1.5\n...\nthree 4", printed, any_numbers=True)
    assert not page_blocks.agrees("one 1.0\n...\nfour 3.0", printed, any_numbers=True)


def test_a_page_written_anew_leaves_out_the_same_lines():
    page = "```console\n$ a\none 1.0\n...\nthree 3.0\n$ b\n1\n```\n"
    steps = [
        page_blocks.Step("a", "one 1.0\n...\nthree 3.0", "one 1.5\ntwo 2\nthree  3.0"),
        page_blocks.Step("b", "1", "one\ntwo"),
    ]
    written = page_blocks.with_outputs(page, steps)
    assert written == "```console\n$ a\none 1.5\n...\nthree  3.0\n$ b\none\ntwo\n```\n"


def test_the_examples_of_signs_are_those_of_the_code():
    text = (ROOT / "docs" / "understand" / "signs-and-claims.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| (\S+) to (\S+) \| `.` (.+?) \|", text, re.MULTILINE)
    assert len(rows) == 4
    for value, low, high, verdict in rows:
        ends = np.array([float(low), float(high)])
        assert ends.mean() == pytest.approx(float(value))
        assert verdict_on(*ends, margin=1.0) == verdict
    *_, of_cancer = worked()
    assert f"from {of_cancer.low:.2f} to {of_cancer.high:.2f}" in " ".join(text.split())


def test_the_example_of_the_readme_prints_what_it_says():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    score = []
    exec(code, {"print": score.append})
    assert score[0] == pytest.approx(float(code.rsplit("#", 1)[1]), abs=1e-9)


@pytest.mark.parametrize("page", generated.PAGES, ids=lambda page: page.parent.name)
def test_results_on_a_page_are_those_of_the_records(page):
    """If not: `python tests/generated.py`."""
    assert generated.filled_page(page) == page.read_text(encoding="utf-8")
