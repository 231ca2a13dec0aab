"""The `ensvm` command: one file a verb."""

import click

from ensvm import __version__
from ensvm_cli.data import data
from ensvm_cli.records.ship import ship
from ensvm_cli.records.warnings import warnings
from ensvm_cli.results.claims import claims
from ensvm_cli.results.compare import compare
from ensvm_cli.results.figure import figure
from ensvm_cli.results.rank import rank
from ensvm_cli.results.readings import readings
from ensvm_cli.results.report import report
from ensvm_cli.results.table import table
from ensvm_cli.studies.check import check
from ensvm_cli.studies.init import init
from ensvm_cli.studies.run import run


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="ensvm")
def main() -> None:
    """Reproduce the published tables of ensembles of support vector machines."""


READING = (table, figure, claims, readings, report, rank, compare, warnings)
for command in (init, run, check, *READING, data, ship):
    main.add_command(command)
