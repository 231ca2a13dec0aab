"""`ensvm data`: list, fetch and verify data sets."""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from ensvm.data import DataError, DatasetCard, DataUnavailable, find_card, list_cards, load, locate
from ensvm_cli.terminal import data_dir_option, readable_errors

NARROW = 17  # characters that a column of names keeps at a terminal, however wide the others are


@click.group()
def data() -> None:
    """List, fetch and verify the data sets that studies use."""


@data.command("list")
@data_dir_option
def list_(data_dir: Path | None) -> None:
    """Show every data set: size, licence, and which provider would serve it or why none would.

    Of a generated set the options that a study may change follow, with their values.
    """
    header = ("name", "also called", "rows x features", "classes", "served by", "licence")
    rows = [_row(card, data_dir) for card in _asked(())]
    widths = [max(len(row[j]) for row in (header, *rows)) for j in range(len(header))]
    console = Console()
    if console.is_terminal:
        console.print(_table(header, rows, widths))
        return
    for row in (header, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]], widths: list[int]) -> Table:
    table = Table()
    for title, width in zip(header, widths, strict=True):
        if title == "licence":
            table.add_column(title, no_wrap=True, overflow="ellipsis")
        else:
            table.add_column(title, min_width=min(width, NARROW), overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


@data.command()
@click.argument("names", nargs=-1)
@data_dir_option
def fetch(names: tuple[str, ...], data_dir: Path | None) -> None:
    """Download the data sets named, or all, that are not on this machine yet."""
    cards = _asked(names)
    failed = 0
    progress = Console(stderr=True)
    for number, card in enumerate(cards, start=1):
        try:
            with progress.status(f"{number}/{len(cards)} {card.name} ..."):
                found = load(card, data_dir=data_dir)
            click.echo(f"{card.name}: {len(found.y)} rows from {found.provider}")
        except DataError as error:
            failed += 1
            click.echo(f"{card.name}: {error}", err=True)
    if failed:
        click.echo(f"{failed} of {len(cards)} data sets could not be loaded", err=True)
    if failed and (names or failed == len(cards)):
        raise SystemExit(1)


@data.command()
@click.argument("names", nargs=-1)
@data_dir_option
def verify(names: tuple[str, ...], data_dir: Path | None) -> None:
    """Check the data sets named, or all that are here, against their cards; download nothing."""
    cards = _asked(names)
    bad = absent = 0
    for card in cards:
        try:
            found = load(card, data_dir=data_dir, offline=True)
            click.echo(
                f"{card.name}: right, from {found.provider} (arrays {found.checksum[:12]}...)"
            )
        except DataUnavailable:
            absent += 1
            click.echo(f"{card.name}: not here; `ensvm data fetch {card.name}` tries to get it")
        except DataError as error:
            bad += 1
            click.echo(f"{card.name}: WRONG: {error}", err=True)
    if bad or (absent and names):
        raise SystemExit(1)


def _asked(names: tuple[str, ...]) -> list[DatasetCard]:
    """Return the cards asked for, or all; wrong input ends the command with one message."""
    with readable_errors():
        return [find_card(name) for name in names] if names else list_cards()


def _row(card: DatasetCard, data_dir: Path | None) -> tuple[str, ...]:
    found = locate(card, data_dir=data_dir)
    served = found.provider or f"nobody: {found.reasons[-1]}"
    if card.generator and (options := card.generator.model_dump().get("options")):
        served += f" ({', '.join(f'{key}: {value:g}' for key, value in options.items())})"
    also = ", ".join([*card.aliases, *card.variants])
    return (
        card.name,
        also,
        f"{card.rows} x {card.features}",
        str(len(card.labels)),
        served,
        card.licence,
    )
