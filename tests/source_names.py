"""The source files of the package and of the command, and the public names that they define."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = [*(ROOT / "ensvm").rglob("*.py"), *(ROOT / "cli").rglob("*.py")]
TYPE_NAME = re.compile("[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")  # constants are in capitals


def public_names(path: Path) -> Iterator[str]:
    """Yield the public classes, types and functions of a file, without the verbs of the command."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named = (each.id for each in targets if isinstance(each, ast.Name))
            yield from filter(TYPE_NAME.fullmatch, named)
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            decorators = [ast.unparse(each) for each in node.decorator_list]
            if not any(".command(" in each or each == "overload" for each in decorators):
                yield node.name
