"""`ensvm list`: the studies there are, and what there is of each."""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from ensvm_cli.printing import tell_facts
from ensvm_cli.terminal import data_dir_option, duration

if TYPE_CHECKING:
    from ensvm.data import DatasetCard
    from ensvm.records.record import Identity, Record
    from ensvm.runner.estimate import Measured
    from ensvm.study.config import StudyConfig


@click.command("list")
@click.argument("results", type=click.Path(file_okay=False, path_type=Path), default="results")
@data_dir_option
def list_(results: Path, data_dir: Path | None) -> None:
    """List the shipped studies, and those of your own in RESULTS.

    Of each: the title, the paper, what of it is in RESULTS, how long a run of it keeps one
    processor busy, as measured, and which of its data are not here. Nothing is downloaded, and no
    file of data is read; `ensvm data verify` does that.

    \b
    Examples:
      ensvm list
      ensvm list results/
    """
    from ensvm.data import list_cards
    from ensvm.runner.estimate import read_measured

    cards = {
        name: card for card in list_cards() for name in (card.name, *card.aliases, *card.variants)
    }
    measured = read_measured()
    told = {}
    with Console(stderr=True).status("reading") as status:
        for name, (config, folder) in _studies(results).items():
            status.update(f"reading {name}")
            told[name] = _facts(config, folder, measured, cards, data_dir)
    if not sys.stdout.isatty():
        click.echo("\t".join(["study", *next(iter(told.values()))]))
        for name, facts in told.items():
            click.echo("\t".join([name, *(" ".join(text.split()) for text in facts.values())]))
        return
    for name, facts in told.items():
        click.secho(name, bold=True)
        tell_facts({fact: text for fact, text in facts.items() if text}, indent=2)
    click.echo("\nTo run one: ensvm run STUDY. More of what is here: ensvm status.")


def _studies(results: Path) -> dict[str, tuple[Path, Path]]:
    """Return the config and the results folder of each study, by its name, in order of names."""
    from ensvm.records.store import CONFIG_COPY
    from ensvm.report.query import find_studies
    from ensvm.shipped import shipped_configs

    own = {folder.resolve().name: folder for folder in find_studies(results)}
    shipped = {path.stem: path for path in shipped_configs().glob("*.yaml")}
    return {
        name: (shipped.get(name) or own[name] / CONFIG_COPY, own.get(name, results / name))
        for name in sorted({*shipped, *own})
    }


def _facts(
    path: Path,
    folder: Path,
    measured: list["Measured"],
    cards: Mapping[str, "DatasetCard"],
    data_dir: Path | None,
) -> dict[str, str]:
    """Return what is told of a study: names and texts, some perhaps empty."""
    from ensvm.records.store import read_records
    from ensvm.study.config import read_config

    config, _ = read_config(path)
    own = read_records(folder)
    by_state = _data(config, cards, data_dir)
    return {
        "title": config.title,
        "paper": config.citation,
        "here": _here(folder, own),
        "takes": _takes(config, own, measured),
        "to download": ", ".join(by_state.get("to download", [])),
        "data missing": ", ".join(by_state.get("missing", [])),
    }


def _here(folder: Path, own: Mapping["Identity", "Record"]) -> str:
    """Return what of a study is in its folder."""
    from ensvm.records.store import SHIPPED_FILE

    names = {"ok": "done", "unavailable": "without data"}
    counts = Counter(names.get(record.status, record.status) for record in own.values())
    told = [f"{count:,} cells {state}" for state, count in counts.most_common()]
    if (folder / SHIPPED_FILE).is_file():
        told.append("our records" if not own else "our records for the rest")
    return ", ".join(told) or "not run"


def _takes(
    config: "StudyConfig", own: Mapping["Identity", "Record"], shipped: list["Measured"]
) -> str:
    """Return how long one processor is busy with a study, and where that was measured."""
    from ensvm.runner.estimate import measured, total_seconds

    lines, where = measured(own), "here"
    if not lines:
        lines = [line for line in shipped if line.study == config.study]
        where = f"on {', '.join(dict.fromkeys(line.machine for line in lines))}"
    if not lines:
        return ""
    orders = {name: block.orders for name, block in config.algorithms.items()}
    return f"{duration(total_seconds(lines, orders))} of one processor, measured {where}"


def _data(
    config: "StudyConfig", cards: Mapping[str, "DatasetCard"], data_dir: Path | None
) -> dict[str, list[str]]:
    """Return the names of the study's data sets, by whether they are here."""
    from ensvm.data import whereabouts

    found: dict[str, list[str]] = {}
    seen: dict[str, str] = {}
    for name in config.own_rows:
        entry = config.dataset(name)
        if entry.unavailable is not None or entry.own:
            continue  # a file of one's own is looked for by the run, from the config's folder
        card = cards.get(entry.card or entry.name)
        if card is None:
            found.setdefault("missing", []).append(name)
            continue
        sources = repr(card.parts)
        if sources not in seen:  # rows of one data set are looked for once
            seen[sources] = whereabouts(card, data_dir=data_dir).state
            found.setdefault(seen[sources], []).append(name)
    return found
