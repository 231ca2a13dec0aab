"""`ensvm claims`: check the claims of every study in a results folder against its records."""

import sys
from pathlib import Path

import click

from ensvm_cli.printing import tell, tell_markdown
from ensvm_cli.terminal import WRONG_INPUT, results_argument, study_folders


@click.command()
@results_argument
def claims(results: Path, studies: tuple[str, ...]) -> None:
    """Test the claims of the papers on the records in RESULTS.

    Says of each claim whether it holds, and on what evidence. Writes claims.md and claims.csv (a
    comparison a line, unrounded) into each study's folder, and prints the former.

    \b
    Example:
      ensvm claims ijcai07-figure1
    """
    written: list[Path] = []
    from ensvm.report.query import read_study
    from ensvm.report.write import write_claims

    for folder in study_folders(results, studies, "ijcai07-figure1"):
        study = read_study(folder)
        if study.config.claims:
            text, paths = write_claims(study)
            tell_markdown(text)
            written += paths
    if not written:
        first = "run one first, for example: ensvm run ijcai07-figure1"
        click.echo(f"error: {results}: no records of a study with claims; {first}", err=True)
        sys.exit(WRONG_INPUT)
    tell("wrote " + ", ".join(map(str, written)), err=True)
