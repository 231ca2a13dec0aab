"""Arguments and options that several verbs share, and what a shell offers for them on Tab."""

import functools
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from click.shell_completion import CompletionItem

from ensvm.shipped import shipped_names, shipped_records
from ensvm_cli.printing import print_text, refuse

if TYPE_CHECKING:
    from ensvm.report.query import Study
    from ensvm.runner.plan import Plan
    from ensvm.study.config import StudyConfig

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
NamesOf: TypeAlias = "Callable[[StudyConfig], Iterable[str]]"

RESULTS = Path("results")
WHICH_STUDIES = """RESULTS is a folder; by default it is `results`, and STUDY is every study that
    was run there. Without RESULTS, the name of a shipped study shows the results that come with
    ensvm; what is written about them goes to report/STUDY."""
# What completion offers of a study: its data sets, its algorithms, the ids of its tables.
NAMES: dict[str, NamesOf] = {
    "dataset": lambda config: [entry.name for entry in config.datasets],
    "algorithm": lambda config: config.algorithms,
    "table": lambda config: [table.id for table in config.tables],
}

results_folder = click.Path(file_okay=False, path_type=Path)
results_option = click.option(
    "--results",
    type=results_folder,
    default="results",
    show_default=True,
    help="The folder of records and tables.",
)
config_option = click.option(
    "--config",
    "configs",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="CONFIG",
    help="The config of your own study, to plan its cells; the modules that it names are imported."
    " May be given several times.",
)


def _joined(
    context: click.Context, option: click.Parameter, folders: tuple[Path, ...]
) -> Path | None:
    joined = os.pathsep.join(map(str, folders))
    for folder in filter(None, joined.split(os.pathsep)):
        if not Path(folder).is_dir():
            raise click.BadParameter(f"there is no folder {folder!r}")
    return Path(joined) if joined else None


data_dir_option = click.option(
    "--data-dir",
    multiple=True,
    type=click.Path(path_type=Path),
    callback=_joined,
    help="Folder with data files, searched first; may be given several times, or with several"
    " folders separated as in PATH [default: $ENSVM_DATA].",
)


def config_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the argument CONFIG: a file, or the name of a shipped study."""
    return click.argument("config", shell_complete=complete_configs)(command)


def results_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the arguments [RESULTS] [STUDY]..., as `results` and `studies`.

    RESULTS may be left out before names of studies: an argument that is not a folder is a study.
    `results` is None then.
    """

    @functools.wraps(command)
    def split(places: tuple[Path | None, tuple[str, ...]], **others: Any) -> Any:
        return command(results=places[0], studies=places[1], **others)

    split.__doc__ = f"{command.__doc__}\n\n    {WHICH_STUDIES}"
    return click.argument(
        "places",
        nargs=-1,
        metavar="[RESULTS] [STUDY]...",
        callback=_results_and_studies,
        shell_complete=_complete_places,
    )(split)


def _results_and_studies(
    context: click.Context, argument: click.Parameter, values: tuple[str, ...]
) -> tuple[Path | None, tuple[str, ...]]:
    results, studies = _split(values)
    of_names = bool(values) and os.sep not in values[0] and all(map(shipped_records, studies))
    folder = values[0] if values and os.sep in values[0] else str(results or RESULTS)
    needs_folder = not (results is None and of_names) and not context.resilient_parsing
    if needs_folder and not Path(folder).is_dir():
        from ensvm.errors import did_you_mean

        unknown = [name for name in studies if not shipped_records(name)]
        hint = did_you_mean(unknown[0], shipped_names()) if unknown else ""
        first = "run a study first, for example: ensvm run smoke"
        raise click.BadParameter(f"there is no folder {folder!r}; {first}{hint}")
    return results, studies


def _split(values: Sequence[str]) -> tuple[Path | None, tuple[str, ...]]:
    """Return the folder of results, None if none is given, and the names of studies."""
    if values and Path(values[0]).is_dir():
        return Path(values[0]), tuple(values[1:])
    return None, tuple(values)


def must_be_one_of(
    what: str, name: str, accepted: Collection[str], lists_them: str | None = None
) -> None:
    """End the command if a name is not accepted; the message suggests the nearest.

    Many names are listed by the command `lists_them`, not by the message.
    """
    from ensvm.errors import did_you_mean

    if name not in accepted:
        names = f"accepted: {', '.join(accepted) or 'none'}"
        if lists_them is not None:
            names = f"`{lists_them}` lists the {len(accepted)} there are"
        refuse(f"{what} {name!r}; {names}{did_you_mean(name, accepted)}")


def read_studies(
    results: Path | None, studies: tuple[str, ...], example: str = "smoke"
) -> Iterator["Study"]:
    """Yield the studies that were run in `results`: all of them, or those named.

    Without `results`, names of shipped studies stand for the results that come with ensvm, and
    other names for studies in the folder `results`. If nothing was run, end the command with a
    message that names an `example` to run.
    """
    from ensvm.report.query import find_studies, read_shipped_study, read_study

    folders: dict[str, Path] | None = None
    for name in dict.fromkeys(studies) if studies else [None]:
        shipped = shipped_records(name) if name and results is None else None
        if name and shipped is not None:
            _say_shipped(name)
            yield read_shipped_study(shipped, Path("report", name))
            continue
        if folders is None:
            folders = _folders_of(find_studies(results or RESULTS))
        if not folders:
            first = (
                f"run a study first, for example: ensvm run {studies[0] if studies else example}"
            )
            refuse(f"{results or RESULTS}: nothing was run here; {_or_shipped(studies)}{first}")
        if name is None:
            yield from map(read_study, folders.values())
            continue
        if name not in folders and shipped_records(name):
            refuse(f"{results}: {name} was not run here; {_or_shipped((name,))}{RUN.format(name)}")
        shipped_too = filter(shipped_records, shipped_names()) if results is None else ()
        named = [*folders, *shipped_too]
        must_be_one_of(f"{results or RESULTS}: no results of a study", name, named)
        yield read_study(folders[name])


RUN = "run it first: ensvm run {}"


def _folders_of(folders: Iterable[Path]) -> dict[str, Path]:
    """Return the folders of studies by the names in their configs."""
    from ensvm.records.store import CONFIG_COPY
    from ensvm.study.config import read_config

    return {read_config(folder / CONFIG_COPY)[0].study: folder for folder in folders}


def _say_shipped(name: str) -> None:
    """Say that the results of a study come with ensvm, and where those run here are."""
    from ensvm.records.store import CELLS_FILE

    folder = RESULTS / name
    own = f"; what was run here: {folder}" if (folder / CELLS_FILE).is_file() else ""
    print_text(f"{name}: shown are the results that come with ensvm{own}", err=True)


def _or_shipped(studies: tuple[str, ...]) -> str:
    """Return how to see the results that come with ensvm of the studies that have some."""
    names = " ".join(name for name in studies if shipped_records(name))
    return f"the results that come with ensvm: give {names} without a folder, or " * bool(names)


def plans_of(configs: Iterable[Path], studies: Iterable["Study"]) -> dict[str, "Plan"]:
    """Return plans by the names of studies, from our own configs and those that the user names.

    The copies of configs in a results folder are never planned: they may come from anybody, and
    planning imports the modules that a config names.
    """
    from ensvm.runner.plan import make_plan
    from ensvm.shipped import shipped_config

    names = [study.config.study for study in studies]
    shipped = [path for path in map(shipped_config, names) if path is not None]
    plans = {plan.config.study: plan for plan in map(make_plan, shipped)}
    for path in configs:
        plan = make_plan(path)
        must_be_one_of(f"{path}: no results here of its study", plan.config.study, names)
        plans[plan.config.study] = plan
    return plans


def complete_configs(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the shipped studies, and files."""
    return [*_offered(shipped_names(), incomplete), CompletionItem(incomplete, type="file")]


def complete_from_config(kind: str) -> Completer:
    """Return a completer for A,B,...: names in the study that the argument CONFIG names."""

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from ensvm.shipped import find_config

        # While the value of the last option is missing, click has not parsed the arguments.
        config = context.params.get("config") or next(iter(context.args), "")
        try:
            configs = _read(find_config(config))
        except ValueError:  # unknown study
            return []
        before, comma, last = incomplete.rpartition(",")
        chosen = before.split(",")
        names = (name for config in configs for name in NAMES[kind](config) if name not in chosen)
        return _offered(names, last, before + comma)

    return complete


def complete_from_results(kind: str) -> Completer:
    """Return a completer for names in the studies in RESULTS."""

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return _offered(_names_in_results(context, NAMES[kind]), incomplete)

    return complete


def _complete_places(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the studies in the folder of results and, for the first argument, folders."""
    places = context.params.get("places")
    folders = [] if places and places[1] else [CompletionItem(incomplete, type="dir")]
    studies = _names_in_results(context, lambda config: [config.study])
    return [*_offered(studies, incomplete), *folders]


def _names_in_results(context: click.Context, names_of: NamesOf) -> Iterator[str]:
    """Yield names in the studies in RESULTS that have the data set chosen, if one is chosen."""
    from ensvm.records.store import CONFIG_COPY
    from ensvm.report.query import find_studies

    places = context.params.get("places")
    if places is None or context.args:  # not parsed yet, as above
        places = _split(context.args)
    results, studies = places
    dataset = context.params.get("dataset")
    folders = find_studies(results or RESULTS)
    if results is None:
        folders += filter(None, map(shipped_records, shipped_names()))
    for folder in folders:
        for config in _read(folder / CONFIG_COPY):
            has_data = dataset in (None, *NAMES["dataset"](config))
            if has_data and (not studies or config.study in studies):
                yield from names_of(config)


def _read(path: Path) -> "list[StudyConfig]":
    """Return the config in a file, or an empty list if it cannot be read."""
    from ensvm.study.config import read_config

    try:
        return [read_config(path)[0]]
    except (OSError, ValueError):
        return []


def _offered(names: Iterable[str], incomplete: str, before: str = "") -> list[CompletionItem]:
    """Return each name that begins with what was typed."""
    return [
        CompletionItem(before + name)
        for name in dict.fromkeys(names)
        if name.startswith(incomplete)
    ]
