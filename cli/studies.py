"""`ensvm list` and `check`: which studies there are, and a config checked."""

import re
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from ensvm_cli.arguments import (
    config_argument,
    data_dir_option,
    results_folder,
    results_option,
)
from ensvm_cli.printing import (
    duration,
    plan_size,
    print_alarms,
    print_columns,
    print_missing_data,
    print_text,
    print_written,
    refuse,
    shortened,
)

if TYPE_CHECKING:
    from ensvm.data import DatasetCard
    from ensvm.runner.plan import Plan
    from ensvm.study.config import StudyConfig


@click.command("list")
@click.argument("results", type=results_folder, default="results")
@data_dir_option
def list_(results: Path, data_dir: Path | None) -> None:
    """List the shipped studies, and your own in RESULTS.

    For each study: title, which of its cells are in RESULTS, how long a run takes on one processor,
    and which data are missing. Piped output also has the paper and the data to download. Nothing
    is downloaded, and no data file is read.

    \b
    Examples:
      ensvm list
      ensvm list results/
    """
    from ensvm.data import list_cards

    cards = {
        name: card for card in list_cards() for name in (card.name, *card.aliases, *card.variants)
    }
    studies = {}
    with Console(stderr=True).status("reading") as status:
        for name, (config, folder) in _configs_and_folders(results).items():
            status.update(f"reading {name}")
            studies[name] = _study_facts(config, folder, cards, data_dir)
    if not sys.stdout.isatty():
        click.echo("\t".join(["study", *next(iter(studies.values()))]))
        for name, facts in studies.items():
            click.echo("\t".join([name, *(" ".join(text.split()) for text in facts.values())]))
        return
    _print_listed(studies)


def _print_listed(studies: dict[str, dict[str, str]]) -> None:
    """Print a line for each study, as wide as the terminal, and which data are missing."""
    heads = {"study": "study", "takes": "takes", "here": "here", "title": "what it is"}
    rows = [heads, *({"study": name, **facts} for name, facts in studies.items())]
    widths = [max(len(row[key]) for row in rows) for key in ("study", "takes", "here")]
    for row in rows:
        cells = zip(("study", "takes", "here"), widths, strict=True)
        line = "  ".join([*(row[key].ljust(width) for key, width in cells), row["title"]])
        click.secho(shortened(line, Console().width), bold=row is heads)
    print_text("\ntakes: what the paper shows, about, on one processor")
    for name, facts in studies.items():
        if facts["data missing"]:
            click.echo(f"data missing for {name}: {facts['data missing']}")
    click.echo("\nTo run one: ensvm run STUDY. To see what is done of each: ensvm status.")


def _configs_and_folders(results: Path) -> dict[str, tuple[Path, Path]]:
    """Return the config and the results folder of each study, sorted by name."""
    from ensvm.records.store import CONFIG_COPY
    from ensvm.report.query import find_studies
    from ensvm.shipped import shipped_configs

    folders = {folder.resolve().name: folder for folder in find_studies(results)}
    shipped = {path.stem: path for path in shipped_configs().glob("*.yaml")}
    return {
        name: (shipped.get(name) or folders[name] / CONFIG_COPY, folders.get(name, results / name))
        for name in sorted({*shipped, *folders}, key=_place)
    }


def _place(name: str) -> tuple[bool, int, str]:
    """Return where a study stands in the list: the works first, papers by their year.

    The name of a work has digits; of a paper they are its year. Parts of a paper follow it.
    """
    digits = re.fullmatch(r"[a-z]+(\d+)", name.partition("-")[0])
    if digits is None:
        return True, 0, name
    year = (int(digits[1]) + 30) % 100 if len(digits[1]) == 2 else 100
    return False, year, name


def _study_facts(
    path: Path,
    folder: Path,
    cards: Mapping[str, "DatasetCard"],
    data_dir: Path | None,
) -> dict[str, str]:
    """Return what `ensvm list` prints about a study, as names and texts; texts may be empty."""
    from ensvm.records.store import read_records
    from ensvm.study.config import read_config

    config, _ = read_config(path)
    records = read_records(folder)
    names = {"ok": "done", "unavailable": "without data"}
    counts = Counter(names.get(record.status, record.status) for record in records.values())
    here = [f"{count:,} cells {state}" for state, count in counts.most_common()]
    data_by_state = _data_by_state(config, cards, data_dir)
    return {
        "title": config.title,
        "paper": " ".join((config.citation.strip(), *config.links)),
        "here": ", ".join(here) or "not run",
        "takes": duration(config.takes) if config.takes else "",
        "to download": ", ".join(data_by_state.get("to download", [])),
        "data missing": ", ".join(data_by_state.get("missing", [])),
    }


def _data_by_state(
    config: "StudyConfig", cards: Mapping[str, "DatasetCard"], data_dir: Path | None
) -> dict[str, list[str]]:
    """Return the names of the study's data sets by state, such as "missing"."""
    from ensvm.data import locate

    names: dict[str, list[str]] = {}
    states: dict[str, str] = {}  # by sources, which several rows may share
    for name in config.own_rows:
        entry = config.dataset(name)
        if entry.unavailable is not None or entry.own:
            continue  # `ensvm run` looks for the user's own files beside the config
        card = cards.get(entry.card or entry.name)
        if card is None:
            names.setdefault("missing", []).append(name)
            continue
        sources = repr(card.parts)
        if sources not in states:
            states[sources] = locate(card, data_dir=data_dir, verify=False).state
            names.setdefault(states[sources], []).append(name)
    return names


@click.command()
@config_argument
@click.argument("name", required=False)
@click.option("--force", is_flag=True, help="Overwrite a config that exists.")
def copy(config: str, name: str | None, force: bool) -> None:
    """Copy a study's config, so that you can change and run it.

    The command writes NAME.yaml, a study of the name NAME, and a folder NAME with the printed
    values, claims, readings and assumptions: here for a shipped study, else beside CONFIG. NAME is
    my-STUDY by default. To change only some keys, write a config with `base:` instead.

    \b
    Examples:
      ensvm copy ijcai07
      ensvm copy ijcai07 mine
    """
    from ensvm.shipped import find_config

    written = _copy_study(find_config(config), name, force)
    print_written(written)
    print_text(f"now: ensvm run {written[0]}")


def _copy_study(path: Path, name: str | None, force: bool) -> list[Path]:
    """Copy a config, its parts and its printed values; return the files, the config first.

    The copy of a shipped config is written into the current folder, that of another beside it, so
    that its paths stay right. Raises UserError if the name is not accepted, or the file exists
    without `force`.
    """
    from pydantic import TypeAdapter, ValidationError

    from ensvm.atomic_write import replace_file
    from ensvm.errors import UserError
    from ensvm.shipped import shipped_config, shipped_configs
    from ensvm.study.block import Name
    from ensvm.study.config import read_config
    from ensvm.study.source import PARTS, read_text

    config, _ = read_config(path)
    name = (name or f"my-{config.study}").removesuffix(".yaml")
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError as error:
        message = f"{name!r} is not accepted as the name of a study: letters, digits, _ . + -"
        raise UserError(message) from error
    if name == config.study or shipped_config(name) is not None:
        raise UserError(f"{name!r} is the name of another study; choose one of its own")
    folder = Path() if path.parent == shipped_configs() else path.parent
    target = folder / f"{name}.yaml"
    if target.exists() and not force:
        raise UserError(f"{target} exists; choose another name, or --force to overwrite it")
    text = re.sub(r"^study:.*", f"study: {name}", read_text(path), count=1, flags=re.MULTILINE)
    of_parts = [path.with_suffix("") / f"{part}.yaml" for part in PARTS]
    copies = {file: folder / name / file.name for file in of_parts if file.is_file()}
    if (printed := config.published) is not None:
        copies[path.parent / printed] = folder / name / Path(printed).name
        head, key, rest = text.partition("\npublished:")
        text = head + key + rest.replace(printed, f"{name}/{Path(printed).name}", 1)
    replace_file(target, text)
    for file, copied in copies.items():
        copied.parent.mkdir(exist_ok=True)
        replace_file(copied, file.read_bytes())
    return [target, *copies.values()]


@click.command()
@config_argument
@results_option
# Scripts give it still: before, `check` fitted each algorithm once.
@click.option("--no-fit", is_flag=True, hidden=True, expose_value=False)
def check(config: str, results: Path) -> None:
    """Check a config.

    Every key and value of CONFIG is checked, and so are notes that explain verdicts in the tables
    in RESULTS. Nothing is fitted: a run with --realizations 1 fits each algorithm once.
    Exit status: 0 good, 2 wrong input.

    \b
    Examples:
      ensvm check smoke
      ensvm check configs/ijcai07.yaml
    """
    from ensvm.report.tables import stale_notes
    from ensvm.runner.plan import make_plan
    from ensvm.shipped import find_config
    from ensvm.study.printed import first_values, read_published

    path = find_config(config)
    plan = make_plan(path)
    errors = stale_notes(plan.config, results / plan.config.study)
    if errors:
        refuse(*(f"{path}: {line}" for line in errors))
    print_columns(plan)
    _print_alarms(plan)
    if plan.published is not None:
        printed = read_published(plan.published, plan.config)
        for line in first_values(printed) if printed else ["holds no printed values yet"]:
            print_text(f"{plan.published.name}, {line}")
        drawn = any(card.split.protocol == "random" for card in plan.cards.values())
        spread = any(number.std is not None for number in printed.values())
        if drawn and spread and plan.config.published_realizations is None:
            print_text(
                "the printed values have standard deviations: over how many splits?"
                " `published_realizations:` of the study says it"
            )
    print_text(f"{path}: good; {plan_size(plan)}")
    print_missing_data(plan, set(plan.cards), None)


def _print_alarms(plan: "Plan") -> None:
    """Print what may spoil results on the user's own files."""
    from ensvm.data import load
    from ensvm.data.alarms import TITLE, alarms
    from ensvm.data.card import OWN_SOURCE
    from ensvm.study.block import is_derived

    for name, card in plan.cards.items():
        if card.source == OWN_SOURCE and not is_derived(name):
            print_alarms(f"{TITLE}, {name}:", alarms(load(card)))
