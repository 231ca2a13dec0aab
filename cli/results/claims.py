"""`ensvm claims`: check the claims of every study in a results folder against its records."""

import sys
from pathlib import Path

import click

from ensvm_cli.terminal import WRONG_INPUT, readable_errors


@click.command()
@click.argument(
    "results", type=click.Path(exists=True, file_okay=False, path_type=Path), default="results"
)
def claims(results: Path) -> None:
    """Say of each claim of the studies in RESULTS whether it holds, and on what evidence.

    Writes claims.md and claims.csv (a comparison a line, unrounded) into each study's folder, and
    prints the former.
    """
    written: list[Path] = []
    with readable_errors():
        from ensvm.report.query import find_studies, read_study
        from ensvm.report.write import write_claims

        for folder in find_studies(results):
            study = read_study(folder)
            if study.config.claims:
                text, paths = write_claims(study)
                click.echo(text)
                written += paths
    if not written:
        first = "run one first, for example: ensvm run ijcai07-figure1"
        click.echo(f"error: {results}: no records of a study with claims; {first}", err=True)
        sys.exit(WRONG_INPUT)
    click.echo("wrote " + ", ".join(map(str, written)), err=True)
