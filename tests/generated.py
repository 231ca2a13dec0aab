"""The generated parts of README.md, the page of results and those of keys; running writes them.

A part stands between `<!-- KIND: NAME -->` and `<!-- end -->`.
"""

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from textwrap import fill

from made_up_records import read_results

from ensvm.report.claims import JudgedClaim, evaluate_claims
from ensvm.report.documents.claim_document import claims_in_words
from ensvm.report.documents.document import verdict_counts
from ensvm.report.documents.findings_document import came_out_of, filled_line, findings_of
from ensvm.report.render.first_page import counts, parts_of_work, printed_counts
from ensvm.report.study_folder import Study
from ensvm.report.summary_rows import summary_cells
from ensvm.report.tables import TableCell, build_table, counted_tables
from ensvm.shipped import shipped_results
from ensvm_cli.main import VERBS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
import config_keys  # noqa: E402

DOCS = ROOT / "docs"
FAR = 2.0  # percentage points of error behind the best
LONGEST_HELP = 100  # characters of the line about a command


def grid_of(path: str) -> str:
    """Return the first grid of a page of results."""
    content = (ROOT / path).read_text(encoding="utf-8")
    return next(part for part in content.split("\n\n") if part.startswith("|"))


def counts_of(study: str) -> str:
    """Return how many printed values and claims of a study came out how."""
    return counts(results_of(study))


def list_of_findings(study: str) -> str:
    """Return the findings of a study, a list entry each."""
    entries = [f"- {one.markdown}" for one in findings_of(results_of(study))]
    return "\n".join(
        fill(line, 118, subsequent_indent=" " * (line.index("-") + 2), break_on_hyphens=False)
        for line in "\n".join(entries).splitlines()
    )


# In the order of the table of works, which is that of the pages' index
WORKS = ("nips99", "icmla05", "ijcai07", "ecda13", "comp6321")
# Below the table of works
READ_COUNTS = (
    "Sentences are tested on the rows that we have, and on [other rows of the same "
    "kind](docs/understand/signs-and-claims.md#claims). Several may fail by one test."
)


@cache
def results_of(work: str) -> Study:
    """Return the shipped results of a work."""
    return read_results(shipped_results() / work)


def came_out(work: str) -> str:
    """Return what came out of a work and what did not, as its abstract says it."""
    return came_out_of(results_of(work))


def wrapped_came_out(work: str) -> str:
    """Return what came out of a work, in the lines of a page."""
    return fill(came_out(work), 118, break_on_hyphens=False)


def parts_with_claims(name: str) -> list[Study]:
    """Return the studies that are parts of a work and test sentences of its paper."""
    parts = parts_of_work(name, shipped_results())
    return [results_of(part.study) for part in parts if part.claims]


def page_of(study: Study) -> str:
    """Return the page of a shipped study, from the folder of the checkout."""
    return f"results/shipped/{study.config.study}/README.md"


def values_of(study: Study) -> list[TableCell]:
    """Return the values of a study's tables of results that count."""
    tables = counted_tables(study, "results")
    return [cell for table in tables for cell in build_table(study, table)]


def table_of_works(_: str) -> str:
    """Return the works: how their printed results and claims came out, and what that amounts to."""
    lines, every, claims = [], [], list[JudgedClaim]()
    for name in WORKS:
        study = results_of(name)
        cells = values_of(study)
        parts = parts_with_claims(name)
        of_page = {each.config.study: list(evaluate_claims(each)) for each in (study, *parts)}
        of_work = [judged for judged_there in of_page.values() for judged in judged_there]
        every, claims = every + cells, claims + of_work
        sentences = how_claims_came_out(of_work)
        if parts:  # each page counts its own
            own = [f"`{page}`: {claims_in_words(judged)}" for page, judged in of_page.items()]
            sentences += f" ({'; '.join(own)})"
        paper = study.config.title.split("(")[0].strip()
        signs = printed_counts(study, "results")[1] or "none"
        links = [f"[{paper}]({page_of(study)}): `{name}`"]
        links += [f"[`{part.config.study}`]({page_of(part)})" for part in parts]
        lines.append(f"| {', '.join(links)} | {signs} | {sentences} | {came_out(name)} |")
    silent = sum(cell.published is not None and cell.mean is None for cell in every)
    missing = f"{silent} printed numbers have no value of ours."
    lines.append(
        f"| **all** | {verdict_counts(every)} | {how_claims_came_out(claims)} | {missing} |"
    )
    heads = "| paper | printed numbers: = ≈ ≠ ? † | its sentences, tested | what came out |"
    return "\n".join(
        [heads, "|:--|:--|:--|:--|", *lines, "", fill(READ_COUNTS, 118, break_on_hyphens=False)]
    )


def how_claims_came_out(claims: Sequence[JudgedClaim]) -> str:
    """Return how many claims have each verdict, on new rows too, and on how many tests they fail.

    Two claims may fail by the same test.
    """
    text = claims_in_words(claims)
    failing = [one for one in claims if one.verdict == "fails"]
    tests = {
        each.test.model_dump_json(exclude={"note"})
        for one in failing
        for each in one.tests
        if each.decides and each.verdict == "fails"
    }
    if len(tests) < len(failing):
        text += f"; the {len(failing)} fail by {len(tests)} tests"
    return text


def rows_of(place: str) -> str:
    """Return the head and some rows of the grid of a page of results, such as `PATH ROW ROW`."""
    path, *rows = place.split()
    head, _, *lines = grid_of(path).splitlines()
    kept = [line for line in lines if line.split("|")[1].strip() in rows]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *kept)]
    top, *rest = (f"| {' | '.join(line)} |" for line in cells)
    return "\n".join([top, f"|:--|{'--:|' * (len(cells[0]) - 1)}", *rest])


def contains_0(cell: TableCell) -> bool:
    """Return whether the interval D of a value contains 0, so that it may be the printed one."""
    low, high = cell.difference_low, cell.difference_high
    return low is not None and high is not None and low <= 0.0 <= high


def total(_: str) -> str:
    """Return in words how all printed values of the works came out."""
    of_work = {
        name: [cell for cell in values_of(results_of(name)) if cell.published is not None]
        for name in WORKS
    }
    cells = [cell for of_one in of_work.values() for cell in of_one]
    n = Counter(cell.verdict for cell in cells if cell.verdict is not None)
    within = [cell for cell in cells if cell.verdict == "within the margin"]
    chosen = sum(cell.chosen for cell in within)
    told_apart = sum(not contains_0(cell) for cell in within)
    judged, silent = sum(n.values()), sum(cell.mean is None for cell in cells)
    text = (
        f"Of {judged + silent} printed results, {len(within)} lie within the margin, {n['close']} "
        f"are close and {n['differs']} differ; {n['cannot tell']} are undecided, and {silent} have "
        f"no value of ours. Of those within the margin, {len(within) - told_apart} may be equal to "
        f"ours, and {told_apart} differ, but by less than the margin. For {chosen} of the "
        f"{len(within)} a setting was tuned to the printed value, so that the match proves little."
    )
    for name, of_one in of_work.items():
        unjudged = sum(cell.verdict is None and cell.mean is not None for cell in of_one)
        if unjudged:
            title = results_of(name).config.title.partition(":")[0]
            text += f" {unjudged} more, of {title}, are not judged."
    return fill(text, 118)


def table_of_classifiers(study: str) -> str:
    """Return how each algorithm of a comparison did, those of least average rank first.

    The first column of the table `error` is what the others are compared with.
    """
    results = results_of(study)
    error, log_loss, seconds, predict_seconds = (
        results.config.table(name) for name in ("error", "log-loss", "seconds", "predict-seconds")
    )
    first = error.columns[0].name
    ours = {(cell.row, cell.column): cell.mean for cell in summary_cells(results, error)}
    rows = [
        (error, "mean", "mean error, %"),
        (error, "mean-rank", "average rank by error"),
        (error, f"wins-{first}", "data sets better/equal/worse than the first"),
        (log_loss, "mean", "mean log loss"),
        (seconds, "geometric-mean", "seconds of a fit"),
        (predict_seconds, "geometric-mean", "of predictions"),
    ]
    lines = ["| classifier | " + " | ".join(head for *_, head in rows) + " |"]
    lines.append("|:--|" + "--:|" * len(rows))
    for column in sorted(error.columns, key=lambda one: ours["mean-rank", one.name] or 0.0):
        values = [
            f"{{ours {table.id} {row} {column.name}}}"
            if column.name in {one.name for one in table.columns}
            else "—"
            for table, row, _ in rows
        ]
        label = results.config.column_label(column)
        lines.append(filled_line(results, f"| {label} | {' | '.join(values)} |"))
    return "\n".join(lines)


def list_of_losses(study: str) -> str:
    """Return where the first column of the table `error` is behind the best by more than FAR."""
    results = results_of(study)
    table = results.config.table("error")
    errors = defaultdict[str, dict[str, float]](dict)
    for cell in build_table(results, table):
        if cell.mean is not None:
            errors[cell.row][cell.column] = cell.mean
    first, losses = table.columns[0], list[tuple[float, str]]()
    for row, of_row in errors.items():
        best = min(of_row, key=lambda name: of_row[name])
        behind = of_row[first.name] - of_row[best]
        if behind > FAR:
            label = results.config.column_label(table.column(best))
            losses.append((-behind, f"{row} ({behind:.1f}: {label})"))
    text = (
        f"`{results.config.column_label(first)}` is more than {FAR:g} points behind the best of "
        f"all on {len(losses)} of {len(errors)} data sets: "
        f"{', '.join(text for _, text in sorted(losses)) or 'none'}."
    )
    return fill(text, 118, break_on_hyphens=False)


def list_of_commands(section: str) -> str:
    """Return where the site shows each command of a section; of no section, all with a line."""
    if section:
        blocks = [
            f".. click:: {function.__module__}:{function.__name__}\n   :prog: ensvm {verb.name}\n"
            "   :nested: full"
            for verb in VERBS[section]
            if (function := verb.callback)
        ]
        return "```{eval-rst}\n" + "\n\n".join(blocks) + "\n```"
    lines = [
        f"| [{title}](commands/{title.lower()}.md) | `{verb.name}` "
        f"| {verb.get_short_help_str(LONGEST_HELP)} |"
        for title, verbs in VERBS.items()
        for verb in verbs
    ]
    return "\n".join(["| page | command | what it does |", "|:--|:--|:--|", *lines])


MAKERS: dict[str, Callable[[str], str]] = {
    "counts": counts_of,
    "rows": rows_of,
    "findings": list_of_findings,
    "works": table_of_works,
    "came-out": wrapped_came_out,
    "total": total,
    "classifiers": table_of_classifiers,
    "losses": list_of_losses,
    "keys": config_keys.list_of_keys,
    "commands": list_of_commands,
}
BLOCK = re.compile(
    rf"(<!-- (?P<kind>{'|'.join(MAKERS)}): ?(?P<name>[^>]*?) -->\n).*?(?P<end><!-- end -->)",
    re.DOTALL,
)

PAGES = [
    page
    for page in (
        ROOT / "README.md",
        ROOT / "results/shipped/README.md",
        *sorted(DOCS.rglob("*.md")),
    )
    if "_build" not in page.parts and BLOCK.search(page.read_text(encoding="utf-8"))
]


def filled_page(page: Path) -> str:
    """Return a page with all its generated parts."""
    return BLOCK.sub(
        lambda part: f"{part[1]}\n{MAKERS[part['kind']](part['name'])}\n\n{part['end']}",
        page.read_text(encoding="utf-8"),
    )


if __name__ == "__main__":
    for page in map(Path.absolute, map(Path, sys.argv[1:] or PAGES)):
        page.write_text(filled_page(page), encoding="utf-8")
