"""The user's own modules and files on which the values of an algorithm depend.

Own modules lie beside the config, on Python's path, or are installed to be edited. Installed
packages are found before them, and every plan and every run imports them anew. An algorithm depends
on each own module that is loaded when its module is imported, on those that functions of these
import, and on the files that its `depends:` names. Each is hashed as a whole file.
"""

import ast
import glob
import hashlib
import importlib
import importlib.util
import os
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ensvm.classifiers import CLASSIFIERS
from ensvm.errors import near_miss
from ensvm.records.code_identity import NUMERIC, PACKAGE, Target, imported
from ensvm.study.source import Location, YamlSource

# Never imported anew: the program that runs, `ensvm` itself and what it computes with, even if a
# developer of these has installed them to be edited.
NEVER_OWN = {
    *("__main__", "__mp_main__", "ensvm", "ensvm_cli", "joblib", "pandas"),
    *NUMERIC,
    *sys.stdlib_module_names,
}
INSTALLED = ("site-packages", "dist-packages")
STANDARD_LIBRARY = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
# If there are more files, the record of a cell names groups of files.
MOST_FILES = 20


class CodeFile(NamedTuple):
    """A file, without symbolic links in its path, and the hash of its content."""

    path: str
    content: str


@dataclass(frozen=True)
class OwnCode:
    """The own modules and files on which an algorithm depends, and what the modules import."""

    # The own modules and the declared files, by their paths relative to the config; modules that
    # lie elsewhere by their paths on the path of Python.
    files: Mapping[str, CodeFile] = field(default_factory=dict)
    roots: frozenset[str] = frozenset()  # what the own modules import of `ensvm`, as module:name
    packages: frozenset[str] = frozenset()  # the installed packages that the own modules import

    def __or__(self, other: "OwnCode") -> "OwnCode":
        return OwnCode(
            {**self.files, **other.files},
            self.roots | other.roots,
            self.packages | other.packages,
        )

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files."""
        return tuple(sorted(file.path for file in self.files.values()))

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The hash of each file by its name; of many files one for each folder or kind of file."""
        if len(self.files) <= MOST_FILES:
            return {name: self.files[name].content for name in sorted(self.files)}
        groups: dict[str, list[str]] = defaultdict(list)
        for name, file in sorted(self.files.items()):
            top, slash, _ = name.partition("/")
            groups[top + slash if slash else f"*{Path(name).suffix}"].append(name + file.content)
        return {group: _hash("\n".join(parts).encode()) for group, parts in groups.items()}


def own_code(
    source: YamlSource, classes: Mapping[str, set[str]], depends: Mapping[str, tuple[str, ...]]
) -> dict[str, OwnCode]:
    """Return the own code of each algorithm, before any estimator is made.

    `classes` has the classes `package.module:name` of each algorithm, `depends` its `depends:`.
    Every own module is imported by itself: all that is loaded then is what it needs.

    Raises UserError if a `depends:` names a file that is not there or cannot be read.
    """
    modules = {name: own_modules_of(paths) for name, paths in classes.items()}
    by_module: dict[str, OwnCode] = {}
    for module in sorted(set().union(*modules.values())):
        if by_module:
            _forget_own_modules()
        with suppress(Exception, SystemExit):  # making the estimator reports what is wrong
            importlib.import_module(module)
        by_module[module] = loaded_code(own_modules(), source.path.parent)
    if len(by_module) > 1:  # all classes must come from one import
        _forget_own_modules()
    codes = {}
    for name, patterns in depends.items():
        codes[name] = _declared(source, ("algorithms", name, "depends"), patterns)
        for module in modules[name]:
            codes[name] |= by_module[module]
    return codes


def own_modules_of(roots: Iterable[str]) -> set[str]:
    """Return the own modules among those of roots `package.module:name`."""
    modules = {root.partition(":")[0] for root in roots}
    return {module for module in modules if own_file(module) is not None}


def loaded_code(modules: Iterable[str], folder: Path) -> OwnCode:
    """Return the own code of loaded modules, with the own modules that their functions import."""
    loaded = own_modules()
    waiting = {name: file for name in modules if (file := loaded_file(loaded.get(name)))}
    files, seen = dict(waiting), {"", *NEVER_OWN}
    roots, packages = set[str](), set[str]()
    while waiting:
        module, file = waiting.popitem()
        for target in _imports(module, file):
            top, names = target[0].partition(".")[0], _prefixes(target)
            if top == PACKAGE:
                roots.add(":".join(target))
            for name in names:
                if name not in seen and name not in files and (inner := own_file(name)):
                    files[name] = waiting[name] = inner
                seen.add(name)
            if top in NUMERIC or not (top in NEVER_OWN or any(name in files for name in names)):
                packages.add(top)
    named = {_name(module, file, folder): _read(file) for module, file in files.items()}
    return OwnCode(named, frozenset(roots), frozenset(packages - {""}))


def _declared(source: YamlSource, location: Location, patterns: Iterable[str]) -> OwnCode:
    """Return the files that the `depends:` at a location names."""
    folder = source.path.parent
    files: dict[str, CodeFile] = {}
    for index, pattern in enumerate(patterns):
        names = list(_matches(folder, pattern))
        if not names:
            hint = near_miss(pattern, [path.name for path in folder.iterdir()])
            message = f"no file matches {pattern!r} in the folder of the config{hint}"
            raise source.error((*location, index), message)
        for name in names:
            try:
                files[Path(os.path.normpath(name)).as_posix()] = _read(folder / name)
            except OSError as error:
                message = f"{name}: cannot be read: {error.strerror}"
                raise source.error((*location, index), message) from error
    return OwnCode(files)


def _matches(folder: Path, pattern: str) -> Iterator[str]:
    """Yield the files that match a pattern, relative to the folder."""
    is_one = os.path.exists(folder / pattern)  # its name may have characters of a pattern
    names = [pattern] if is_one else sorted(glob.glob(pattern, root_dir=folder, recursive=True))
    for name in names:
        path = folder / name
        if folder.absolute().is_relative_to(os.path.abspath(path)):
            continue  # the config's own folder, which may hold the results
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                yield os.path.join(name, file.relative_to(path))


def _imports(module: str, file: Path) -> tuple[Target, ...]:
    """Return what a module imports anywhere, in its functions too."""
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    return _imports_of(file.read_bytes(), package) if file.suffix == ".py" else ()


@lru_cache(maxsize=1000)
def _imports_of(text: bytes, package: str) -> tuple[Target, ...]:
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):  # the module cannot be imported either
        return ()
    targets = [
        target
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for _, target in imported(node, package)
    ]
    if (PACKAGE, "") in targets:  # `import ensvm`, by which its classes are attributes
        names = [node.attr for node in nodes if isinstance(node, ast.Attribute)]
        targets += [(PACKAGE, name) for name in names if name in CLASSIFIERS]
    return tuple(dict.fromkeys(targets))


def _prefixes(target: Target) -> list[str]:
    """Return the names of the modules that an import may load, the outer packages first."""
    parts = [*target[0].split("."), *([target[1]] if target[1] else [])]
    return [".".join(parts[: count + 1]) for count in range(len(parts))]


def _name(module: str, file: Path, folder: Path) -> str:
    """Return the path of a module relative to the config, else its path on Python's path."""
    path, base = os.path.realpath(file), os.path.realpath(folder)
    if path.startswith(base + os.sep):
        return Path(os.path.relpath(path, base)).as_posix()
    inside = f"/__init__{file.suffix}" if file.stem == "__init__" else file.suffix
    return module.replace(".", "/") + inside


def _read(file: Path) -> CodeFile:
    return CodeFile(os.path.realpath(file), _hash(file.read_bytes()))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


# Modules


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Find modules in a folder too while the body runs, and import all own modules anew in it.

    So each plan reads what a user has changed since the last, and another study may have a module
    of the same name. Own modules that were imported before are back afterwards.
    """
    path = os.path.realpath(folder)
    is_new = path not in sys.path
    if is_new:
        # Last, so that the user's module cannot hide one of Python or of a package.
        sys.path.append(path)
        importlib.invalidate_caches()
    before = _forget_own_modules()
    try:
        yield
    finally:
        _forget_own_modules()
        sys.modules.update(before)
        if is_new:
            sys.path.remove(path)


def own_modules() -> dict[str, ModuleType]:
    """Return the user's own modules that are loaded now, by name."""
    return {
        name: module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] not in NEVER_OWN and is_own(_place_of(module))
    }


def _forget_own_modules() -> dict[str, ModuleType]:
    """Let the next import of each own module run it anew; return those that were loaded."""
    modules = own_modules()
    for name in modules:
        del sys.modules[name]
    return modules


def own_file(module: str) -> Path | None:
    """Return the source file of an own module, which is not imported to find it.

    Returns None if no module has this name, or it belongs to Python or to an installed package.
    """
    top, *parts = module.split(".")
    if top in NEVER_OWN:
        return None
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    files = [Path(spec.origin)] if spec.origin and not parts else []
    for folder in spec.submodule_search_locations or ():
        base = Path(folder, *parts)
        files += [base / "__init__.py", base.with_name(f"{base.name}.py")]
    return next((file for file in files if is_own(str(file)) and file.is_file()), None)


def loaded_file(module: ModuleType | None) -> Path | None:
    """Return the file of an own module that is loaded; None for others and for a bare folder."""
    path = _place_of(module)
    return Path(path) if is_own(path) and os.path.isfile(path) else None


def _place_of(module: ModuleType | None) -> str:
    """Return the file of a module, the folder of a package without one, or an empty text."""
    spec = getattr(module, "__spec__", None)
    if not isinstance(spec, ModuleSpec):
        return ""
    if spec.has_location and spec.origin:  # those built in have no file
        return spec.origin
    return next(iter(spec.submodule_search_locations or ()), "")


def is_own(path: str) -> bool:
    """Return whether a path is absolute and of neither Python nor an installed package."""
    return os.path.isabs(path) and not _is_installed(os.path.dirname(path), tuple(sys.path))


@lru_cache(maxsize=10_000)
def _is_installed(folder: str, path: tuple[str, ...]) -> bool:
    """Return whether a folder belongs to Python's own modules or to an installed distribution.

    The innermost folder around it that Python searches decides.
    """
    for parent in (Path(folder), *Path(folder).parents):
        if parent.name in INSTALLED or str(parent) in STANDARD_LIBRARY:
            return True
        if str(parent) in path:
            return any(parent.glob("*.dist-info"))
    return False
