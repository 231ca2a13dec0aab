"""The verbs that write pages, compare results and export them: `report`, `compare`, `export`."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click
from click.core import ParameterSource

from ensvm.counts import counted
from ensvm.shipped import RESULTS
from ensvm.visible_console import VisibleConsole
from ensvm_cli.arguments import (
    must_be_one_of,
    print_left_out,
    read_studies,
    results_argument,
    say_if_shipped,
    say_not_written,
)
from ensvm_cli.printing import (
    print_markdown,
    print_table,
    print_text,
    print_written,
    progress_over,
    refuse,
    say,
)

if TYPE_CHECKING:
    from ensvm.report.study_folder import Study

WrittenText: TypeAlias = tuple[str, list[Path]]  # a text, and the files that it was written to
# The parts of a report, and for each a shipped study that has it.
EXAMPLE_OF = {
    **dict.fromkeys(("pages", "figures", "claims"), "ijcai07-figure1"),
    "readings": "nips99",
    "tables": "smoke",
}


@click.command()
@results_argument()
@click.option(
    "--only",
    "parts",
    type=click.Choice([*EXAMPLE_OF]),
    multiple=True,
    help="Write this part; may be given several times  [default: pages].",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default="report",
    show_default=True,
    help="The folder of the pages.",
)
@click.option(
    "--claim",
    "claim_id",
    metavar="ID",
    help="Print this claim with its evidence, and nothing else.",
)
def report(
    results: Path | None,
    studies: tuple[str, ...],
    parts: tuple[str, ...],
    output: Path,
    claim_id: str | None,
) -> None:
    """Write web pages of the studies in RESULTS, or parts of them.

    The pages need no network and no server: index.html, and one page for each study, in which
    every value of a table opens its evidence.

    With --only, the parts are written into each study's folder: figures as figure-<id>.png, .svg,
    .pdf and .csv (their data); claims, whether each holds, as claims.md and .csv; readings, the
    values under each interpretation of the paper, as readings.md and .csv; tables as
    `ensvm table` does. A terminal shows a line for each claim; --claim shows one whole. Several
    parts take less time in one command than in several.

    \b
    Examples:
      ensvm report results/ -o pages
      ensvm report ijcai07-figure1 --only figures --only claims
      ensvm report ijcai07 --claim faster-than-path
    """
    from ensvm.report.write import write_claims, write_first_page, write_readings, write_tables

    _refuse_idle_options(parts, claim_id)
    if claim_id is not None:
        _print_claim(list(read_studies(results, studies, "ijcai07-figure1")), claim_id)
        return
    parts = parts or ("pages",)
    example = EXAMPLE_OF[parts[0]]
    read = read_studies(results, studies, example)
    # One part needs one study at a time.
    chosen = _read(read) if len(parts) > 1 else read
    if "figures" in parts:
        with progress_over(chosen, "figures") as shown:
            _write_figures(shown, results)
    if "claims" in parts:
        asked = _read(chosen)
        with_claims = [study for study in asked if study.config.claims]
        with progress_over(with_claims, "claims") as shown:
            documents = [write_claims(study, say_not_written) for study in shown]
        if sys.stdout.isatty() and with_claims:
            _print_claims(with_claims)
        nothing = _nothing_of("claims", results, map(_command_if_own, asked))
        _print_documents(documents, nothing, whole=not sys.stdout.isatty())
    if "readings" in parts:
        documents, commands = list[WrittenText](), list[str]()
        with progress_over(chosen, "readings") as shown:
            for study in shown:
                documents.append(write_readings(study, say_not_written))
                commands.append(_command_if_own(study))
        _print_documents(documents, _nothing_of("readings", results, commands))
    if "tables" in parts:
        with progress_over(chosen, "tables") as shown:
            for study in shown:
                tables = write_tables(study, "md", failed=say_not_written)
                paths = [path for _, files in tables for path in files]
                page = write_first_page(study, say_not_written)
                print_written([*paths, *filter(None, [page])])
    if "pages" in parts:
        with progress_over(chosen, "pages") as shown:
            _write_pages(shown, output)


def _read(studies: Iterable["Study"]) -> list["Study"]:
    """Return studies that are read one after the other."""
    with progress_over(studies, "reading") as shown:
        return list(shown)


def _refuse_idle_options(parts: tuple[str, ...], claim_id: str | None) -> None:
    """Refuse options that would have no effect beside others."""
    is_given = click.get_current_context().get_parameter_source("output") != ParameterSource.DEFAULT
    if claim_id is not None and (set(parts) - {"claims"} or is_given):
        message = "--claim prints one claim: leave out --output, and --only for other parts"
        raise click.UsageError(message)
    if is_given and parts and "pages" not in parts:
        raise click.UsageError(
            "--output is the folder of the pages; other parts are written into each study's folder"
        )


def _print_claim(studies: list["Study"], claim_id: str) -> None:
    """Print the claims of an id with their evidence; refuse if no study has one."""
    from ensvm.report.claims import evaluate_claims
    from ensvm.report.documents.claim_document import claim_parts
    from ensvm.report.render.markdown import parts_to_markdown

    ids = [claim.id for study in studies for claim in study.config.claims]
    must_be_one_of("no claim", claim_id, ids, "ensvm report --only claims")
    for study in studies:
        for judged in evaluate_claims(study):
            if judged.claim.id == claim_id:
                print_markdown(parts_to_markdown(claim_parts(study, judged)))


def _print_claims(studies: Iterable["Study"]) -> None:
    """Print a line for each claim: its verdict, its id and its sentence."""
    from ensvm.report.claims import evaluate_claims
    from ensvm.report.documents.claim_document import wording

    rows = [
        [judged.verdict, judged.claim.id, wording(judged.claim)]
        for study in studies
        for judged in evaluate_claims(study)
    ]
    print_table(["verdict", "claim", "what it says"], rows, names=3)
    print_text("one of them with its evidence: ensvm report --claim ID")


def _write_pages(studies: Iterable["Study"], output: Path) -> None:
    from ensvm.report.write import write_pages

    failures: dict[str, Exception] = {}
    written = write_pages(
        studies, output, lambda study, error: failures.update({study.config.study: error})
    )
    for path in written:  # each is printed as soon as it is there; the index comes last
        is_index = path.name == "index.html"
        say(f"open {path.resolve().as_uri()} in a browser" if is_index else path)
    for name, error in failures.items():
        say(f"{name}: no page: {type(error).__name__}: {error}", err=True)
    if failures:
        sys.exit(1)


def _write_figures(studies: Iterable["Study"], results: Path | None) -> None:
    from ensvm.report.write import write_figures

    drawn, commands = False, list[str]()
    for study in studies:
        commands.append(_command_if_own(study))
        for content, paths in write_figures(study, say_not_written):
            if content.missing:
                first, *others = content.missing
                more = f"; and {len(others)} more, which the page names" if others else ""
                of = f"{study.config.study}, figure {content.config.id}"
                say(f"{of}: not complete: {first}{more}", err=True)
            for path in paths:
                say(path)
            drawn = drawn or bool(content.items)
    if not drawn:
        refuse(_nothing_of("figures", results, commands))


def _command_if_own(study: "Study") -> str:
    """Return the command that runs a study that was run here; "" for a shipped one."""
    return "" if study.shipped else study.run_command


def _nothing_of(what: str, results: Path | None, commands: Iterable[str]) -> str:
    """Return that no study has values for a part of a report, and how to bring it in.

    The `commands` run the studies that were run here: they bring in what was added to a config
    after its run, and compute what is missing.
    """
    remedy = f"run a study with {what} first, for example: ensvm run {EXAMPLE_OF[what]}"
    if own := " or ".join(f"`{command}`" for command in commands if command):
        remedy = f"if you added {what} after the run, {own} brings them in"
    return f"{results or RESULTS}: no records of a study with {what}; {remedy}"


def _print_documents(documents: Iterable[WrittenText], nothing: str, *, whole: bool = True) -> None:
    """Print documents, if they are printed whole, and their files.

    If there are none, end the command with the message `nothing`.
    """
    written: list[Path] = []
    texts = []
    for text, paths in documents:
        texts += [text] * bool(text)
        written += paths
    if not texts:
        refuse(nothing)
    for text in texts if whole else ():
        print_markdown(text)
    print_written(written)


@click.command()
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@click.option("--all", "every", is_flag=True, help="List every value that differs.")
def compare(first: str, second: str, every: bool) -> None:
    """Compare two sets of results: values, verdicts, claims.

    FIRST and SECOND are each a folder of results, a study's folder, or `shipped`: the results that
    come with ensvm. Without a study in common, a study is compared with one that is built on it,
    such as one of `--as`. What differs in settings comes first, then table values are counted.
    Realizations that both have are compared pair by pair; seconds are left out. A value is equal to
    rounding if no test row changes its prediction error and the relative difference is at most
    1e-6. Exit status: 0 no verdict and no claim differs, 1 one does or a study cannot be read, 2
    wrong input.

    \b
    Examples:
      ensvm compare results/ shipped
      ensvm compare results/ijcai07-lowrank shipped --all
    """
    from ensvm.report import compare_results as comparing
    from ensvm.report.study_folder import find_shown

    with VisibleConsole(stderr=True).status("reading records"):
        *sides, errors = comparing.read_sides(first, second)
    for error in errors:
        print_text(f"not shown: {error}", err=True)
    for folder in map(Path, (first, second)):
        say_if_shipped(folder, find_shown(folder))
    for study in [study for side in sides for study in side.values()]:
        print_left_out(study)
    pairs = comparing.compared_pairs(sides)
    if not pairs:
        names = " and ".join(", ".join(side) for side in sides)
        refuse(f"the two have no study in common: {names}")
    with progress_over([one for one, _ in pairs], "comparing") as shown:
        comparisons = [
            comparing.compare_studies(one, other)
            for one, (_, other) in zip(shown, pairs, strict=True)
        ]
    for comparison in comparisons:
        say("\n".join(comparing.summary(comparison)))
        if every and (differences := comparing.differing(comparison)):
            say(f"\n{differences}\n")
    for number, (side, name) in enumerate(zip(sides, ("first", "second"), strict=True)):
        compared = {pair[number].config.study for pair in pairs}
        if alone := [study for study in side if study not in compared]:
            say(f"only the {name} has the studies {', '.join(alone)}")
    say(comparing.total(comparisons))
    differ = any(comparison.flips or comparison.claims for comparison in comparisons)
    sys.exit(1 if differ or errors else 0)


@click.command()
@results_argument()
@click.option(
    "--per-realization",
    is_flag=True,
    help="Write a line per cell that was run, with every metric and all seconds.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file, *.csv  [default: CSV to the terminal].",
)
def export(
    results: Path | None,
    studies: tuple[str, ...],
    per_realization: bool,
    output: Path | None,
) -> None:
    """Write tables or records as one long table, for other programs.

    A line is a value of a table: mean, standard deviation, n, printed value, difference with its
    interval, verdict. With --per-realization it is a cell that was run.

    \b
    Examples:
      ensvm export -o tables.csv
      ensvm export ijcai07 --per-realization -o ijcai07.csv
    """
    from ensvm.atomic_write import replace_file
    from ensvm.report.export import csv_of_lines, realizations, table_cells

    if output is not None and output.suffix != ".csv":
        refuse(f"{output}: an export is CSV; name the file *.csv")
    lines_of = realizations if per_realization else table_cells
    lines, names = [], list[str]()
    with progress_over(read_studies(results, studies), "exporting") as shown:
        for study in shown:
            lines += lines_of(study)
            names.append(study.config.study)
    if not lines:
        refuse(f"no tables in {', '.join(names)}; --per-realization exports the records")
    content = csv_of_lines(lines)
    if output is None:
        say(content, nl=False)
        return
    replace_file(output, content)
    say(f"wrote {output}: {counted(len(lines), 'line')}", err=True)
