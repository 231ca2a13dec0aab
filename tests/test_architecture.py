"""The house: imports run downwards only, and the packages that are shipped are those that are there."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A room may import its own floor's name and those listed after it.
FLOORS = (
    "ensvm_cli",
    "ensvm.report",
    "ensvm.runner",
    "ensvm.classifiers",
    "ensvm.data",
    "ensvm.solvers",
    "ensvm.lowrank",
    "ensvm.partial_cholesky",
    "ensvm.sigest",
    "ensvm.kernels",
)
MODULES = sorted([*(ROOT / "ensvm").rglob("*.py"), *(ROOT / "cli").rglob("*.py")])


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts).replace("cli.", "ensvm_cli.", 1) if parts[0] == "cli" else ".".join(parts)


def floor(module: str) -> int | None:
    return next((level for level, room in enumerate(FLOORS) if f"{module}.".startswith(f"{room}.")), None)


def imported(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_downwards(path):
    here = floor(module_name(path))
    for name in imported(path):
        there = floor(name)
        if here is not None and there is not None:
            assert there >= here, f"{module_name(path)} imports {name}, a higher room"


@pytest.mark.parametrize(
    "room", ["ensvm/solvers", "ensvm/lowrank.py", "ensvm/partial_cholesky.py", "ensvm/sigest.py", "ensvm/kernels.py"]
)
def test_the_lowest_rooms_know_no_scikit_learn_and_no_files(room):
    place = ROOT / room
    for path in [place] if place.is_file() else sorted(place.glob("*.py")):
        for name in imported(path):
            assert name.partition(".")[0] not in ("sklearn", "pandas", "yaml", "pathlib", "click", "rich")


def test_the_runner_knows_no_algorithm():
    for path in (ROOT / "ensvm" / "runner").glob("*.py"):
        assert not [name for name in imported(path) if name.startswith(("ensvm.classifiers.", "ensvm.solvers"))]


def test_the_wheel_has_every_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {path.parent for path in MODULES if path.name == "__init__.py"}
    packages = {module_name(folder / "__init__.py").removesuffix(".__init__") for folder in folders}
    assert packages | {"ensvm.configs", "ensvm.datasets"} == set(settings["packages"])
