"""`ensvm data`: list, show, fetch and verify the data sets that studies use."""

import shutil
import sys
from pathlib import Path

import click
from rich.console import Console

from ensvm.data import (
    DataError,
    DatasetCard,
    DataUnavailable,
    find_card,
    list_cards,
    load,
    locate,
    whereabouts,
)
from ensvm_cli import completion
from ensvm_cli.printing import tell, tell_facts, tell_table
from ensvm_cli.terminal import data_dir_option, missing_block

HEADS = ("name", "rows x features", "classes", "served by", "licence", "also called")
WIDE = 150  # columns of a terminal at which the licence and the other names have room

names_argument = click.argument("names", nargs=-1, shell_complete=completion.data_sets)


@click.group()
def data() -> None:
    """List, fetch and verify the data sets that studies use."""


@data.command("list")
@click.argument("configs", nargs=-1, metavar="[CONFIG]...", shell_complete=completion.configs)
@click.option(
    "--missing", is_flag=True, help="Print which data of the CONFIGs cannot be loaded, instead."
)
@data_dir_option
def list_(configs: tuple[str, ...], missing: bool, data_dir: Path | None) -> None:
    """List every data set, its size, and who would serve it.

    If nobody would, the reason stands there. The options of a generated set that a study may
    change follow, with their values. A terminal of less than 150 columns shows neither licences nor
    other names; `ensvm data show` does. With --missing, data sets of the CONFIGs (files, or names
    of shipped studies) are downloaded, and those that cannot be loaded are printed with how to get
    them.

    \b
    Examples:
      ensvm data list
      ensvm data list --missing smoke comp6321
    """
    if missing != bool(configs):
        raise click.UsageError("--missing and CONFIG belong together")
    if missing:
        _print_missing(configs, data_dir)
        return
    rows = []
    with Console(stderr=True).status("looking for data") as status:
        for card in list_cards():
            status.update(f"looking for {card.name}")
            rows.append(_row(card, data_dir))
    if sys.stdout.isatty():
        shown = len(HEADS) if shutil.get_terminal_size().columns >= WIDE else 4
        tell_table(HEADS[:shown], [row[:shown] for row in rows], names=shown)
        click.echo("\nMore of one, and how to get it: ensvm data show NAME")
        return
    widths = [max(len(row[j]) for row in (HEADS, *rows)) for j in range(len(HEADS))]
    for row in (HEADS, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _row(card: DatasetCard, data_dir: Path | None) -> tuple[str, ...]:
    found = locate(card, data_dir=data_dir)
    served = found.provider or f"nobody: {found.reasons[-1]}"
    if card.generator and (options := card.generator.model_dump().get("options")):
        served += f" ({', '.join(f'{key}: {value:g}' for key, value in options.items())})"
    return (
        card.name,
        f"{card.rows} x {card.features}",
        str(len(card.labels)),
        served,
        card.licence,
        ", ".join([*card.aliases, *card.variants]),
    )


def _print_missing(configs: tuple[str, ...], data_dir: Path | None) -> None:
    """Download the data of studies, and print in one block which cannot be loaded."""
    from ensvm.data import DataSearch
    from ensvm.runner.plan import make_plan
    from ensvm.study.config import find_config

    plans = [make_plan(find_config(config)) for config in configs]
    rows = [
        (f"{plan.config.study}/{name}" if len(plans) > 1 else name, card)
        for plan in plans
        for name, card in plan.cards.items()
    ]
    search = DataSearch(data_dir)
    with Console(stderr=True).status("reading") as status:
        for number, (name, card) in enumerate(rows, start=1):
            status.update(f"data {number}/{len(rows)}: {name}")
            search.find(name, card)
    studies = f"{len(plans)} studies" if len(plans) > 1 else plans[0].config.study
    if search.missing:
        tell(missing_block(search, len(rows), studies))
    else:
        click.echo(f"all {len(rows)} data sets of {studies} are here")


@data.command()
@click.argument("name", shell_complete=completion.data_sets)
@data_dir_option
def show(name: str, data_dir: Path | None) -> None:
    """Show a data set's card, and where its files are.

    If they are not here, it says how to get them. NAME is a name, another name, or that of a
    variant, as `ensvm data list` has them.

    \b
    Example:
      ensvm data show german
    """
    card = find_card(name)
    found = locate(card, data_dir=data_dir)
    files = [
        f"{path} ({path.stat().st_size:,} bytes)"
        for paths in whereabouts(card, data_dir=data_dir).files.values()
        for path in paths
    ]
    click.secho(f"{card.name}: {card.title}\n", bold=True)
    tell_facts({fact: text for fact, text in _facts(card).items() if text}, indent=2)
    click.echo()
    here = {"served by": found.provider or "nobody", "files": "\n".join(files)}
    if found.provider is None:
        here["why"] = "\n".join(found.reasons)
    if found.provider is None or found.downloads:
        here["how to get it"] = found.how_to_get
    tell_facts({fact: text for fact, text in here.items() if text}, indent=2)


def _facts(card: DatasetCard) -> dict[str, str]:
    """Return what the card says, as names and texts; some may be empty."""
    counts = {label: count for label, count in card.classes.items() if count is not None}
    classes = ", ".join(
        f"{label}: {counts[label]:,} rows" if label in counts else label for label in card.classes
    )
    protocol = card.split_protocol()
    _, n_train, n_test = card.sizes()
    split = ", ".join(f"{key}: {value}" for key, value in protocol.items())
    generator = card.generator.model_dump() if card.generator else {}
    options = generator.pop("options", None) or {}
    return {
        "also called": ", ".join(card.aliases),
        "variants": ", ".join(card.variants),
        "variant of": card.base or "",
        "rows": f"{card.rows:,}",
        "inputs": f"{card.features:,}" + ", sparse" * card.sparse,
        "classes": classes,
        "positive": card.positive or "",
        "missing values": card.missing or "",
        "scaling": card.scaling,
        "split": f"{split}; {n_train:,} rows to train on, {n_test:,} to test on",
        "realizations": f"at most {card.max_realizations:,}" if card.max_realizations else "",
        "generator": ", ".join(f"{key}: {value}" for key, value in generator.items()),
        "options": ", ".join(f"{key}: {value}" for key, value in options.items()),
        "source": card.source,
        "licence": card.licence,
        "citation": card.citation,
        "checksum": card.checksum or "",
        "sources": "\n".join(
            dict.fromkeys(
                f"{source.kind} {source.address}"
                for sources in card.parts.values()
                for source in sources
            )
        ),
    }


@data.command()
@names_argument
@click.option(
    "--verify", is_flag=True, help="Check those that are here against their cards, instead."
)
@data_dir_option
def fetch(names: tuple[str, ...], verify: bool, data_dir: Path | None) -> None:
    """Download data sets that are not on this machine yet.

    NAMES are names of data sets; all, if none is given. With --verify nothing is downloaded.

    \b
    Examples:
      ensvm data fetch german waveform
      ensvm data fetch --verify
    """
    cards = [find_card(name) for name in names] if names else list_cards()
    if verify:
        _verify(cards, bool(names), data_dir)
        return
    failed = 0
    progress = Console(stderr=True)
    for number, card in enumerate(cards, start=1):
        try:
            with progress.status(f"{number}/{len(cards)} {card.name} ..."):
                loaded = load(card, data_dir=data_dir)
            click.echo(f"{card.name}: {len(loaded.y)} rows from {loaded.provider}")
        except DataError as error:
            failed += 1
            click.echo(f"{card.name}: {error}", err=True)
    if failed:
        click.echo(f"{failed} of {len(cards)} data sets could not be loaded", err=True)
    if failed and (names or failed == len(cards)):
        raise SystemExit(1)


def _verify(cards: list[DatasetCard], named: bool, data_dir: Path | None) -> None:
    """Print which data sets are here and right; end with status 1 if one is wrong."""
    wrong = absent = 0
    for card in cards:
        try:
            loaded = load(card, data_dir=data_dir, offline=True)
            checksum = loaded.checksum[:12]
            click.echo(f"{card.name}: right, from {loaded.provider} (arrays {checksum}...)")
        except DataUnavailable:
            absent += 1
            click.echo(f"{card.name}: not here; `ensvm data fetch {card.name}` tries to get it")
        except DataError as error:
            wrong += 1
            click.echo(f"{card.name}: WRONG: {error}", err=True)
    if wrong or (absent and named):
        raise SystemExit(1)


@data.command("missing", hidden=True)
@click.argument("configs", nargs=-1, required=True)
@data_dir_option
@click.pass_context
def missing_(context: click.Context, configs: tuple[str, ...], data_dir: Path | None) -> None:
    """Do what `ensvm data list --missing` does: its former name, kept for one version."""
    context.invoke(list_, configs=configs, missing=True, data_dir=data_dir)


@data.command("verify", hidden=True)
@names_argument
@data_dir_option
@click.pass_context
def verify_(context: click.Context, names: tuple[str, ...], data_dir: Path | None) -> None:
    """Do what `ensvm data fetch --verify` does: its former name, kept for one version."""
    context.invoke(fetch, names=names, verify=True, data_dir=data_dir)
