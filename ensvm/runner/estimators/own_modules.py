"""Modules beside a config: found after all that is installed, and read anew for every run."""

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec
from pathlib import Path

from ensvm.records.code_identity import forget_sources
from ensvm.records.store import CELLS_FILE, CONFIG_COPY, SHIPPED_FILE, RecordsDamaged, read_records
from ensvm.study.source import ConfigError


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Find modules in a folder too while the body runs, and forget those that it imported.

    So the next plan reads what a user has changed since, and another study may have a module of
    the same name. A ConfigError in the folder of a study's records says whose copy the config is.
    """
    place = os.path.realpath(folder)
    before, is_new = set(sys.modules), place not in sys.path
    if is_new:
        _look_in(place)
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{error}{_of_a_copy(folder)}") from error
    finally:
        if is_new:
            sys.path.remove(place)
            if _forget(place, sys.modules.keys() - before):
                forget_sources()


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


def _forget(place: str, names: set[str]) -> bool:
    """Forget the modules of these names that lie in a folder; return whether there are any."""
    tops = {name for name in names if "." not in name and _lies_in(name, place)}
    for name in names:
        if name.partition(".")[0] in tops:
            del sys.modules[name]
    return bool(tops)


def _lies_in(name: str, place: str) -> bool:
    spec: ModuleSpec | None = getattr(sys.modules[name], "__spec__", None)
    places = [*(getattr(spec, "submodule_search_locations", None) or ())]
    if spec is not None and spec.has_location and spec.origin:  # those built in have no file
        places.append(spec.origin)
    return any(os.path.realpath(os.path.dirname(found)) == place for found in places)
