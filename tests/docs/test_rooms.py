"""CONTRIBUTING draws the rooms as imports run, and names files that exist; a name is one thing."""

import re
import tomllib
from collections import Counter
from pathlib import Path

from source_names import SOURCES, public_names

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
INSTALLED_AS = {"ensvm_cli": "cli"}


def test_rooms_are_drawn_in_the_order_of_imports():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (one["layers"] for one in contracts["contracts"] if one["type"] == "layers")
    names = [re.split(r" [:|] ", layer) for layer in layers]
    paths = [INSTALLED_AS.get(name, name.replace(".", "/")) for layer in names for name in layer]
    rooms = [path for path in paths if (ROOT / path).is_dir()]
    assert re.findall(r"^    ([a-z/]+?)/? {2,}\S", PAGE.partition("## The house")[2], re.M) == rooms
    packages = {path.parent for path in (ROOT / "ensvm").glob("*/__init__.py")}
    assert {ROOT / room for room in rooms} == {*packages, ROOT / "cli"}


def test_files_that_it_names_exist():
    named = re.findall(r"`((?:ensvm|cli|tests|docs)/[\w./-]*)`", PAGE)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


# Modules with the same functions, of which a caller takes one by its name: a kind of figures each
PLOTS = {"boxes", "curves", "decision_maps", "scatters", "search_maps"}


def test_a_class_type_or_function_has_a_name_of_its_own():
    """One word, one thing: what two rooms call alike is one, or has two names."""
    names = Counter(
        name for path in SOURCES if path.stem not in PLOTS for name in public_names(path)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_a_file_has_a_name_of_its_own():
    names = Counter(path.name for path in SOURCES if not path.name.startswith("__"))
    assert [name for name, count in names.items() if count > 1] == []
