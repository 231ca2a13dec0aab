"""The `ensvm` command: one file a verb."""

import click

from ensvm import __version__
from ensvm_cli.claims import claims
from ensvm_cli.compare import compare
from ensvm_cli.data import data
from ensvm_cli.figure import figure
from ensvm_cli.missing import missing
from ensvm_cli.rank import rank
from ensvm_cli.readings import readings
from ensvm_cli.report import report
from ensvm_cli.run import check, run
from ensvm_cli.ship import ship
from ensvm_cli.table import table
from ensvm_cli.warnings import warnings


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="ensvm")
def main() -> None:
    """Reproduce the published tables of ensembles of support vector machines."""


READING = (table, figure, claims, readings, report, rank, compare, warnings)
for command in (run, check, *READING, data, ship):
    main.add_command(command)
data.add_command(missing)
