"""`ensvm merge`: the records of several folders and files in one folder, every cell once."""

import sys
from pathlib import Path

import click

from ensvm_cli.printing import tell
from ensvm_cli.terminal import refuse

DISAGREE = 1  # the exit status
MOST_DISAGREEMENTS = 20  # that are printed


@click.command()
@click.argument(
    "sources", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="A..."
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder that is made; it must not exist yet.",
)
def merge(sources: tuple[Path, ...], output: Path) -> None:
    """Unite results of several machines or shards in one folder.

    Each A is a folder of results, a study's folder, or a file cells.jsonl. Of each cell the newest
    record that ended well is kept. Cells whose records disagree although their settings are the
    same are listed. Exit status: 0 written, 1 written although records disagree, 2 wrong input.

    \b
    Examples:
      ensvm merge results/ other-machine/ -o both/
      ensvm merge shard-1/ shard-2/ shard-3/ -o merged/
    """
    from ensvm.records.merge import NotMerged, read_sources, write_merged
    from ensvm.records.merge import merge as unite

    try:
        merged = unite([source for path in sources for source in read_sources(path)])
        written = write_merged(merged, output)
    except NotMerged as error:
        refuse(str(error))
    for study in merged:
        of = len(study.sources)
        shared = f" of {of} sources, {study.n_shared} in several of them" if of > 1 else ""
        tell(f"{study.study}: {len(study.records)} cells{shared}")
        for note in study.notes:
            tell(f"{study.study}: {note}", err=True)
    done = "written" if written else "holds all of it already"
    tell(f"{output}: {done}; tables: ensvm table {output}")
    disagreements = [text for study in merged for text in study.disagreements]
    for text in disagreements[:MOST_DISAGREEMENTS]:
        tell(text, err=True)
    if disagreements:
        tell(
            f"{len(disagreements)} cells have different values for the same settings; of each the"
            " newest is kept",
            err=True,
        )
        sys.exit(DISAGREE)
