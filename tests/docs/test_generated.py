"""What code writes into the repository is what it would write now."""

from pathlib import Path

import generated
import pytest

WORKS = sorted((generated.ROOT / "docs" / "explanation" / "works").glob("*.md"))


@pytest.mark.parametrize(
    "path", generated.FILES, ids=lambda path: path.relative_to(generated.ROOT).as_posix()
)
def test_a_file_is_as_the_code_writes_it(path: Path, request: pytest.FixtureRequest) -> None:
    """If not: `make generated`."""
    if generated.shows_results(path):
        request.getfixturevalue("committed_results")
    assert generated.FILES[path](path) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", WORKS, ids=lambda page: page.stem)
def test_the_page_of_a_work_has_its_findings(page: Path) -> None:
    assert f"<!-- findings: {page.stem} -->" in page.read_text(encoding="utf-8")
