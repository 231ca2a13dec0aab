"""What a plan is made of, as `ensvm check` and `ensvm run` tell it."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ensvm_cli.printing import tell
from ensvm_cli.terminal import missing_block

if TYPE_CHECKING:
    from ensvm.data import DataSearch
    from ensvm.runner.plan import Plan


def tell_missing_data(plan: "Plan", wanted: set[str], data_dir: Path | None) -> "DataSearch":
    """Say which of the data sets wanted are not here, as far as it can be told without network."""
    from ensvm.data import DataSearch

    search = DataSearch(data_dir, download=False)
    for name, card in plan.cards.items():
        if name in wanted:
            search.find(name, card)
    if search.missing:
        tell(missing_block(search, len(wanted), plan.config.study))
    if search.to_download:
        tell(f"data to download: {', '.join(search.to_download)}")
    return search


def tell_errors(lines: Iterable[str]) -> None:
    """Print what is wrong, a line each, on standard error."""
    for line in lines:
        click.echo(f"error: {line}", err=True)


def tell_columns(plan: "Plan") -> None:
    """Say which columns of the data are no inputs, what groups they tell, where counts begin."""
    from ensvm.data.files.encode import look_alikes

    for name, card in plan.cards.items():
        for one, other in look_alikes(card.labels):
            click.echo(
                f"warning: {name}: the labels {one!a} and {other!a} look the same, but are two"
                " classes; write them alike if they are one",
                err=True,
            )
        if card.dropped:
            columns = ", ".join(column or '""' for column in card.dropped)
            tell(f"{name}: columns left out of the inputs: {columns}")
        if card.groups is not None:
            tell(f"{name}: rows of the same {card.groups!r} are never in both parts of a split")
        if card.counted_from is not None:
            click.echo(f"{name}: columns of the LIBSVM text are counted from {card.counted_from}")


def size(plan: "Plan") -> str:
    """Return how many data sets, algorithms and cells a plan has."""
    from ensvm.study.block import is_derived

    datasets = sum(not is_derived(name) for name in plan.cards)
    algorithms = sum(not is_derived(name) for name in plan.config.algorithms)
    derived = sum(is_derived(cell.dataset) or is_derived(cell.algorithm) for cell in plan.cells)
    of_readings = f", {derived} of them for readings" if derived else ""
    return f"{datasets} data sets, {algorithms} algorithms, {len(plan.cells)} cells{of_readings}"
