"""The `ensvm` command: its verbs, and its one message for what the user can mend."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from ensvm.errors import UserError
from ensvm.visible_text import visible
from ensvm_cli.data import data
from ensvm_cli.init import init
from ensvm_cli.keys import keys
from ensvm_cli.once import OnceGroup
from ensvm_cli.printing import refuse
from ensvm_cli.records import merge, status
from ensvm_cli.reports import compare, export, report
from ensvm_cli.run import run
from ensvm_cli.show import show
from ensvm_cli.studies import check, copy, list_
from ensvm_cli.table_verbs import SHOWN_BY, rank, table
from ensvm_cli.warm_up import warm_up

# The sections of `ensvm --help`.
VERBS = {
    "Studies": (list_, init, copy, keys, check, run),
    "Results": (table, report, rank, compare, export),
    "Records": (status, show, merge),
    "Data": (data, warm_up),
}
# What to do about an error of the disk, by its number.
KEPT = "all records are kept, and the same command goes on"
NOT_WRITTEN = f"mend that, or name a folder that can be written; {KEPT}"
REMEDIES = {
    errno.EACCES: NOT_WRITTEN,
    errno.EPERM: NOT_WRITTEN,
    errno.EROFS: NOT_WRITTEN,
    errno.ENOSPC: f"free some space; {KEPT}",
    errno.EDQUOT: f"free some space; {KEPT}",
    errno.ENAMETOOLONG: "choose a shorter --results folder or name",
}


@contextmanager
def readable_errors() -> Iterator[None]:
    """Turn errors that the user can mend into one message and exit status 2."""
    try:
        yield
    except UnicodeEncodeError as error:
        refuse(f"the file name is not valid Unicode: {error.object!r}")
    except UserError as error:
        refuse(*error.messages)
    except click.ClickException as error:  # click prints it
        error.message = visible(error.message)  # type: ignore[misc]
        raise
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader of a pipe has left: click ends the command
            raise
        reason = error.strerror or " ".join(str(error).split())
        name = error.filename2 or error.filename  # of a copy, the new file
        file = "" if name is None else f"{name}: "
        remedy = REMEDIES.get(error.errno or 0, KEPT)
        if remedy == NOT_WRITTEN and not file:  # no folder is named, and it may be none
            remedy = KEPT
        refuse(f"{file}{reason[:1].lower()}{reason[1:]}; {remedy}")


class _Verbs(OnceGroup):
    """A group whose help lists the verbs in sections, and which knows what shows results."""

    def invoke(self, context: click.Context) -> Any:
        """Run a verb; arguments that cannot be file names are wrong input, too."""
        with readable_errors():
            return super().invoke(context)

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a verb; for a part of a study, such as claims, name the verb that shows it."""
        if (part := args[0]) in SHOWN_BY:
            refuse(f"{part!r} is not a verb; to see {part}: ensvm {SHOWN_BY[part]} STUDY")
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs, section by section."""
        longest = max(map(len, self.commands))
        limit = formatter.width - 6 - longest
        for title, verbs in VERBS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (str(verb.name).ljust(longest), verb.get_short_help_str(limit))
                        for verb in verbs
                    ]
                )


@click.group(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="ensvm", prog_name="ensvm")
def main() -> None:
    """Reproduce the published tables of ensembles of support vector machines.

    \b
    Examples:
      ensvm list                         the studies, and their results so far
      ensvm run smoke                    a study of seconds
      ensvm table                        our tables, beside the printed values
      ensvm report                       all results as pages for a browser
    """


for verbs in VERBS.values():
    for verb in verbs:
        main.add_command(verb)
