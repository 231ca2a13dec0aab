"""The identity of the code of `ensvm` that a cell runs through: a hash of its statements.

From its roots (modules, or single names of them), the code is followed by the names that statements
use, and through imports from file to file, as a linker does. A change of a formula in another file
changes the identity; a change of code that the cell never reaches does not. Comments, docstrings
and the layout of lines do not count. Modules of a user's own are hashed as whole files: see
`ensvm.runner.own_code`.
"""

import ast
import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import TypeAlias

# Names that the walk does not follow unless they are roots. The first lists every class: following
# it would make each cell depend on all classes. A card counts by its content, which is among the
# settings of a cell.
ENDS = (("ensvm.classifiers", "ESTIMATORS"), ("ensvm.data.card", "DatasetCard"))
# Packages whose versions decide values, each with the packages that it computes with.
NUMERIC = {
    "numpy": ("numpy",),
    "scipy": ("scipy", "numpy"),
    "sklearn": ("sklearn", "scipy", "numpy"),
    "numba": ("numba", "numpy"),
}
FOR_TYPE_CHECKERS = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
PACKAGE, FOLDER = __name__.partition(".")[0], Path(__file__).parents[1]

Target: TypeAlias = tuple[str, str]  # a module and a name of it; "" for the whole module


def code_identity(roots: Iterable[str], packages: Iterable[str] = ()) -> str:
    """Return the identity of the code that is reached from its roots.

    A root is `package.module` for a whole module, or `package.module:name` for one function, class
    or constant of it. The identity is the hash of all statements of `ensvm` that are reached, and
    the versions of installed packages: the numeric ones, those whose classifiers are reached, and
    the other `packages` that the cell uses.
    """
    return _identity(tuple(sorted(set(roots))), tuple(sorted(set(packages))))


@cache
def _identity(roots: tuple[str, ...], packages: tuple[str, ...]) -> str:
    names = [root.partition(":") for root in roots]
    first = {(module, name.partition(".")[0]) for module, _, name in names}
    texts, used, seen, waiting = set[str](), set(packages), set[Target](), [*first]
    while waiting:
        target = waiting.pop()
        if target not in seen and (target in first or target not in ENDS):
            seen.add(target)
            step = _step(*target)
            texts |= step.texts
            used |= step.packages
            waiting += step.targets
    code = hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:16]
    numeric = {each for package in used for each in NUMERIC.get(package, [package])}
    versions = [(package, _version(package)) for package in sorted(numeric)]
    return " + ".join([code, *(f"{name} {version}" for name, version in versions if version)])


@dataclass(frozen=True)
class _Statement:
    """A top-level statement: its text, the names that it uses, and its inner imports."""

    text: str
    names: frozenset[str]
    imports: tuple[Target, ...]


@dataclass
class _Source:
    """The top-level statements of a file, by the names that they bind or import.

    Statements that bind no name always count: they are in `always`.
    """

    bound: dict[str, list[_Statement]] = field(default_factory=dict)
    imported: dict[str, list[Target]] = field(default_factory=dict)
    always: list[_Statement] = field(default_factory=list)


@dataclass(frozen=True)
class _Step:
    """The statements of one target, the targets that they lead to, and the packages they use."""

    texts: frozenset[str] = frozenset()
    targets: tuple[Target, ...] = ()
    packages: frozenset[str] = frozenset()


@cache
def _step(module: str, name: str) -> _Step:
    source = _source(module)
    if source is None:  # a package counts if it is numeric or its classifier is used
        top = module.partition(".")[0]
        counts = top in NUMERIC or hasattr(getattr(sys.modules.get(module), name, None), "fit")
        return _Step(packages=frozenset({top} if counts else ()))
    texts, targets, statements = set[str](), list[Target](), [*source.always]
    if name in ("", "*"):
        targets += [(module, each) for each in (*source.bound, *source.imported)]
    elif name in source.imported:
        targets += source.imported[name]
    elif name in source.bound:
        statements += source.bound[name]
    elif _source(f"{module}.{name}") is not None:
        targets.append((f"{module}.{name}", ""))
    else:  # made by the module's `__getattr__`
        value = getattr(sys.modules.get(module), name, None)
        if getattr(value, "__module__", module) != module:
            targets.append((value.__module__, getattr(value, "__name__", "")))
    for statement in statements:
        texts.add(f"{module}: {statement.text}")
        targets += statement.imports
        for used in statement.names:
            if used in source.imported:
                texts.add(f"{module}: {used} is {source.imported[used]}")
                targets += source.imported[used]
            elif used in source.bound:
                targets.append((module, used))
    return _Step(frozenset(texts), tuple(targets))


@cache
def _source(module: str) -> _Source | None:
    """Return the statements of a module of `ensvm`; None for any other module."""
    path = _file_of(module)
    if path is None:
        return None
    source = _Source()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if _is_docstring(node):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) in FOR_TYPE_CHECKERS:
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, target in imported(node, package):
                source.imported.setdefault(name, []).append(target)
            continue
        statement = _statement(node, package)
        names = _bound(node)
        for name in names:
            source.bound.setdefault(name, []).append(statement)
        if not names:
            source.always.append(statement)
    return source


def _statement(node: ast.stmt, package: str) -> _Statement:
    names, imports = set[str](), list[Target]()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            names.add(inner.id)
        elif isinstance(inner, ast.Import | ast.ImportFrom):
            imports += [target for _, target in imported(inner, package)]
    return _Statement(_text(node), frozenset(names), tuple(imports))


def _bound(node: ast.stmt) -> list[str]:
    """Return the names that a top-level definition or assignment binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [
        inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)
    ]


def imported(node: ast.Import | ast.ImportFrom, package: str) -> list[tuple[str, Target]]:
    """Return each name that an import statement binds, with its module and the name in it."""
    if isinstance(node, ast.Import):
        # `import a.b` binds a, by which a.b is reached.
        return [
            (alias.asname or alias.name.partition(".")[0], (alias.name, "")) for alias in node.names
        ]
    above = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
    module = ".".join([*above, *([node.module] if node.module else [])])
    return [(alias.asname or alias.name, (module, alias.name)) for alias in node.names]


def _text(statement: ast.stmt) -> str:
    """Return a statement as text, without comments, docstrings and its layout."""
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            node.body = [each for each in node.body if not _is_docstring(each)]
    return ast.unparse(statement)


def _is_docstring(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _file_of(module: str) -> Path | None:
    """Return the file of a module of `ensvm`; nothing is imported to find it."""
    top, *parts = module.split(".")
    if top != PACKAGE:
        return None
    path = FOLDER.joinpath(*parts)
    files = (path / "__init__.py", *([path.with_suffix(".py")] if parts else []))
    return next((file for file in files if file.is_file()), None)


def _version(package: str) -> str:
    """Return the version of a package by its metadata; an empty text if it is not installed."""
    try:
        return version("scikit-learn" if package == "sklearn" else package)
    except PackageNotFoundError:  # the distribution may have another name than the package
        return " ".join(map(version, sorted(set(_distributions().get(package, ())))))


_distributions = cache(packages_distributions)  # slow: it reads the files of all distributions
