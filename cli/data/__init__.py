"""`ensvm data`: list, fetch and verify data sets."""

import click

from ensvm_cli.data.fetch import fetch
from ensvm_cli.data.list import list_
from ensvm_cli.data.missing import missing
from ensvm_cli.data.verify import verify


@click.group()
def data() -> None:
    """List, fetch and verify the data sets that studies use."""


for command in (list_, missing, fetch, verify):
    data.add_command(command)
