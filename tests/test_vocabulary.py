"""One word for one thing: the names that the sources say for another thing than they mean."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*(ROOT / "ensvm").rglob("*.py"), *(ROOT / "cli").rglob("*.py")])
# What is not said, and what is said for it.
FORBIDDEN = {
    "parameter, option or key, for what a user sets": re.compile(
        r"(?<![a-z])words?(?![a-z])", re.I
    ),
    "value or estimate, for a number": re.compile(r"(?<![a-z])figures?(?![a-z])", re.I),
    "load, fetch or find, for data": re.compile(r"\bbe had\b", re.I),
    "first or long, for what costs much": re.compile(r"\bdear(er|est)?\b", re.I),
}
# "figure" is right for a picture: those that a study draws, and those of the papers, which have a
# number. These files are about the pictures themselves.
ABOUT_PICTURES = (
    "cli/results/figure.py",
    "cli/results/report.py",
    "cli/results/table.py",
    "cli/main.py",
    "cli/terminal.py",
    "ensvm/report/current_config.py",
    "ensvm/notebook/",
    "ensvm/report/html/",
    "ensvm/report/plots/",
    "ensvm/report/readings/coverage.py",
    "ensvm/report/summary.py",
    "ensvm/report/write.py",
    "ensvm/runner/plan.py",
    "ensvm/study/block.py",
    "ensvm/study/config.py",
    "ensvm/study/coverage.py",
    "ensvm/study/",
    "ensvm/study/sweeps.py",
)
OF_A_PAPER = re.compile(r"\bFigures? [0-9]+( (and|to) [0-9]+)?|-figure[0-9]\b")


def misused(path: str, text: str) -> Iterator[str]:
    """Yield where a source says a forbidden name, and what it should say."""
    for number, line in enumerate(text.splitlines(), 1):
        for instead, pattern in FORBIDDEN.items():
            if pattern.search("figure") and path.startswith(ABOUT_PICTURES):
                continue
            for match in pattern.finditer(OF_A_PAPER.sub("", line)):
                yield f"{path}:{number}: {match[0]!r}; say {instead}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_source_says_what_it_means(source):
    name = source.relative_to(ROOT).as_posix()
    assert not list(misused(name, source.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "line",
    [
        "# the words of an algorithm",
        "def check(words): ...",
        "other_words = {}",
        "Return the published figures.",
        "# data that cannot be had",
        "# dear cells first",
    ],
)
def test_a_misused_name_is_found(line):
    (found,) = misused("ensvm/runner/evaluate.py", f"\n{line}\n")
    assert found.startswith("ensvm/runner/evaluate.py:2: ")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (
            "ensvm/solvers/leverage/rounds.py",
            "the algorithm of Figure 2, keywords of Figures 1 to 4",
        ),
        ("ensvm/study/figure_kinds.py", "caption of a figure"),
        ("ensvm/records/store.py", "a record without a password"),
    ],
)
def test_what_is_meant_may_be_said(path, line):
    assert not list(misused(path, line))


@pytest.mark.parametrize("place", ABOUT_PICTURES)
def test_no_exception_outlives_its_reason(place):
    files = [path for path in SOURCES if path.relative_to(ROOT).as_posix().startswith(place)]
    assert any("figure" in path.read_text(encoding="utf-8").lower() for path in files)
