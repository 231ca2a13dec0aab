"""`ensvm data list`: every data set, and where it would come from."""

import shutil
import sys
from pathlib import Path

import click
from rich.console import Console

from ensvm.data import DatasetCard, locate
from ensvm_cli.data.choice import cards_named
from ensvm_cli.printing import tell_table
from ensvm_cli.terminal import data_dir_option

HEADS = ("name", "rows x features", "classes", "served by", "licence", "also called")
WIDE = 150  # columns of a terminal at which the licence and the other names have room


@click.command("list")
@data_dir_option
def list_(data_dir: Path | None) -> None:
    """List every data set, its size, and who would serve it.

    Where nobody would, the reason stands there. Of a generated set the options that a study may
    change follow, with their values. A terminal of less than 150 columns shows neither licences nor
    other names; `ensvm data show` does.
    """
    cards = cards_named(())
    rows = []
    with Console(stderr=True).status("looking for data") as status:
        for card in cards:
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
