"""The user's own code: the modules beside a config, and the files that `depends:` names.

If an algorithm names a class of a module beside the config, every module in that folder and in
those below it counts, because a module may import another while it is fitted. Installed modules
come first: a module beside the config never takes the place of one of them.
"""

import glob
import importlib
import importlib.util
import os
import sys
import sysconfig
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from ensvm.classifiers import ESTIMATORS
from ensvm.errors import did_you_mean
from ensvm.file_hash import hash_of_files
from ensvm.records.code_identity import PACKAGE, imported_modules
from ensvm.study.source import Location, YamlSource

# The program that runs, Python and `ensvm`, whose developers may have a config beside its sources.
NEVER_OWN = {"__main__", "ensvm", "ensvm_cli", *sys.stdlib_module_names}
# Folders beside a config without own code: what runs write, and our sources, which count apart.
LEFT_OUT = ("results", PACKAGE)
PACKAGE_FOLDERS = ("site-packages", "dist-packages")  # also of a user, and of Debian
ENVIRONMENT_FILES = ("pyvenv.cfg", "conda-meta")  # one is in every environment of Python


@dataclass(frozen=True)
class OwnCode:
    """The own code of an algorithm; empty if it has none."""

    # Hashes by module or package beside the config, and by pattern of `depends:`.
    hashes: Mapping[str, str] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()  # of `ensvm` and of packages, which own modules import


class OwnFolder:
    """The folder of a config; its modules are read once."""

    def __init__(self, source: YamlSource) -> None:
        self._source, self._folder = source, source.path.parent

    def holds(self, module: str) -> bool:
        """Return whether a module is the user's own; the folder must be `importable`."""
        return _is_own(module, self._folder)

    def code_of(self, algorithm: str, depends: Iterable[str], *, has_class: bool) -> OwnCode:
        """Return the own code of an algorithm; `has_class` says if it names a class from here.

        Raises UserError if a pattern of `depends` matches no file, or a file cannot be read.
        """
        modules = self._modules if has_class else OwnCode()
        hashes = dict(modules.hashes)
        for index, pattern in enumerate(depends):
            location = ("algorithms", algorithm, "depends", index)
            files = self._matches(pattern, location)
            hashes[pattern] = hashes.get(pattern, "") + self._hash(files, location)
        return OwnCode(hashes, modules.modules)

    @cached_property
    def _modules(self) -> OwnCode:
        """Every module of the folder."""
        files = _files_by_top(self._folder)
        hashes = {top: self._hash(names, ("algorithms",)) for top, names in files.items()}
        own = {top.partition(".")[0] for top in files}
        modules = set[str]()
        for names in files.values():
            for name in names:
                modules |= imported_modules((self._folder / name).read_bytes())
        others = {name for name in modules if name.partition(".")[0] not in own}
        if PACKAGE in others:  # `import ensvm`, then `ensvm.RhoSVC`: any of its classes
            others |= {path.partition(":")[0] for path in ESTIMATORS.values()}
        return OwnCode(hashes, frozenset(others))

    def _matches(self, pattern: str, location: Location) -> list[str]:
        """Return the files that a pattern of `depends:` matches, relative to the folder."""
        files = _files_matching(self._folder, pattern)
        if not files:
            hint = did_you_mean(pattern, [path.name for path in self._folder.iterdir()])
            message = f"no file matches {pattern!r} in the folder of the config{hint}"
            raise self._source.error(location, message)
        return files

    def _hash(self, files: Iterable[str], location: Location) -> str:
        try:
            return hash_of_files(self._folder, files)
        except OSError as error:
            message = f"{error.filename}: cannot be read: {error.strerror}"
            raise self._source.error(location, message) from error


def changed_since(hashes: Mapping[str, str], folder: Path) -> str:
    """Return which own code is not what it was when a run began, as a sentence; else "".

    `hashes` are those of an algorithm's `OwnCode` in the folder of the config.
    """
    if not hashes:
        return ""
    if not folder.is_dir():
        return f"the folder of the config is missing: {folder}"
    modules = _files_by_top(folder)
    changed = []
    for name, planned in hashes.items():
        # A name is a module, a pattern of `depends:`, or both, whose hashes stand side by side.
        try:
            hash_of_module = hash_of_files(folder, modules[name]) if name in modules else ""
            hash_of_matches = hash_of_files(folder, _files_matching(folder, name))
            both = hash_of_module + hash_of_matches
            if planned in (hash_of_module, hash_of_matches, both):
                continue
        except OSError as error:
            return f"{error.filename or name} cannot be read any more: {error.strerror}"
        changed.append(name)
    have = "has" if len(changed) == 1 else "have"
    return f"{', '.join(sorted(changed))} {have} changed since the run began" if changed else ""


def _files_by_top(folder: Path) -> dict[str, list[str]]:
    """Return the modules of a folder and of those below it, by the first part of their paths."""
    files = defaultdict[str, list[str]](list)
    for name in _module_files(str(folder)):
        files[Path(name).parts[0]].append(name)
    return files


def _files_matching(folder: Path, pattern: str) -> list[str]:
    """Return the files that a pattern of `depends:` matches, relative to the folder."""
    files = list[str]()
    is_one = os.path.exists(folder / pattern)  # its name may have characters of a pattern
    for name in [pattern] if is_one else glob.glob(pattern, root_dir=folder, recursive=True):
        path = folder / name
        if folder.absolute().is_relative_to(os.path.abspath(path)):
            continue  # the config's own folder, which may hold the results
        for file in path.rglob("*") if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                files.append(os.path.join(name, file.relative_to(path)))
    return files


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Find modules in a folder too while the body runs, after all others.

    Its modules are imported anew and forgotten afterwards, so that each plan reads what a user has
    changed since the last, and another study may have a module of the same name. A module that
    changes the working directory while it is imported changes it for the body alone.
    """
    path, working_directory = os.path.realpath(folder), os.getcwd()
    is_new = path not in sys.path
    if is_new:
        sys.path.append(path)
    importlib.invalidate_caches()
    before = _forget_own_modules(folder)
    try:
        yield
    finally:
        os.chdir(working_directory)
        _forget_own_modules(folder)
        sys.modules.update(before)
        if is_new:
            sys.path.remove(path)


def hidden_file(module: str) -> tuple[str, str]:
    """Return the file beside the config that a module of the same name hides, and that module's.

    Both are empty if nothing is hidden. The module has no file if it is of Python itself, or
    `__main__`. The folder of the config must be `importable`.
    """
    top = module.partition(".")[0]
    beside = _place_of(PathFinder.find_spec(top, sys.path[-1:]))
    try:
        taken = importlib.util.find_spec(top)  # of the loaded module, if it is loaded
    except ValueError:  # a loaded module without a specification, such as `__main__`
        taken = None
    place = _place_of(taken)
    return (beside, place) if beside != place else ("", "")


def _forget_own_modules(folder: Path) -> dict[str, ModuleType]:
    """Remove and return the loaded modules that an import would now take from a folder.

    A module of another folder may be loaded under the name of one here.
    """
    names = {name.partition(".")[0] for name in os.listdir(folder)} & sys.modules.keys()
    own = {name for name in names if _is_own(name, folder)}
    modules = {
        name: sys.modules[name] for name in list(sys.modules) if name.partition(".")[0] in own
    }
    for name in modules:
        del sys.modules[name]
    return modules


def _is_own(module: str, folder: Path) -> bool:
    """Return whether an import takes a module, or the package around it, from a folder."""
    top = module.partition(".")[0]
    place = "" if top in NEVER_OWN else _place_of(PathFinder.find_spec(top))
    return bool(place) and os.path.realpath(os.path.dirname(place)) == os.path.realpath(folder)


def _place_of(spec: ModuleSpec | None) -> str:
    """Return the folder of a package, or the file of another module."""
    places = [] if spec is None else spec.submodule_search_locations or [spec.origin or ""]
    return next(iter(places), "")


def _module_files(folder: str) -> Iterator[str]:
    """Yield every Python file in a folder and in those below it, relative to the folder."""
    seen = set[str]()  # a link may lead to a folder around it
    for parent, folders, names in os.walk(folder, followlinks=True):
        if (place := os.path.realpath(parent)) in seen:
            folders.clear()
            continue
        seen.add(place)
        folders[:] = [name for name in sorted(folders) if _may_have_code(parent, name, folder)]
        for name in sorted(names):
            if name.endswith(".py") and not name.startswith("."):
                yield os.path.relpath(os.path.join(parent, name), folder)


def _may_have_code(parent: str, name: str, folder: str) -> bool:
    """Return whether a folder may hold own code: it is not hidden, and not an environment."""
    inside = os.path.join(parent, name)
    is_left_out = parent == folder and name in LEFT_OUT
    is_environment = any(os.path.exists(os.path.join(inside, file)) for file in ENVIRONMENT_FILES)
    is_hidden = name.startswith(".") or name == "__pycache__"
    return not (is_hidden or is_left_out or is_environment)


def unwatched(modules: Iterable[str], folder: Path) -> list[str]:
    """Return the modules whose changes make no cell stale, each with its file or folder.

    They are among `modules` and what these import, directly or through others. They lie neither
    below the `folder` of a config, whose files are watched, nor among installed packages, whose
    versions are.
    """
    seen, found = set[str](), []
    waiting = {module.partition(".")[0] for module in modules}
    with importable(folder):
        while waiting := waiting - seen - NEVER_OWN:
            seen.add(name := waiting.pop())
            place = _place_of_top(name)
            if not place or any(map(Path(place).is_relative_to, _installed())):
                continue
            if not Path(place).is_relative_to(os.path.realpath(folder)):
                found.append(f"{name} ({place})")
            names = _module_files(place) if os.path.isdir(place) else [""]
            for file in (Path(place, name) for name in names):
                with suppress(OSError):  # whoever imports it fails, and says so
                    waiting |= {
                        one.partition(".")[0] for one in imported_modules(file.read_bytes())
                    }
    return sorted(found)


def _place_of_top(module: str) -> str:
    """Return the real file of a module that any code may import, or its folder; else ""."""
    place = ""
    with suppress(ImportError, ValueError):
        place = _place_of(importlib.util.find_spec(module))
    return os.path.realpath(place) if os.path.exists(place) else ""


@cache
def _installed() -> list[str]:
    """Return the folders of Python's own modules and of installed packages."""
    own = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    packages = (path for path in sys.path if os.path.basename(path) in PACKAGE_FOLDERS)
    return [os.path.realpath(path) for path in (*own, *packages) if path is not None]
