"""What the shipped results are: records that answer the shipped configs, and pages made of them."""

import pytest
from made_up_records import read_results

from ensvm.records.identity import asked
from ensvm.records.store import SHIPPED_FILE
from ensvm.report.render.first_page import NAME, first_page
from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config, shipped_results

RESULTS = shipped_results()
MOST_BYTES_OF_A_CELL = 45
SMALL_BYTES = 900_000  # with curves, which take more a cell
SHIPPED = sorted(path.parent for path in RESULTS.glob(f"*/{SHIPPED_FILE}"))


@pytest.fixture(scope="module", params=SHIPPED, ids=lambda folder: folder.name)
def folder(request):
    """A study with shipped records. The tests of one study come together, so one reading serves."""
    return request.param


@pytest.fixture(scope="module")
def study(folder):
    return read_results(folder)


def test_shipped_records_are_small_and_of_the_settings_asked_for(folder, study):
    most_bytes = max(SMALL_BYTES, MOST_BYTES_OF_A_CELL * len(study.records))
    assert (folder / SHIPPED_FILE).stat().st_size <= most_bytes
    wanted = {cell.identity: cell.settings for cell in make_plan(find_config(folder.name)).cells}
    strange = [
        identity
        for identity, record in study.records.items()
        if identity not in wanted or asked(record.settings) != asked(wanted[identity])
    ]
    assert not strange, f"{len(strange)} of other settings: tests/rewrite_shipped_records.py"


@pytest.mark.slow
def test_the_page_of_a_study_is_what_its_records_say(folder, study):
    text = (folder / NAME).read_text(encoding="utf-8")
    assert first_page(study) == text


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*/*.md")), ids=lambda path: path.parent.name)
def test_no_page_separates_a_value_from_its_spread(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if " ±" in line or " (±" in line] == []
