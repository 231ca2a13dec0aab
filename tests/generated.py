"""The generated parts of README.md, the page of results and that of keys; running writes them.

A part stands between `<!-- KIND: NAME -->` and `<!-- end -->`.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from textwrap import fill

from made_up_records import read_results

from ensvm.report.claims import evaluate_claims
from ensvm.report.documents.document import verdict_counts
from ensvm.report.documents.findings_document import findings_of
from ensvm.report.query import Study
from ensvm.report.render.first_page import VERBS, counts
from ensvm.report.tables import TableCell, build_table, counted_tables
from ensvm.shipped import shipped_results

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
import config_keys  # noqa: E402

PAGES = [ROOT / page for page in ("README.md", "results/shipped/README.md", "docs/look-up/keys.md")]


def grid_of(path: str) -> str:
    """Return the first grid of a page of results."""
    content = (ROOT / path).read_text(encoding="utf-8")
    return next(part for part in content.split("\n\n") if part.startswith("|"))


def counts_of(study: str) -> str:
    """Return how many printed values and claims of a study came out how."""
    return counts(read_results(shipped_results() / study))


def list_of_findings(study: str) -> str:
    """Return the findings of a study, a list entry each."""
    entries = [f"- {one.markdown}" for one in findings_of(read_results(shipped_results() / study))]
    return "\n".join(
        fill(line, 118, subsequent_indent=" " * (line.index("-") + 2), break_on_hyphens=False)
        for line in "\n".join(entries).splitlines()
    )


# What came out of each work, by weight: a person's sentence, beside counts made from the records.
CAME_OUT = {
    "ijcai07": "The ensemble errs about as a well-chosen SVM does, a little more on each data set.",
    "icmla05": "Half of the examples can be left out on MNIST; that it saves time is not shown.",
    "ecda13": "Several kernel types in one ensemble help on spam by bagging and on adult by "
    "boosting; in general that is not shown.",
    "nips99": "The SVMs come out; the sizes of leveraged machines depend on a stop that is not "
    "printed.",
    "comp6321": "A lecture: the test error of boosting goes on falling when the training error is "
    "0; what bagging and boosting reduce is partly shown.",
}


def values_of(study: Study) -> list[TableCell]:
    """Return the values of a study's tables of results that count."""
    tables = counted_tables(study, "results")
    return [cell for table in tables for cell in build_table(study, table)]


def table_of_works(_: str) -> str:
    """Return the works: how their printed results and claims came out, and what that amounts to."""
    lines, every, claims = [], [], Counter[str]()
    for name, sentence in CAME_OUT.items():
        study = read_results(shipped_results() / name)
        cells = values_of(study)
        verdicts = Counter[str](judged.verdict for judged in evaluate_claims(study))
        every, claims = every + cells, claims + verdicts
        paper = study.config.title.split("(")[0].strip()
        lines.append(
            f"| [{paper}](results/shipped/{name}/README.md): `{name}` "
            f"| {verdict_counts(cells) or 'none'} | {_claims(verdicts)} | {sentence} |"
        )
    silent = sum(cell.published is not None and cell.mean is None for cell in every)
    missing = f"{silent} printed numbers have no value of ours."
    lines.append(f"| **all** | {verdict_counts(every)} | {_claims(claims)} | {missing} |")
    heads = "| paper | printed numbers: = ≈ ≠ ? † | its sentences, tested | what came out |"
    return "\n".join([heads, "|:--|:--|:--|:--|", *lines])


def _claims(verdicts: Counter[str]) -> str:
    return ", ".join(f"{verdicts[name]} {word}" for name, word in VERBS.items() if verdicts[name])


def rows_of(place: str) -> str:
    """Return the head and some rows of the grid of a page of results, such as `PATH ROW ROW`."""
    path, *rows = place.split()
    head, _, *lines = grid_of(path).splitlines()
    kept = [line for line in lines if line.split("|")[1].strip() in rows]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *kept)]
    top, *rest = (f"| {' | '.join(line)} |" for line in cells)
    return "\n".join([top, f"|:--|{'--:|' * (len(cells[0]) - 1)}", *rest])


def total(_: str) -> str:
    """Return in words how all printed values of the works came out."""
    cells = [
        cell
        for name in CAME_OUT
        for cell in values_of(read_results(shipped_results() / name))
        if cell.published is not None
    ]
    n = Counter(cell.verdict for cell in cells if cell.verdict is not None)
    chosen = sum(cell.chosen and cell.verdict == "reproduced" for cell in cells)
    judged, silent = sum(n.values()), sum(cell.mean is None for cell in cells)
    text = (
        f"Of {judged + silent} printed results, {n['reproduced']} come out the same (for {chosen} "
        f"of them we chose a setting by the printed value), {n['close']} close and {n['differs']} "
        f"different; {n['cannot tell']} are undecided, and for {silent} we have no value."
    )
    return fill(text, 118)


MAKERS: dict[str, Callable[[str], str]] = {
    "counts": counts_of,
    "rows": rows_of,
    "findings": list_of_findings,
    "works": table_of_works,
    "total": total,
    "keys": config_keys.list_of_keys,
}
BLOCK = re.compile(
    rf"(<!-- (?P<kind>{'|'.join(MAKERS)}): ?(?P<name>[^>]*?) -->\n).*?(?P<end><!-- end -->)",
    re.DOTALL,
)


def filled_page(page: Path) -> str:
    """Return a page with all its generated parts."""
    return BLOCK.sub(
        lambda part: f"{part[1]}\n{MAKERS[part['kind']](part['name'])}\n\n{part['end']}",
        page.read_text(encoding="utf-8"),
    )


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled_page(page), encoding="utf-8")
