"""`ensvm data verify`: check data sets against their cards."""

from pathlib import Path

import click

from ensvm.data import DataError, DataUnavailable, load
from ensvm_cli.data.choice import cards_named
from ensvm_cli.terminal import data_dir_option


@click.command()
@click.argument("names", nargs=-1)
@data_dir_option
def verify(names: tuple[str, ...], data_dir: Path | None) -> None:
    """Check the data sets named, or all that are here, against their cards; download nothing."""
    cards = cards_named(names)
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
