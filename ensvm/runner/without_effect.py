"""Keys of a config that have no effect where they stand; `ensvm check` names them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ensvm.counts import counted
from ensvm.kernels import NAMED_KERNELS
from ensvm.kernels.named_kernels import parameters_of
from ensvm.records.settings import AlgorithmSettings
from ensvm.runner.estimators import grids_among
from ensvm.runner.plan import Plan
from ensvm.runner.report_keys import (
    Idle,
    given,
    last_realizations,
    methods_of,
    report_keys_without_effect,
)
from ensvm.runner.study_algorithms import has_many_classes
from ensvm.shipped import shipped_config
from ensvm.study.algorithms import AlgorithmConfig, KernelConfig
from ensvm.study.block import ConfigBlock, copy_name
from ensvm.study.config import StudyConfig
from ensvm.study.dataset import DatasetConfig
from ensvm.study.overrides import name_of_entry
from ensvm.study.printed import Place, Published, read_published
from ensvm.study.source import Location, YamlSource
from ensvm.study.sweeps import members_of

# The blocks of entries, and what a variant of a reading calls one of their changes
ENTRIES = {"algorithms": "algorithm", "datasets": "dataset"}
# What says how values of a row compare with printed ones.
OF_ROWS = ("other_protocol", "published_split", "published_spread")
# Keys of a block that stand in the blocks in it, too, where each is about its own block.
OF_EACH = ("name", "label", "title", "kernel", "algorithms")


def changes_without_effect(plan: Plan) -> list[str]:
    """Return a line for each change of a base without an effect."""
    published = plan.published
    printed = {} if published is None else read_published(published, plan.config)
    return keys_without_effect(plan, printed, count_base=False)


def _kept_by_variants(plan: Plan) -> list[str]:
    """Return a line for each change of a base that variants of readings set in their copies."""
    lines = list[str]()
    for at in sorted(plan.source.written, key=str):
        if at[0] not in ENTRIES or len(at) < 3:
            continue
        entry = plan.source.content[at[0]][at[1]]
        name = str(name_of_entry(entry)) if at[0] == "datasets" else str(at[1])
        readings = [
            reading.id
            for reading in plan.config.readings
            for variant in reading.variants
            if _sets(getattr(variant, ENTRIES[str(at[0])]), at[2:])
            and any(
                copy_name(member, variant.name) in plan.config.copies
                for member in [name, *members_of(name, entry)]
            )
        ]
        if readings:
            ids = ", ".join(dict.fromkeys(readings))
            why = f"has no effect on the variants of {ids} (`readings:`) that set it"
            lines.append(str(plan.source.error(at, why)))
    return lines


def _sets(changes: Mapping[str, Any], steps: Location) -> bool:
    """Return whether the changes of a variant set a key, or a block that it is in."""
    return any(".".join(map(str, steps[:n])) in changes for n in range(1, len(steps) + 1))


def keys_without_effect(
    plan: Plan, printed: Mapping[Place, Published], *, count_base: bool = True
) -> list[str]:
    """Return a line for each key without an effect: its file, its line, the key and the reason.

    `printed` are the printed values by table, row and column. With `count_base`, the last line says
    how many keys of the base of a study have no effect.
    """
    places = frozenset(printed)
    found = chain(
        _of_sweeps(plan.source),
        _of_nothing(plan.source),
        _overridden(plan.config),
        _of_defaults(plan.source),
        _of_data_sets(plan, places),
        _of_algorithms(plan),
        _of_kernels(plan),
        report_keys_without_effect(plan, printed),
        _of_study(plan, places),
    )
    # Members of a sweep and copies repeat the key of their entry. The keys of a base are not the
    # user's to change: they are only counted.
    lines: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for at, why in found:
        line = str(plan.source.error(at, f"has no effect: {why}"))
        lines[plan.source.is_written(at)][line] = None
    own = [*map(str, plan.source.idle_changes), *lines[True], *_kept_by_variants(plan)]
    derived = plan.config.derived
    if derived is not None and lines[False] and count_base:
        keys = counted(len(lines[False]), "key")
        own.append(f"{plan.path}: {keys} of the base {derived.base} without effect in this study")
    return own


def _of_sweeps(source: YamlSource) -> Iterator[Idle]:
    """Yield keys of entries that their sweep sets; an alias may bring them from another entry."""
    content = source.content
    places: dict[Location, Location] = {}  # of entries, as messages name them
    for place, entry in source.moved.items():
        if entry[:1] == ("datasets",):
            places.setdefault(entry, place)
    entries = [(("algorithms", name), entry) for name, entry in content["algorithms"].items()]
    entries += [(("datasets", index), entry) for index, entry in enumerate(content["datasets"])]
    for at, entry in entries:
        sweep = entry.get("sweep") if isinstance(entry, dict) else None
        for key in sweep if isinstance(sweep, dict) else ():
            steps = tuple(str(key).split("."))
            if _has(entry, steps) and source.stands_at((*at, *steps)):
                yield (*places.get(at, at), *steps), "the `sweep:` sets it"


def _has(block: Any, steps: Sequence[str]) -> bool:
    """Return whether a block has a key, given as the steps of its path."""
    for step in steps:
        if not isinstance(block, Mapping) or step not in block:
            return False
        block = block[step]
    return True


def _of_nothing(source: YamlSource) -> Iterator[Idle]:
    """Yield keys of a study that are null; a study that is built on another takes them away."""
    for key, value in source.content.items():
        if value is None and "derived" not in source.content:
            yield (key,), "null is what holds without the key"


def _overridden(config: StudyConfig) -> Iterator[Idle]:
    """Yield keys of a block that all blocks in it have, too, where only the inner one counts."""
    blocks: list[tuple[Location, ConfigBlock, list[ConfigBlock], str]] = [
        ((), config, list(config.datasets), "data set"),
    ]
    for index, table in enumerate(config.tables):
        blocks.append((("tables", index), table, list(table.columns), "column"))
    for index, figure in enumerate(config.figures):
        blocks.append((("figures", index), figure, list(figure.panels), "panel"))
    for at, block, members, what in blocks:
        for key in given(block, *type(block).model_fields):
            if key in OF_EACH:
                continue
            if members and all(any(given(member, key)) for member in members):
                yield (*at, key), f"each {what} has its own"


def _of_defaults(source: YamlSource) -> Iterator[Idle]:
    """Yield the keys of `defaults:` that no data set takes."""
    defaults = source.content.get("defaults")
    taken = {at for at in source.moved.values() if at[:1] == ("defaults",)}
    for at in _leaves(defaults, ("defaults",)) if isinstance(defaults, dict) else ():
        if not any(at[: len(path)] == path for path in taken):
            yield at, "no data set takes it"


def _leaves(block: Mapping[str, Any], at: Location) -> Iterator[Location]:
    """Yield where the values of a block and of the blocks in it stand."""
    for key, value in block.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*at, key))
        else:
            yield (*at, key)


def _of_data_sets(plan: Plan, places: frozenset[Place]) -> Iterator[Idle]:
    """Yield limits above the number of realizations, and keys about printed values of no row."""
    rows = {row for _, row, _ in places}
    last = last_realizations(plan)
    # Copies are run as their readings say, and `defaults:` are for all data sets.
    defaults = plan.config.defaults
    of_all = {*plan.config.copies, *(defaults.realizations_of if defaults else ())}
    of_defaults = set(given(defaults, *OF_ROWS) if defaults else ())
    own_keys = [key for key in OF_ROWS if key not in of_defaults]
    for index, entry in enumerate(plan.config.datasets):
        if entry.copy_of is not None or entry.unavailable is not None:
            continue
        run = plan.config.algorithms_of(entry)
        for name, most in entry.realizations_of.items():
            if name in of_all:
                continue
            at = ("datasets", index, "realizations_of", name)
            if name not in run:
                yield at, f"{name} does not run on {entry.name}"
            elif most > last.get(entry.name, most):
                yield at, f"{entry.name} has {last[entry.name]} realizations"
        if entry.other_inputs == "drop" and entry.drop:
            yield ("datasets", index, "drop"), "`other_inputs: drop` leaves these columns out"
        if entry.fill is not None and entry.target is not None and entry.incomplete != "keep":
            what = "left out" if entry.incomplete == "drop" else "refused"
            yield (
                ("datasets", index, "fill"),
                f"rows with missing values are {what} by `incomplete:`",
            )
        if entry.name not in rows and entry.sweep is None:
            for key in given(entry, *own_keys):
                yield ("datasets", index, key), "there is no printed value in this row"


def _of_algorithms(plan: Plan) -> Iterator[Idle]:
    """Yield algorithms that run on no data set, and their keys that nothing asks for.

    The members of a sweep have their keys in common: what has an effect in one of them has one.
    """
    members = dict[str, list[str]]()
    for name, block in plan.config.algorithms.items():
        if block.copy_of is None:
            members.setdefault(block.sweep.of if block.sweep else name, []).append(name)
    methods = methods_of(plan)
    for first, *others in members.values():
        idle = [set(_of_member(plan, name, methods.get(name))) for name in others]
        for key, why in _of_member(plan, first, methods.get(first)):
            if all((key, why) in of_member for of_member in idle):
                yield ("algorithms", first, *key), why


def _of_member(plan: Plan, name: str, method: AlgorithmSettings | None) -> Iterator[Idle]:
    """Yield the keys of an algorithm without an effect, each with the reason."""
    config, block = plan.config, plan.config.algorithms[name]
    run_on = [entry for entry in config.datasets if name in config.algorithms_of(entry)]
    if not run_on:
        yield (), "no data set runs it"
    yield from _of_fits(block, method)
    many = [plan.cards[each.name] for each in run_on if each.name in plan.cards]
    if block.one_vs_rest and many and not any(map(has_many_classes, many)):
        yield ("one_vs_rest",), "its data sets have two classes"
    if block.deterministic is not None and not any(entry.same_rows for entry in run_on):
        yield ("deterministic",), "it counts on data sets with `same_rows: true` alone"


def _of_fits(
    block: AlgorithmConfig, method: AlgorithmSettings | None
) -> Iterator[tuple[Location, str]]:
    """Yield the keys of an algorithm without an effect on its fits, each with the reason."""
    for key in (key for key in block.params if key in (block.grid or {})):
        yield ("params", key), "the `grid:` sets it"
    for at in _set_by_search(block.params):
        yield ("params", *at), "the search sets it"
    if method is None:
        return
    for key in _not_of_kernel(block, method):
        yield ("params", key), "the kernel of the algorithm does not have it"
    if not block.share_gram and "kernel" not in method.defaults:
        yield ("share_gram",), "the estimator has no kernel"
    draws = any(key.endswith("random_state") for key in method.defaults)
    if block.seed is not None and block.stage != "best-on-validation":
        if not draws:
            yield ("seed",), "the estimator draws no random numbers"
        elif block.params.get("random_state") is not None:
            yield ("seed",), "`random_state` in `params:` is the seed"


def _set_by_search(params: Mapping[str, Any]) -> Iterator[Location]:
    """Yield the places of parameters that every grid of a search sets."""
    grids, part = grids_among(params), params.get("estimator")
    if not all(isinstance(grid, Mapping) for grid in grids):
        return
    inner = part.get("params", {}) if isinstance(part, Mapping) else {}
    for key in sorted(set.intersection(*(set(grid) for grid in grids)) if grids else ()):
        if key in inner:
            yield ("estimator", "params", key)
        if f"estimator__{key}" in params:
            yield (f"estimator__{key}",)


def _not_of_kernel(block: AlgorithmConfig, method: AlgorithmSettings) -> Iterator[str]:
    """Yield the parameters of kernels that the kernel of an algorithm does not have."""
    kernel = method.params.get("kernel", method.defaults.get("kernel", "").strip("'"))
    varied = {*(block.grid or {}), *(key for one in block.params_of.values() for key in one)}
    if kernel in NAMED_KERNELS and "kernel" not in varied:
        for key in KernelConfig.model_fields:
            if key in block.params and key not in ("kernel", "dtype", *parameters_of(kernel)):
                yield key


def _of_kernels(plan: Plan) -> Iterator[Idle]:
    """Yield keys of shared kernels that no algorithm takes, or that the kernel does not have."""
    config = plan.config
    blocks: list[tuple[Location, KernelConfig | None, tuple[DatasetConfig, ...]]] = [
        (("kernel",), config.kernel, config.datasets)
    ]
    for index, entry in enumerate(config.datasets):
        blocks.append((("datasets", index, "kernel"), entry.kernel, (entry,)))
    for at, block, entries in blocks:
        taken: set[str] = set()
        kernels = {kernel.kernel for one in entries if (kernel := config.kernel_of(one))}
        for entry in entries if block is not None else ():
            for name in config.algorithms_of(entry):
                taken.update(_taken_by(plan, entry.name, name))
        has = {key for kernel in kernels for key in parameters_of(kernel)}
        for key in sorted(block.model_fields_set) if block is not None else ():
            if key not in {*has, "dtype"}:
                yield (*at, key), f"the kernel {', '.join(sorted(kernels))} does not have it"
            elif key not in taken:
                yield (*at, key), "no algorithm takes the shared kernel"


def _taken_by(plan: Plan, row: str, algorithm: str) -> Iterator[str]:
    """Yield the keys of the shared kernel that an algorithm takes on a data set."""
    asked = plan.asked.values.get((row, algorithm, "error"))
    method = None if asked is None or asked.settings is None else asked.settings.method
    if method is not None:
        own = plan.config.algorithms[algorithm].params
        taken = [key for key in KernelConfig.model_fields if key in method.params.keys() - own]
        yield from taken
        if method.share_gram and "kernel" in method.defaults:
            yield "dtype"


def _of_study(plan: Plan, places: frozenset[Place]) -> Iterator[Idle]:
    """Yield keys of the study that are about printed values or a study that there is not."""
    config = plan.config
    if not places:
        for key in given(config, "published_realizations", "published_spread"):
            yield (key,), "the study has no printed values"
        for index, entry in enumerate(config.assumptions):
            if entry.chosen_on is not None:
                yield ("assumptions", index, "chosen_on"), "the study has no printed values"
    if config.part_of is not None:
        beside = plan.path.with_name(f"{config.part_of}.yaml")
        if shipped_config(config.part_of) is None and not beside.is_file():
            yield ("part_of",), f"there is no study {config.part_of}"
        elif config.year is not None:
            yield ("year",), f"lists show the study after {config.part_of}"
