"""`ensvm compare`: two sets of results side by side; exit status 1 where a verdict differs."""

import sys

import click

from ensvm_cli import completion
from ensvm_cli.terminal import WRONG_INPUT


@click.command()
@click.argument("first", shell_complete=completion.results_or_shipped)
@click.argument("second", shell_complete=completion.results_or_shipped)
@click.option("--all", "every", is_flag=True, help="Every cell that differs, one by one.")
def compare(first: str, second: str, every: bool) -> None:
    """Compare two sets of results: values, verdicts, claims.

    FIRST and SECOND are each a folder of results, a study's folder, a file of records in one, or
    `shipped`: the records that came with the other's folder. Realizations that both have are
    compared pair by pair. Seconds are left out, for those of two machines do not compare. Exit
    status: 0 no verdict and no claim differs, 1 one does, 2 wrong input.

    \b
    Examples:
      ensvm compare results/ shipped
      ensvm compare results/ijcai07-lowrank shipped --all
    """
    from ensvm.report import comparison as comparing

    try:
        sides = comparing.read_sides(first, second)
    except comparing.NothingToCompare as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(WRONG_INPUT)
    common = [name for name in sides[0] if name in sides[1]]
    if not common:
        named = " and ".join(", ".join(side) for side in sides)
        click.echo(f"error: the two have no study in common: {named}", err=True)
        sys.exit(WRONG_INPUT)
    found = [comparing.compare(sides[0][name], sides[1][name]) for name in common]
    for comparison in found:
        click.echo("\n".join(comparing.summary(comparison)))
        if every and (table := comparing.differing(comparison)):
            click.echo(f"\n{table}\n")
    for side, name in zip(sides, ("first", "second"), strict=True):
        if alone := [study for study in side if study not in common]:
            click.echo(f"only the {name} has the studies {', '.join(alone)}")
    sys.exit(1 if any(comparison.flips or comparison.claims for comparison in found) else 0)
