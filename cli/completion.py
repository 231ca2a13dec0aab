"""What a shell offers when Tab is pressed: studies, data sets, algorithms, tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from ensvm.study.config import StudyConfig

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def configs(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the shipped studies and, as the shell does, files."""
    from ensvm.shipped import shipped_configs

    names = sorted(path.stem for path in shipped_configs().glob("*.yaml"))
    return [*_offered(names, incomplete), CompletionItem(incomplete, type="file")]


def data_sets(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the names of cards, their other names and their variants."""
    from ensvm.data import list_cards

    cards = list_cards()
    return _offered(
        (name for card in cards for name in (card.name, *card.aliases, *card.variants)), incomplete
    )


def results_or_shipped(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer `shipped` and, as the shell does, files and folders."""
    return [*_offered(["shipped"], incomplete), CompletionItem(incomplete, type="file")]


def of_config(names: "Callable[[StudyConfig], Iterable[str]]") -> Completer:
    """Return what offers names of the study that the argument CONFIG is, A,B,... one by one."""

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from ensvm.study.config import find_config

        # click leaves the arguments unparsed where the value of the last option is still missing
        config = context.params.get("config") or next(iter(context.args), "")
        try:
            found = _read(find_config(config))
        except ValueError:  # no such study: nothing to offer, and nothing to say here
            return []
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        offered = (name for config in found for name in names(config) if name not in given)
        return _offered(offered, last, before + comma)

    return complete


def split_places(given: Sequence[str]) -> tuple[Path, tuple[str, ...]]:
    """Return the folder of results and the studies among the arguments [RESULTS] [STUDY]..."""
    if given and Path(given[0]).is_dir():
        return Path(given[0]), tuple(given[1:])
    return Path("results"), tuple(given)


def results_and_studies(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the studies in the folder of results and, as the first, folders too."""
    given = context.params.get("places")
    folders = [] if given and given[1] else [CompletionItem(incomplete, type="dir")]
    return [*_offered(_named(context, lambda config: [config.study]), incomplete), *folders]


def of_results(names: "Callable[[StudyConfig], Iterable[str]]") -> Completer:
    """Return what offers names of the studies in RESULTS."""

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return _offered(_named(context, names), incomplete)

    return complete


def _named(
    context: click.Context, names: "Callable[[StudyConfig], Iterable[str]]"
) -> Iterator[str]:
    """Yield names of the studies in RESULTS: of those chosen, and with the data set chosen."""
    from ensvm.records.store import CONFIG_COPY
    from ensvm.report.query import find_studies

    places = context.params.get("places")
    if places is None or context.args:  # not parsed yet, as above
        places = split_places(context.args)
    results, studies = places
    dataset = context.params.get("dataset")
    found = [config for folder in find_studies(results) for config in _read(folder / CONFIG_COPY)]
    for config in found:
        if dataset in (None, *rows(config)) and (not studies or config.study in studies):
            yield from names(config)


def _read(path: Path) -> "list[StudyConfig]":
    """Return the config of a file, if it is one."""
    from ensvm.study.config import read_config

    try:
        return [read_config(path)[0]]
    except (OSError, ValueError):
        return []


def _offered(names: Iterable[str], incomplete: str, before: str = "") -> list[CompletionItem]:
    """Return the names that begin as what was typed, each once."""
    return [
        CompletionItem(before + name)
        for name in dict.fromkeys(names)
        if name.startswith(incomplete)
    ]


def rows(config: "StudyConfig") -> list[str]:
    """Return the names of a study's data sets."""
    return [entry.name for entry in config.datasets]


def algorithms(config: "StudyConfig") -> list[str]:
    """Return the names of a study's algorithms."""
    return list(config.algorithms)


def tables(config: "StudyConfig") -> list[str]:
    """Return the ids of a study's tables."""
    return [table.id for table in config.tables]
