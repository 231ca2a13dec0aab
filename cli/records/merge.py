"""`ensvm merge`: the records of several folders and files in one folder, every cell once."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ensvm_cli.printing import tell
from ensvm_cli.terminal import refuse

if TYPE_CHECKING:
    from ensvm.records.merging.union import Merged

CONFLICTS = 1  # the exit status
MOST_CONFLICTS = 20  # named one by one


@click.command()
@click.argument(
    "sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="A..."
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder that is made; nothing in it is overwritten.",
)
@click.option(
    "--keep-first",
    is_flag=True,
    help="Where sources answer a cell differently, keep what the first of them has.",
)
def merge(sources: tuple[Path, ...], output: Path, keep_first: bool) -> None:
    """Unite results of several machines or shards in one folder.

    Each A is a folder of results, a study's folder, or a file of records (cells.jsonl or
    cells.jsonl.xz). A cell that ended well comes before one that did not, then the newest. Cells of
    the same settings with different answers, and cells that were timed twice, are named, and
    nothing is written. Exit status: 0 written, or there already; 1 conflicts; 2 wrong input.

    \b
    Examples:
      ensvm merge results/ other-machine/ -o both/
      ensvm merge shard-1/ shard-2/ shard-3/ -o merged/
    """
    from ensvm.records.merging import union
    from ensvm.records.merging.sources import NotMerged, read_sources

    try:
        found = [source for place in sources for source in read_sources(place)]
        merged = union.merge(found, keep_first=keep_first)
        conflicts = [conflict for study in merged for conflict in study.conflicts]
        _tell_conflicts(conflicts)
        if conflicts and not keep_first:
            told = "nothing is written; leave one source out, or keep the first with"
            click.echo(f"error: {len(conflicts)} conflicts: {told} --keep-first", err=True)
            sys.exit(CONFLICTS)
        written = union.write_merged(merged, output)
    except NotMerged as error:
        refuse(str(error))
    for study in merged:
        _tell(study, sum(source.study == study.study for source in found))
    there = f"{output}: written" if written else f"{output}: holds all of it already"
    tell(f"{there}; tables: ensvm table {output}")


def _tell(study: "Merged", n_sources: int) -> None:
    parts = [f"{len(study.own)} cells"] if study.own else []
    if study.shipped.records:
        parts.append(f"{len(study.shipped.records)} that came with the folders")
    of = f" of {n_sources} sources, {study.n_shared} in several of them" if n_sources > 1 else ""
    tell(f"{study.study}: {' and '.join(parts)}{of}")
    for note in study.notes:
        tell(f"{study.study}: {note}", err=True)


def _tell_conflicts(conflicts: Sequence[object]) -> None:
    for conflict in conflicts[:MOST_CONFLICTS]:
        tell(str(conflict), err=True)
    if len(conflicts) > MOST_CONFLICTS:
        click.echo(f"and {len(conflicts) - MOST_CONFLICTS} more", err=True)
