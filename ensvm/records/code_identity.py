"""The identity of the code of a cell: a hash of the files of `ensvm` that its classes import.

Imports are read from the files, inside functions too, so that nothing is imported to find them.
Modules of a user's own are hashed apart: see `ensvm.runner.own_code`.
"""

import ast
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

from ensvm.file_hash import hash_of_files

# Packages whose versions decide all values, and the distributions that they come in.
NUMERIC = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn", "numba": "numba"}
FOR_TYPE_CHECKERS = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
PACKAGE, FOLDER = __name__.partition(".")[0], Path(__file__).parents[1]


def code_identity(modules: Iterable[str], alone: Iterable[str] = ()) -> str:
    """Return the identity of the code that a cell runs through.

    It has a hash of the files of those `modules` that belong to `ensvm`, of all files of `ensvm`
    that they import, and of the modules `alone`, whose imports are not followed. It ends with the
    versions of the numeric packages and of the packages of the other modules.
    """
    return _identity(frozenset(modules), frozenset(alone))


@cache
def _identity(modules: frozenset[str], alone: frozenset[str]) -> str:
    seen, waiting, packages = set[str](), [*modules], set(NUMERIC)
    while waiting:
        module = waiting.pop()
        if module.partition(".")[0] != PACKAGE:
            if module in modules:
                packages.add(module.partition(".")[0])
        elif module not in seen:
            seen.add(module)
            waiting += _imports_of(module)
    files = filter(None, map(file_of, seen | alone))
    code = hash_of_files(FOLDER, (path.relative_to(FOLDER).as_posix() for path in files))
    versions = [(name, _version(name)) for name in sorted(packages)]
    parts = [f"{name} {number}" for name, number in versions if number]
    return " + ".join([code, *parts])


@cache
def _imports_of(module: str) -> frozenset[str]:
    """Return the modules of `ensvm` that a module of it imports; empty if it has no file."""
    path = file_of(module)
    if path is None:
        return frozenset()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    names = imported_modules(path.read_bytes(), package)
    return frozenset(name for name in names if name.partition(".")[0] == PACKAGE)


def imported_modules(text: bytes, package: str = "") -> set[str]:
    """Return the modules that the text of a file imports, apart from those for type checkers.

    Each name `c` of `from a.b import c` may be a module, so `a.b.c` is among them. Relative imports
    are those of a module of `package`; without one they are left out. A file that is not Python
    imports nothing.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    names = set[str]()
    for node in _without_type_checking(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (package or not node.level):
            above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return names


def _without_type_checking(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements of a module, inner ones too, but not those of `if TYPE_CHECKING:`."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) in FOR_TYPE_CHECKERS:
            continue
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, part, [])


def file_of(module: str) -> Path | None:
    """Return the file of a module of `ensvm`, or None if there is none."""
    top, *parts = module.split(".")
    if top != PACKAGE:
        return None
    path = FOLDER.joinpath(*parts)
    files = (path / "__init__.py", *([path.with_suffix(".py")] if parts else []))
    return next((file for file in files if file.is_file()), None)


def _version(package: str) -> str:
    """Return the version of a package by its metadata; an empty text if it is not installed."""
    try:
        return version(NUMERIC.get(package, package))
    except PackageNotFoundError:  # the distribution may have another name than the package
        return " ".join(map(version, sorted(set(_distributions().get(package, ())))))


_distributions = cache(packages_distributions)  # slow: it reads the files of all distributions
