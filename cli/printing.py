"""Print texts, tables, Markdown and facts of a plan to fit a terminal; piped lines are whole."""

import shutil
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, NoReturn

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ensvm.counts import counted
from ensvm.name_lists import first_names
from ensvm.visible_console import VisibleConsole
from ensvm.visible_text import visible

if TYPE_CHECKING:
    from ensvm.data import DataSearch
    from ensvm.report.study_folder import Study
    from ensvm.runner.plan import Cell, Plan

WRONG_INPUT = 2  # the exit status
PIPED_WIDTH = 100  # columns of tables and paragraphs that go to a file or a pipe
MAX_GROUPS = 8  # groups of cells with one reason
MAX_NAMES = 4  # data sets or algorithms of a group
LEAST_WIDTH = 20  # columns of a text beside its name, however narrow the terminal
UNLIMITED = 100_000  # columns of a line that goes to a file or a pipe


def say(text: object = "", *, err: bool = False, nl: bool = True, **style: bool) -> None:
    """Print a text as it is, in a style of `click.style`; nothing in it controls the terminal."""
    click.secho(visible(str(text)), err=err, nl=nl, **style)  # type: ignore[arg-type]


def print_text(text: str, *, err: bool = False) -> None:
    """Print a text, each line wrapped to the width of the terminal; addresses stay whole."""
    width = _line_width(err)
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        say("\n".join(_wrapped(line, width, indent)), err=err)


@contextmanager
def told_if_slow(what: str, after: float = 5.0) -> Iterator[None]:
    """Print a line about what is done, if the body takes longer than some seconds, and again later.

    Each line comes after twice the time of the line before, so that a long wait has few.
    """
    ended = Event()

    def tell() -> None:
        """Print lines until the body has ended."""
        start, wait = monotonic(), after
        while not ended.wait(start + wait - monotonic()):
            say(f"{what} ... {wait:.0f} s", err=True)
            wait *= 2

    thread = Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def progress_over(studies: Iterable["Study"], what: str) -> Iterator[Iterator["Study"]]:
    """Give studies to the body; a terminal shows which one is in work, and how many are done.

    Other outputs have a line for each file that is written.
    """
    console = VisibleConsole(stderr=True)
    if not console.is_terminal:
        yield iter(studies)
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    def shown() -> Iterator["Study"]:
        """Yield the studies, each when its name is shown."""
        for done, study in enumerate(studies):
            bar.update(task, description=f"{what}: {study.config.study}, {done} done", refresh=True)
            yield study

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    to_terminal = sys.stdout.isatty()  # what goes to a file does not pass through the bar
    with Progress(*columns, console=console, transient=True, redirect_stdout=to_terminal) as bar:
        task = bar.add_task(f"{what}: reading", total=None)
        yield shown()


def print_markdown(text: str) -> None:
    """Print Markdown, laid out for a terminal, or as it is if the output is piped."""
    if not sys.stdout.isatty():
        say(text)
        return
    from ensvm_cli.markdown_page import MarkdownPage  # imports a parser of Markdown

    VisibleConsole().print(MarkdownPage(visible(text).replace("<sub>", "").replace("</sub>", "")))


def print_alarms(title: str, lines: Sequence[str]) -> None:
    """Print alarms under a title; nothing if there are none."""
    if lines:
        say(title, bold=True)
    for line in lines:
        parts = _wrapped(f"  - {line}", fitting_console().width, "    ")
        say("\n".join(parts))


def fitting_console() -> Console:
    """Return a console of the terminal's width, or of a fixed one if the output is piped."""
    console = VisibleConsole()
    return console if console.is_terminal else VisibleConsole(width=PIPED_WIDTH)


def print_facts(facts: Mapping[str, str], indent: int = 0) -> None:
    """Print names and texts side by side, wrapped to the width of the terminal.

    Paths and addresses are never broken, so that they can be copied.
    """
    margin = indent + max(map(len, facts), default=0) + 2
    width = max(_line_width() - margin, LEAST_WIDTH)
    for name, text in facts.items():
        lines = [part for line in text.splitlines() for part in _wrapped(line, width)]
        head = f"{' ' * indent}{name}".ljust(margin)
        say(f"\n{' ' * margin}".join([head + "".join(lines[:1]), *lines[1:]]).rstrip())


def print_cells(groups: "Mapping[tuple[str, str], list[Cell]]") -> None:
    """Print a line for each group of cells by state and reason: how many they are, and which."""
    for (state, why), cells in list(groups.items())[:MAX_GROUPS]:
        datasets, algorithms = (
            first_names(dict.fromkeys(names), most=MAX_NAMES)
            for names in ([cell.dataset for cell in cells], [cell.algorithm for cell in cells])
        )
        reason = f" ({why})" if why else ""
        print_facts({f"{len(cells):,} {state}": f"{datasets}: {algorithms}{reason}"}, indent=2)
    if len(groups) > MAX_GROUPS:
        say(f"  ... and {counted(len(groups) - MAX_GROUPS, 'other reason')}")


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1) -> None:
    """Print a table whose first `names` columns are texts and whose other columns are numbers.

    Texts that do not fit the terminal are folded; numbers are never broken.
    """
    rows = list(rows)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for number, head in enumerate(heads):
        if number < names:
            table.add_column(Text(visible(head)), overflow="fold")
        else:
            width = max((len(row[number]) for row in rows), default=0)
            table.add_column(Text(visible(head)), justify="right", min_width=width)
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    console = VisibleConsole(width=_line_width())
    with console.capture() as printed:
        console.print(table)
    # The console made its texts visible; what is left are its own styles.
    click.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))


def refuse(*messages: str) -> NoReturn:
    """Print error messages, and end the command with the status for wrong input."""
    for message in messages:
        say(f"error: {message}", err=True)
    sys.exit(WRONG_INPUT)


def print_written(paths: Iterable[Path]) -> None:
    """Print on standard error which files a command wrote, if it wrote any."""
    if names := ", ".join(map(str, paths)):
        print_text(f"wrote {names}", err=True)


def missing_data_text(search: "DataSearch", n_wanted: int, studies: str) -> str:
    """Return which of `n_wanted` data sets are missing, with a line for each way to get them."""
    names = defaultdict(list)
    for name, how_to_get in search.missing.items():
        names[how_to_get].append(name)
    network = "no download succeeded" if search.downloads else "no provider has them"
    if search.offline:
        network = "ENSVM_OFFLINE forbids downloads"
    return "\n".join(
        [
            f"missing data: {len(search.missing)} of the {counted(n_wanted, 'data set')} of "
            f"{studies} are not here, and {network};",
            "their rows stay empty. To get them:",
            *(f"  {', '.join(rows)}: {how_to_get}" for how_to_get, rows in names.items()),
        ]
    )


def print_missing_data(plan: "Plan", datasets: set[str], data_dir: Path | None) -> "DataSearch":
    """Print which of these data sets are not here, without asking the network."""
    from ensvm.data import DataSearch

    search = DataSearch(data_dir, download=False)
    for name, card in plan.cards.items():
        if name in datasets:
            search.find(name, card)
    if search.missing:
        print_text(missing_data_text(search, len(datasets), plan.config.study))
    if search.to_download:
        print_text(f"data to download: {', '.join(search.to_download)}")
    return search


def print_columns(plan: "Plan") -> None:
    """Print which columns are not inputs, and which hold groups."""
    for name, card in plan.cards.items():
        if card.dropped:
            columns = ", ".join(column or '""' for column in card.dropped)
            print_text(f"{name}: columns left out of the inputs: {columns}")
        if card.groups is not None:
            print_text(
                f"{name}: rows of the same {card.groups!r} are never in both parts of a split"
            )
    for start in (0, 1):
        if names := [name for name, card in plan.cards.items() if card.counted_from == start]:
            print_text(f"{', '.join(names)}: columns of the LIBSVM text are counted from {start}")


def plan_size(plan: "Plan") -> str:
    """Return how many data sets, algorithms and cells a plan has."""
    copies = plan.config.copies
    n_datasets = sum(name not in copies for name in plan.cards)
    n_algorithms = sum(name not in copies for name in plan.config.algorithms)
    n_for_readings = sum(bool(copies & {cell.dataset, cell.algorithm}) for cell in plan.cells)
    of_readings = f", {n_for_readings} of them for readings" if n_for_readings else ""
    return (
        f"{counted(n_datasets, 'data set')}, {counted(n_algorithms, 'algorithm')}, "
        f"{counted(len(plan.cells), 'cell')}{of_readings}"
    )


def duration(seconds: float) -> str:
    """Return a length of time in readable form, such as `3 min 20 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _line_width(err: bool = False) -> int:
    """Return the width of the terminal, or a very large number if the output is piped."""
    stream = sys.stderr if err else sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else UNLIMITED


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return the lines of a text; paths and addresses are never broken."""
    return textwrap.wrap(
        text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
