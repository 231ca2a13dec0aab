"""CONTRIBUTING draws the rooms as imports run, and names files that exist; a name is one thing."""

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

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


def test_a_class_has_a_name_of_its_own():
    """One word, one thing: no two rooms have public classes of one name."""
    names = Counter(
        node.name
        for folder in ("ensvm", "cli")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []
