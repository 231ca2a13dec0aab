"""Modules of a user's own: beside the config, on the path, or installed to be edited.

They are found after all that is installed, and every plan and every run imports them anew.
"""

import importlib
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from ensvm.records.code_identity import NUMERIC
from ensvm.records.store import CELLS_FILE, CONFIG_COPY, SHIPPED_FILE, RecordsDamaged, read_records
from ensvm.study.source import ConfigError

# Never imported anew: the program that runs, `ensvm` itself and what it computes with, even if a
# developer of these has installed them to be edited.
OTHERS = {
    *("__main__", "__mp_main__", "ensvm", "ensvm_cli", "joblib", "pandas"),
    *NUMERIC,
    *sys.stdlib_module_names,
}
INSTALLED = ("site-packages", "dist-packages")
STANDARD_LIBRARY = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Find modules in a folder too while the body runs, and import all own modules anew in it.

    So each plan reads what a user has changed since the last, and another study may have a module
    of the same name. Own modules that were imported before are back afterwards. A ConfigError in
    the folder of a study's records says whose copy the config is.
    """
    place = os.path.realpath(folder)
    is_new = place not in sys.path
    if is_new:
        _look_in(place)
    before = own_modules()
    forget_own_modules()
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{error}{_of_a_copy(folder)}") from error
    finally:
        forget_own_modules()
        sys.modules.update(before)
        if is_new:
            sys.path.remove(place)


def _of_a_copy(folder: Path) -> str:
    """Return that a config is the copy beside a study's records, and which is the original."""
    if not (folder / CONFIG_COPY).is_file():
        return ""
    if not any((folder / name).is_file() for name in (CELLS_FILE, SHIPPED_FILE)):
        return ""
    command: tuple[str, ...] = ()
    with suppress(RecordsDamaged):
        newest = max(read_records(folder).values(), key=lambda record: record.time, default=None)
        command = newest.run.command if newest is not None and newest.run is not None else ()
    copy = os.path.realpath(folder / CONFIG_COPY)
    files = [text for text in command if text.endswith((".yaml", ".yml"))]
    originals = [text for text in files if os.path.realpath(text) != copy]
    called = f"the original ({originals[-1]})" if originals else "the original"
    return (
        f"; this config is the copy that a run leaves: run {called}, beside which its files and"
        " modules are"
    )


def _look_in(place: str) -> None:
    # Last, so that a file called as a module of Python's or of a package's own stands in no way.
    sys.path.append(place)
    importlib.invalidate_caches()


def own_modules() -> dict[str, ModuleType]:
    """Return the modules of the user's own that are loaded now, by name."""
    return {
        name: module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] not in OTHERS and is_own(_place_of(module))
    }


def forget_own_modules(keep: Collection[str] = ()) -> None:
    """Let the next import of each own module run it anew, but for those of the names `keep`."""
    for name in own_modules():
        if name not in keep:
            del sys.modules[name]


def own_file(module: str) -> Path | None:
    """Return the source file of an own module, which is not imported to find it.

    Returns None if no module has this name, or it belongs to Python or to an installed package.
    """
    top, *parts = module.split(".")
    if top in OTHERS:
        return None
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    files = [Path(spec.origin)] if spec.origin and not parts else []
    for folder in spec.submodule_search_locations or ():
        place = Path(folder, *parts)
        files += [place / "__init__.py", place.with_name(f"{place.name}.py")]
    return next((file for file in files if is_own(str(file)) and file.is_file()), None)


def loaded_file(module: ModuleType | None) -> Path | None:
    """Return the file of an own module that is loaded; None for others and for a bare folder."""
    place = _place_of(module)
    return Path(place) if is_own(place) and os.path.isfile(place) else None


def _place_of(module: ModuleType | None) -> str:
    """Return the file of a module, the folder of a package without one, or an empty text."""
    spec = getattr(module, "__spec__", None)
    if not isinstance(spec, ModuleSpec):
        return ""
    if spec.has_location and spec.origin:  # those built in have no file
        return spec.origin
    return next(iter(spec.submodule_search_locations or ()), "")


def is_own(place: str) -> bool:
    """Return whether a path, not a relative one, is of neither Python nor an installed package."""
    return os.path.isabs(place) and not _is_installed(os.path.dirname(place), tuple(sys.path))


@lru_cache(maxsize=10_000)
def _is_installed(folder: str, path: tuple[str, ...]) -> bool:
    """Return whether a folder belongs to Python's own modules or to an installed distribution.

    The innermost folder around it that Python searches decides.
    """
    for place in (Path(folder), *Path(folder).parents):
        if place.name in INSTALLED or str(place) in STANDARD_LIBRARY:
            return True
        if str(place) in path:
            return any(place.glob("*.dist-info"))
    return False
