"""Arguments and options that several verbs share, and the studies that they name."""

import functools
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ensvm.errors import UserError, did_you_mean, in_any_case
from ensvm.name_lists import first_names
from ensvm.shipped import RESULTS, SHIPPED, shipped_name, shipped_names, shipped_records
from ensvm_cli.printing import print_text, refuse

if TYPE_CHECKING:
    from ensvm.report.study_folder import Study
    from ensvm.runner.plan import Plan
    from ensvm.study.config import StudyConfig

NOT_ALL_SHOWN = 1  # the exit status
# In the context of click: whether something could not be shown or written, and the folders in
# which no file could be written
LEFT_OUT, NOT_WRITTEN = "ensvm.left_out", "ensvm.not_written"
WHICH_STUDIES = """RESULTS is a folder; by default it is `results`, and STUDY is every study that
    was run there. The folder `results` of a checkout shows the results that come with ensvm until
    something is run there; so does, without RESULTS, the name of a shipped study, and `shipped` is
    all of them. What is written about them goes to report/STUDY."""


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


def complete_study(
    context: click.Context, argument: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the shipped studies that begin so, and leave files to the shell."""
    names = [CompletionItem(name) for name in shipped_names() if name.startswith(incomplete)]
    return [*names, CompletionItem(incomplete, type="file")]


def config_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the argument CONFIG: a file, or the name of a shipped study."""
    return click.argument("config", type=click.Path(), shell_complete=complete_study)(command)


def results_argument(*words: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that gives a command the arguments [RESULTS] [STUDY]...

    RESULTS may be left out before names of studies: an argument that is not a folder is a study.
    `results` is None then. `words` are options that may also be given as arguments, behind the
    study.
    """

    def decorated(command: Callable[..., Any]) -> Callable[..., Any]:
        """Return a command that takes the arguments."""

        @functools.wraps(command)
        def split(places: tuple[str, ...], **others: Any) -> Any:
            """Separate RESULTS, names of studies and words, and call the command with them."""
            results, studies, rest = _results_and_studies(places, words)
            for word, value in zip(words, rest, strict=False):
                if others[word]:
                    raise click.UsageError(f"give the {word} once: {value!r}, or --{word}")
                others[word] = value
            command(results=results, studies=studies, **others)
            if click.get_current_context().meta.get(LEFT_OUT):
                sys.exit(NOT_ALL_SHOWN)

        split.__doc__ = f"{command.__doc__}\n\n    {WHICH_STUDIES}"
        metavar = " ".join(["[RESULTS] [STUDY]...", *(f"[{word.upper()}]" for word in words)])
        return click.argument(
            "places",
            nargs=-1,
            metavar=metavar,
            type=click.Path(),
            shell_complete=complete_study,
        )(split)

    return decorated


def _results_and_studies(
    values: tuple[str, ...], words: tuple[str, ...]
) -> tuple[Path | None, tuple[str, ...], tuple[str, ...]]:
    """Return RESULTS, the studies, and what stands behind them if `words` may stand there."""
    is_folder = bool(values) and Path(values[0]).is_dir()
    results, studies = (Path(values[0]), values[1:]) if is_folder else (None, values)
    studies, rest = _before_words(results or RESULTS, studies, words)
    if not is_folder:
        studies = _of_shipped(studies)
    of_names = bool(studies) and os.sep not in studies[0] and all(map(shipped_records, studies))
    folder = studies[0] if studies and os.sep in studies[0] else str(results or RESULTS)
    if not (results is None and of_names) and not Path(folder).is_dir():
        unknown = [name for name in studies if not shipped_records(name)]
        hint = did_you_mean(unknown[0], shipped_names()) if unknown else ""
        first = "run a study first, for example: ensvm run smoke"
        named = f"{unknown[0]!r} is neither a folder nor a shipped study, and " if unknown else ""
        if unknown and unknown[0].isdecimal():
            hint = f"; a table: --table {unknown[0]}"
        raise click.UsageError(f"{named}there is no folder {folder!r}; {first}{hint}")
    return results, studies, rest


def _of_shipped(studies: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of studies in which a first `shipped` stands for the shipped results.

    `ensvm compare` calls them so. The names behind it are then those of shipped studies.
    """
    if studies[:1] != (SHIPPED,):
        return tuple(map(_study_name, studies))
    named = tuple(map(shipped_name, studies[1:]))
    accepted = tuple(filter(shipped_records, shipped_names()))
    for name in named:
        must_be_one_of("the results that come with ensvm: no study", name, accepted)
    return named or accepted


def _study_name(name: str) -> str:
    """Return the name of a study of `results`, or of a shipped one, whatever its capitals are."""
    return name if (RESULTS / name).is_dir() else shipped_name(name)


def _before_words(
    results: Path, values: tuple[str, ...], words: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split arguments into the names of studies, one at least, and up to as many as `words`."""
    n = 1
    while n < len(values) and (
        (results / values[n]).is_dir() or shipped_records(shipped_name(values[n]))
    ):
        n += 1
    rest = values[n:] if words else ()
    if len(rest) > len(words):
        accepted = " ".join(word.upper() for word in words)
        raise click.UsageError(
            f"{' '.join(rest)!r} stands behind the study; accepted there: {accepted}"
        )
    return values[:n] if words else values, rest


def must_be_one_of(
    what: str,
    name: str,
    accepted: Collection[str],
    lists_them: str = "",
    meant: Iterable[str] = (),
) -> None:
    """End the command if a name is not accepted; the message suggests the nearest.

    The command `lists_them` prints all accepted names. `meant` are names that are suggested, too:
    with one of them, the command says what is missing.
    """
    if name not in accepted:
        names = f"accepted: {first_names(accepted, lists_them) or 'none'}"
        refuse(f"{what} {name!r}; {names}{did_you_mean(name, [*accepted, *meant])}")


def read_studies(
    results: Path | None,
    studies: tuple[str, ...],
    example: str = "smoke",
    *,
    only_run: bool = False,
) -> Iterator["Study"]:
    """Yield the studies that `results` shows: all of them, or those named.

    A folder shows what was run in it; if nothing was, the results that come with ensvm, if they lie
    there and not `only_run`. Without `results`, names of shipped studies stand for the results that
    come with ensvm, and other names for studies in the folder `results`. If there is nothing to
    show, end the command with a message that names an `example` to run.
    """
    from ensvm.report.study_folder import (
        find_shown,
        find_studies,
        folders_by_study,
        read_shipped_study,
    )

    folders: dict[str, list[Path]] | None = None
    configs = list["StudyConfig"]()
    for name in dict.fromkeys(studies) if studies else [None]:
        shipped = shipped_records(name) if name and results is None else None
        if name and shipped is not None:
            _say_shipped(name)
            study = _with_remarks(read_shipped_study(shipped, Path("report", name)))
            configs.append(study.config)
            yield study
            continue
        if folders is None:
            find = find_studies if only_run else find_shown
            found = find(results or RESULTS)
            folders = folders_by_study(found)
            say_if_shipped(results or RESULTS, found)
        where = f"{results or RESULTS}: no results of a study"
        is_here = name is None or in_any_case(name, folders) in folders
        known = configs or _configs_in(folders)
        if name and not is_here and (hint := _option_hint(name, known)):
            refuse(f"{where} {name!r}{hint}")
        if not folders:
            refuse(f"{results or RESULTS}: {_nothing_run(studies, example)}")
        if name is None:
            yield from _readable(folders)
            continue
        name = in_any_case(name, folders)
        if name not in folders and shipped_records(name):
            first = f"{_or_shipped((name,))}run it first: ensvm run {name}"
            refuse(f"{results}: {name} was not run here; {first}")
        shipped_too = filter(shipped_records, shipped_names()) if results is None else ()
        named = dict.fromkeys([*folders, *shipped_too])
        must_be_one_of(where, name, named, meant=shipped_names())
        for study in _readable({name: folders[name]}):
            configs.append(study.config)
            yield study


def _nothing_run(studies: tuple[str, ...], example: str) -> str:
    """Return that no study was run in a folder, and what to run first."""
    unknown = [one for one in studies if one not in shipped_names()]
    example = example if not studies or unknown else studies[0]
    first = f"run a study first, for example: ensvm run {example}"
    hint = did_you_mean(unknown[0], shipped_names()) if unknown else ""
    return f"nothing was run here; {_or_shipped(studies)}{first}{hint}"


def _option_hint(name: str, configs: "Iterable[StudyConfig]") -> str:
    """Return which option of the command takes a name in a config; "" if none does."""
    for config in configs:
        parts: dict[str, Collection[str]] = {
            "--table": [table.id for table in config.tables],
            "--claim": [claim.id for claim in config.claims],
            "--dataset": config.own_rows,
            "--algorithm": config.algorithms,
        }
        for option in click.get_current_context().command.params:
            for flag in option.opts:
                if name in parts.get(flag, ()):
                    return f"; did you mean {flag} {name}?"
    return ""


def _configs_in(folders: Mapping[str, Sequence[Path]]) -> Iterator["StudyConfig"]:
    """Yield the configs of studies that can be read."""
    from ensvm.records.store import CONFIG_COPY
    from ensvm.study.read_config import read_copy

    for folder, *_ in folders.values():
        with suppress(UserError):
            yield read_copy(folder / CONFIG_COPY)


def _readable(folders: Mapping[str, Sequence[Path]]) -> Iterator["Study"]:
    """Yield the studies in folders; name the folders that are not shown, and go on.

    End the command if none can be read.
    """
    from ensvm.report.study_folder import read_each

    errors = list[UserError]()
    n_read = 0
    for study in read_each(folders):
        if isinstance(study, UserError):
            errors.append(study)
        else:
            n_read += 1
            yield _with_remarks(study)
    if not n_read:
        refuse(*map(str, errors))
    for error in errors:
        print_text(f"not shown: {error}", err=True)
        click.get_current_context().meta[LEFT_OUT] = True


def say_not_written(error: OSError) -> None:
    """Say that a file cannot be written, once for each folder; the command goes on."""
    folder, meta = Path(error.filename).parent, click.get_current_context().meta
    meta[LEFT_OUT] = True
    if folder not in meta.setdefault(NOT_WRITTEN, set()):
        meta[NOT_WRITTEN].add(folder)
        print_text(f"not written: {error.filename}: {error.strerror}", err=True)


def print_left_out(study: "Study") -> None:
    """Print what reports leave out of a study's records."""
    for sentence in study.left_out:
        print_text(f"{study.config.study}: {sentence}", err=True)


def _with_remarks(study: "Study") -> "Study":
    """Print what reports leave out of a study's records, and return the study."""
    print_left_out(study)
    if not study.is_complete:
        click.get_current_context().meta[LEFT_OUT] = True
    return study


def say_if_shipped(results: Path, folders: Iterable[Path]) -> None:
    """Say, if nothing was run in `results`, that what it shows comes with ensvm."""
    from ensvm.report.study_folder import is_shipped

    if any(map(is_shipped, folders)):
        text = "nothing was run here; showing the results that come with ensvm"
        print_text(f"{results}: {text}", err=True)


def _say_shipped(name: str) -> None:
    """Say that the results of a study come with ensvm, and where those run here are."""
    from ensvm.records.store import CELLS_FILE

    folder = RESULTS / name
    own = f"; what was run here: {folder}" if (folder / CELLS_FILE).is_file() else ""
    print_text(f"{name}: showing the results that come with ensvm{own}", err=True)


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
