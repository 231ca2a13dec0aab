"""The house: imports run downwards only, every room is named, no folder hides a package."""

import ast
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A room may import its own floor's rooms' files and rooms of the floors listed after it. Rooms on
# one floor stand side by side: neither may import the other.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("ensvm_cli",),
    ("ensvm.notebook",),
    ("ensvm.report", "ensvm.runner"),
    ("ensvm.study",),
    ("ensvm.records",),
    ("ensvm.classifiers",),
    ("ensvm.data",),
    ("ensvm.solvers",),
    ("ensvm.kernels",),
    ("ensvm.compiled", "ensvm.memory", "ensvm.seeds", "ensvm.shipped"),
)
ROOMS = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
MODULES = sorted([*(ROOT / "ensvm").rglob("*.py"), *(ROOT / "cli").rglob("*.py")])
MOST_FILES = 15


def module_name(path: Path) -> str:
    """Return the dotted name a file is imported by."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("ensvm_cli", *parts[1:]) if parts[0] == "cli" else parts)


def room_of(module: str) -> str | None:
    """Return the room a module belongs to; None for other packages and for `ensvm` itself."""
    return next((room for room in ROOMS if f"{module}.".startswith(f"{room}.")), None)


def imported(path: Path) -> list[str]:
    """Return the modules that a file imports anywhere, `from a import b` as both a and a.b."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_downwards(path):
    here = room_of(module_name(path))
    for name in imported(path):
        there = room_of(name)
        if here is None or there is None or here == there:
            continue
        assert ROOMS[there] > ROOMS[here], f"{module_name(path)} imports {name}, not a lower room"


def test_every_file_belongs_to_a_room():
    outside = [path for path in MODULES if room_of(module_name(path)) is None]
    names = [path.relative_to(ROOT).as_posix() for path in outside]
    assert names == ["ensvm/__init__.py", "ensvm/__main__.py"]


def test_the_library_never_imports_the_command():
    """But for `python -m ensvm`, which is the command, and which nobody imports."""
    for path in MODULES:
        names = imported(path)
        assert "ensvm.__main__" not in names, path
        if path.is_relative_to(ROOT / "ensvm") and path.name != "__main__.py":
            assert not [name for name in names if name.startswith("ensvm_cli")], path


def test_nothing_imports_in_a_circle():
    known = {module_name(path).removesuffix(".__init__"): path for path in MODULES}
    del known["ensvm"]  # it names classifiers for type checkers alone, and imports none
    at_import = {
        name: {other for other in top_level_imports(path) if other in known and other != name}
        for name, path in known.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"imports in a circle: {' -> '.join((*trail, name))}"
        if name not in done:
            for other in sorted(at_import[name]):
                visit(other, (*trail, name))
            done.add(name)

    for name in known:
        visit(name, ())


def top_level_imports(path: Path) -> list[str]:
    """Return what a file imports outside of functions, under `if TYPE_CHECKING:` too."""
    names = []
    waiting: list[ast.stmt] = list(ast.parse(path.read_text(encoding="utf-8")).body)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.If | ast.Try):
            waiting += [
                inner for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.stmt)
            ]
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            submodules = [name for name in inner if is_module(name)]
            # A package's own names are needed only where something else than a submodule is taken.
            names += submodules if len(submodules) == len(inner) else [node.module, *submodules]
    return names


def is_module(name: str) -> bool:
    """Return whether a dotted name of ours is a file or a package."""
    place = ROOT.joinpath(*name.replace("ensvm_cli", "cli", 1).split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


@pytest.mark.parametrize("room", ["solvers", "kernels"])
def test_the_lowest_rooms_know_no_scikit_learn_and_no_files(room):
    for path in sorted((ROOT / "ensvm" / room).rglob("*.py")):
        for name in imported(path):
            top = name.partition(".")[0]
            assert top not in ("sklearn", "pandas", "yaml", "pathlib", "click", "rich"), path


def test_the_runner_knows_no_algorithm():
    for path in (ROOT / "ensvm" / "runner").rglob("*.py"):
        found = [
            name
            for name in imported(path)
            if name.startswith(("ensvm.classifiers.", "ensvm.solvers")) and is_module(name)
        ]
        assert not found, path


def test_the_report_cannot_reach_what_runs():
    """Neither the runner nor, through any chain of imports, classifiers and solvers."""
    known = {module_name(path).removesuffix(".__init__"): path for path in MODULES}
    del known["ensvm"]  # it names classifiers for type checkers alone, and imports none
    waiting = [name for name in known if name.startswith("ensvm.report")]
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in known and name not in reached:
            reached.add(name)
            waiting += imported(known[name])
    assert not [
        name
        for name in reached
        if name.startswith(("ensvm.runner", "ensvm.classifiers.", "ensvm.solvers"))
    ]


def folders() -> list[Path]:
    """Return the folders of code, the tests' too."""
    return sorted({path.parent for path in [*MODULES, *(ROOT / "tests").rglob("*.py")]})


@pytest.mark.parametrize("folder", folders(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_folder_hides_a_package(folder):
    names = [path.stem.removeprefix("test_") for path in folder.glob("*.py")]
    assert len(names) <= MOST_FILES
    prefixes = Counter(name.split("_")[0] for name in names if name != "__init__")
    assert max(prefixes.values(), default=0) < 3, f"three files share a prefix: {prefixes}"


def test_the_wheel_has_every_package():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    settings = tomllib.loads(text)["tool"]["setuptools"]
    inits = [path for path in MODULES if path.name == "__init__.py"]
    packages = {module_name(path).removesuffix(".__init__") for path in inits}
    assert packages | {"ensvm.configs", "ensvm.datasets"} == set(settings["packages"])


@pytest.mark.parametrize("folder", ["configs", "datasets"])
def test_what_is_no_code_keeps_to_its_columns_too(folder):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    most = settings["ruff"]["line-length"]
    for path in (ROOT / folder).glob("*.yaml"):
        lines = path.read_text(encoding="utf-8").splitlines()
        too_long = [n for n, line in enumerate(lines, 1) if len(line) > most]
        assert not too_long, f"{path.name}, lines {too_long}"
