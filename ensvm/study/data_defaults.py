"""`defaults:` of a study: keys that all of its data sets have unless they give their own."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from ensvm.study.block import KIND_KEYS
from ensvm.study.dataset import NAMING, OWN_KEYS, DatasetConfig, names_own_data
from ensvm.study.source import Location, YamlSource


def with_defaults(source: YamlSource, defaults: Any, entry: Any, at: Location) -> Any:
    """Return a data set as written in the config, with the keys of `defaults` that it lacks.

    Blocks, such as `kernel:`, are mixed key by key, but for one that names its `protocol:` or
    `type:`. Keys of files are for data of the user's own alone. Errors about a default, in the
    entry `at` of the content, are reported where it stands. Raises UserError for a key that names
    the data.
    """
    if not isinstance(defaults, dict):
        return entry  # the study's block refuses it
    for key in defaults:
        if key in NAMING:
            raise source.error(("defaults", key), "each data set has its own; write it there")
    block = DatasetConfig.long_form(entry)
    if not isinstance(block, dict) or block.get("unavailable") is not None:
        return entry
    own = names_own_data(block)
    used = {key: deepcopy(value) for key, value in defaults.items() if own or key not in OWN_KEYS}
    for path in _missing(used, block):
        source.moved[(*at, *path)] = ("defaults", *path)
    return _mixed(used, block)


def _mixed(defaults: Mapping[str, Any], block: Mapping[str, Any]) -> dict[str, Any]:
    both = {
        key: _mixed(defaults[key], value) if _are_mixed(defaults.get(key), value) else value
        for key, value in block.items()
    }
    return {**defaults, **both}


def _missing(defaults: Mapping[str, Any], block: Mapping[str, Any]) -> Iterator[Location]:
    """Yield the keys of the defaults that a block lacks, each as the path to it."""
    for key, value in defaults.items():
        if key not in block:
            yield (key,)
        elif _are_mixed(value, block[key]):
            yield from ((key, *rest) for rest in _missing(value, block[key]))


def _are_mixed(default: Any, value: Any) -> bool:
    both = isinstance(default, dict) and isinstance(value, dict)
    # a block that says its kind is whole: its keys are not mixed with those of another kind
    return both and not any(key in value for key in KIND_KEYS)
