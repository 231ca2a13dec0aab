"""Counts in words: every noun that a message counts has its singular behind 1."""

import re
from pathlib import Path

import pytest

from ensvm.counts import counted, of_all, plural

ROOT = Path(__file__).parents[1]
CALLS = re.compile(r"""(?:counted|of_all|named)\((?:[^"'()]|\([^()]*\))*["']([a-z ]+)["']\)""")
OWN = re.compile(r"""\{'s'|\{"s"|'s' \*|"s" \*|'s' if|"s" if""")


def sources():
    return [*(ROOT / "ensvm").rglob("*.py"), *(ROOT / "cli").rglob("*.py")]


def nouns():
    """Return the nouns that the code counts."""
    return sorted({noun for path in sources() for noun in CALLS.findall(path.read_text())})


@pytest.mark.parametrize("noun", nouns())
def test_a_noun_stands_in_the_singular_behind_1_only(noun):
    assert not noun.endswith("s") or noun.endswith("ss")
    assert counted(1, noun) == f"1 {noun}"
    for n in (0, 2, 2105):
        assert counted(n, noun) == f"{n:,} {plural(noun)}"
        assert plural(noun) != noun


def test_irregular_endings():
    assert [plural(noun) for noun in ("study", "class", "box", "day", "match")] == [
        "studies",
        "classes",
        "boxes",
        "days",
        "matches",
    ]
    assert of_all(3, 1, "cell") == "3 of 1 cell"


def test_no_module_makes_its_own_plural():
    assert not [path.name for path in sources() if OWN.search(path.read_text())]
