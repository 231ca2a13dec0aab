"""The modules of `ensvm.data` import each other in one direction."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import ensvm.data

ROOT = Path(ensvm.data.__file__).parent


def imports() -> dict[str, set[str]]:
    """Return, of each module, those of `ensvm.data` that it imports when it is loaded."""
    found = {}
    for path in ROOT.rglob("*.py"):
        name = ".".join(("ensvm.data", *path.relative_to(ROOT).with_suffix("").parts))
        tree = ast.parse(path.read_text())
        nodes = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
        found[name] = {node.module for node in nodes if str(node.module).startswith("ensvm.data")}
    return found


def test_no_circle() -> None:
    order = list(TopologicalSorter(imports()).static_order())
    assert "ensvm.data.loading" in order


def test_files_and_generators_know_nothing_of_cards_or_providers() -> None:
    upper = ("ensvm.data.cards", "ensvm.data.providers", "ensvm.data.loading")
    for module, imported in imports().items():
        if module.startswith(("ensvm.data.files.", "ensvm.data.generators.")):
            assert not [name for name in imported if name.startswith(upper)], module
