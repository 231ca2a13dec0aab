"""`ensvm data fetch`: download data sets."""

from pathlib import Path

import click
from rich.console import Console

from ensvm.data import DataError, load
from ensvm_cli.data.choice import cards_named
from ensvm_cli.terminal import data_dir_option


@click.command()
@click.argument("names", nargs=-1)
@data_dir_option
def fetch(names: tuple[str, ...], data_dir: Path | None) -> None:
    """Download the data sets named, or all, that are not on this machine yet."""
    cards = cards_named(names)
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
