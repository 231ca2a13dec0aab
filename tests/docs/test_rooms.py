"""CONTRIBUTING draws the rooms as imports run, and names files that exist."""

import re
import tomllib
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
