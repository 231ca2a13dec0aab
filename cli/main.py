"""The `ensvm` command: its verbs, in packages by what they are about."""

from typing import Any

import click

from ensvm import __version__
from ensvm_cli.data import data
from ensvm_cli.records.merge import merge
from ensvm_cli.records.show import show
from ensvm_cli.records.status import status, warnings
from ensvm_cli.results.compare import compare, rank
from ensvm_cli.results.report import claims, figure, readings, report
from ensvm_cli.results.table import export, table
from ensvm_cli.studies.check import check
from ensvm_cli.studies.init import init
from ensvm_cli.studies.list import list_
from ensvm_cli.studies.run import run
from ensvm_cli.terminal import readable_errors
from ensvm_cli.warm_up import warm_up

# As `ensvm --help` shows them; a hidden verb is shown nowhere.
VERBS = {
    "Studies": (list_, init, check, run),
    "Results": (table, report, rank, compare, export, figure, claims, readings),
    "Records": (status, show, merge, warnings),
    "Data": (data,),
    "This machine": (warm_up,),
}


class _Verbs(click.Group):
    """A group whose help lists the verbs by what they are about."""

    def invoke(self, context: click.Context) -> Any:
        """Run a verb; a name in its arguments that no file can have is wrong input, too."""
        with readable_errors():
            return super().invoke(context)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs under their titles; hidden ones under none."""
        longest = max(map(len, self.commands))
        for title, verbs in VERBS.items():
            shown = [verb for verb in verbs if not verb.hidden]
            limit = formatter.width - 6 - longest
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (str(verb.name).ljust(longest), verb.get_short_help_str(limit))
                        for verb in shown
                    ]
                )


@click.group(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="ensvm")
def main() -> None:
    """Reproduce the published tables of ensembles of support vector machines.

    \b
    Examples:
      ensvm list                         what there is, and what of it is here
      ensvm run smoke                    a study of seconds
      ensvm table                        our tables, beside the printed values
      ensvm report                       all of it as pages for a browser
    """


for verbs in VERBS.values():
    for verb in verbs:
        main.add_command(verb)
