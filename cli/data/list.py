"""`ensvm data list`: every data set, and where it would come from."""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from ensvm.data import DatasetCard, locate
from ensvm_cli.data.choice import cards_named
from ensvm_cli.terminal import data_dir_option

NARROW = 17  # characters that a column of names keeps at a terminal, however wide the others are


@click.command("list")
@data_dir_option
def list_(data_dir: Path | None) -> None:
    """Show every data set: size, licence, and which provider would serve it or why none would.

    Of a generated set the options that a study may change follow, with their values.
    """
    header = ("name", "also called", "rows x features", "classes", "served by", "licence")
    rows = [_row(card, data_dir) for card in cards_named(())]
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
