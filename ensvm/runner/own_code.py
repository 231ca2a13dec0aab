"""Files of a user's own that decide what an algorithm does: modules, and what `depends:` names.

A module of the user's own counts with every own module that is loaded once it has been imported,
whatever loaded it, and with those that functions of these import. Each is hashed as a whole file.
"""

import ast
import glob
import hashlib
import importlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from ensvm.classifiers import CLASSIFIERS
from ensvm.data.errors import near_miss
from ensvm.records.code_identity import NUMERIC, PACKAGE, Target, imported
from ensvm.runner.estimators import EstimatorError, resolved_block
from ensvm.runner.own_modules import (
    OTHERS,
    forget_own_modules,
    loaded_file,
    own_file,
    own_modules,
)
from ensvm.study.algorithms import AlgorithmConfig
from ensvm.study.source import Location, YamlSource

# Above, the record of each cell names groups of files instead of files.
MOST_FILES = 20


class OwnFile(NamedTuple):
    """A file, without symbolic links in its path, and the hash of its content."""

    path: str
    content: str


@dataclass(frozen=True)
class OwnCode:
    """What an algorithm runs through that is neither `ensvm` nor an installed package.

    Attributes
    ----------
    files : dict of str to OwnFile
        The own modules and the declared files, by their paths relative to the config; modules that
        lie elsewhere by their paths on the path of Python.
    roots : frozenset of str
        The places of `ensvm` that the own modules import.
    packages : frozenset of str
        The installed packages that they import.
    """

    files: Mapping[str, OwnFile] = field(default_factory=dict)
    roots: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()

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


def own_code(source: YamlSource, blocks: Mapping[str, AlgorithmConfig]) -> dict[str, OwnCode]:
    """Return the own code of each algorithm of a config, before any of their estimators is made.

    Every own module is imported by itself: all that is loaded then is what it needs.

    Parameters
    ----------
    source : YamlSource
        The config.
    blocks : dict of str to AlgorithmConfig
        The algorithms.

    Returns
    -------
    dict of str to OwnCode
        The code of each, by its name; without files for what needs libraries alone.

    Raises
    ------
    ConfigError
        If a `depends:` names a file that is not there or cannot be read.
    """
    modules = {name: _modules_in(block) for name, block in blocks.items()}
    by_module: dict[str, OwnCode] = {}
    for module in sorted(set().union(*modules.values())):
        if by_module:
            forget_own_modules()
        # What is wrong with a module is said where the estimator is made.
        with suppress(Exception, SystemExit):
            importlib.import_module(module)
        by_module[module] = loaded_code(own_modules(), source.path.parent)
    if len(by_module) > 1:  # the classes of all of them are to come from one import
        forget_own_modules()
    found = {}
    for name, block in blocks.items():
        found[name] = _declared(source, ("algorithms", name, "depends"), block.depends)
        for module in modules[name]:
            found[name] |= by_module[module]
    return found


def _modules_in(block: AlgorithmConfig) -> set[str]:
    """Return the own modules that an algorithm names; what is wrong with a name is said later."""
    if block.spec is not None:
        with suppress(EstimatorError):
            modules = {name.partition(":")[0] for name in resolved_block(block).names}
            return {module for module in modules if own_file(module) is not None}
    return set()


def loaded_code(modules: Iterable[str], folder: Path) -> OwnCode:
    """Return the own code of modules that are loaded, and of those that their functions import.

    Parameters
    ----------
    modules : iterable of str
        Names of modules; those that are not the user's own, or not loaded, are left out.
    folder : Path
        The folder of the config.

    Returns
    -------
    OwnCode
        The files of the modules, and what they import.
    """
    loaded = own_modules()
    waiting = {name: file for name in modules if (file := loaded_file(loaded.get(name)))}
    files, seen = dict(waiting), {"", *OTHERS}
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
            if top in NUMERIC or not (top in OTHERS or any(name in files for name in names)):
                packages.add(top)
    named = {_name(module, file, folder): _read(file) for module, file in files.items()}
    return OwnCode(named, frozenset(roots), frozenset(packages - {""}))


def _declared(source: YamlSource, location: Location, patterns: Iterable[str]) -> OwnCode:
    """Return the files that the `depends:` of an algorithm, at a location, names."""
    folder = source.path.parent
    files: dict[str, OwnFile] = {}
    for index, pattern in enumerate(patterns):
        found = list(_matches(folder, pattern))
        if not found:
            hint = near_miss(pattern, [place.name for place in folder.iterdir()])
            message = f"no file matches {pattern!r} in the folder of the config{hint}"
            raise source.error((*location, index), message)
        for name in found:
            try:
                files[Path(os.path.normpath(name)).as_posix()] = _read(folder / name)
            except OSError as error:
                message = f"{name}: cannot be read: {error.strerror}"
                raise source.error((*location, index), message) from error
    return OwnCode(files)


def _matches(folder: Path, pattern: str) -> Iterator[str]:
    """Yield the files that a pattern means, relative to the folder."""
    is_one = os.path.exists(folder / pattern)  # its name may have characters of a pattern
    names = [pattern] if is_one else sorted(glob.glob(pattern, root_dir=folder, recursive=True))
    for name in names:
        place = folder / name
        if folder.absolute().is_relative_to(os.path.abspath(place)):
            continue  # the config's own folder, which may hold the results
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file.is_file() and "__pycache__" not in file.parts:
                yield os.path.join(name, file.relative_to(place))


def _imports(module: str, file: Path) -> tuple[Target, ...]:
    """Return what a module imports anywhere, in its functions too."""
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    return _imports_of(file.read_bytes(), package) if file.suffix == ".py" else ()


@lru_cache(maxsize=1000)
def _imports_of(text: bytes, package: str) -> tuple[Target, ...]:
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):  # only tried, for whoever imports it has to do without
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
    place, base = os.path.realpath(file), os.path.realpath(folder)
    if place.startswith(base + os.sep):
        return Path(os.path.relpath(place, base)).as_posix()
    inside = f"/__init__{file.suffix}" if file.stem == "__init__" else file.suffix
    return module.replace(".", "/") + inside


def _read(file: Path) -> OwnFile:
    return OwnFile(os.path.realpath(file), _hash(file.read_bytes()))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]
