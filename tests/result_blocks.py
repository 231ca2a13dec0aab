"""The parts of pages that show results, findings and what classes and relations are."""

import inspect
from collections import Counter
from importlib import import_module
from pathlib import Path
from textwrap import fill

import pandas as pd
from worked_verdicts import worked_section

from ensvm.report.claims import evaluate_claims
from ensvm.report.documents.document import verdict_counts
from ensvm.report.documents.findings_document import findings_of
from ensvm.report.query import read_study
from ensvm.report.tables import build_table
from ensvm.study.relations import EFFECTS, RELATIONS

ROOT = Path(__file__).parents[1]


def grid_of(path: str) -> str | None:
    """Return the first grid of a page of results; None if its study has not been shipped yet."""
    if not (ROOT / path).exists():
        return None
    content = (ROOT / path).read_text(encoding="utf-8")
    return next(part for part in content.split("\n\n") if part.startswith("|"))


def ranks_of(path: str) -> str | None:
    """Return each algorithm and its average rank, the first two columns of a page of ranks."""
    grid = grid_of(path)
    if grid is None:
        return None
    rows = [[field.strip() for field in line.split("|")[1:3]] for line in grid.splitlines()[2:]]
    # The letter before a name stands for it in the other columns, which are left out.
    lines = [f"| {name.partition(' ')[2]} | {rank} |" for name, rank in rows]
    return "\n".join(["| classifier | average rank |", "|:--|--:|", *lines])


def tuned_of(study: str) -> str:
    """Return what TunedSVC errs and takes beside a grid search, on the sets not used for it."""
    errors, seconds = (
        pd.read_csv(ROOT / "results" / study / f"table-{table}.csv").pivot(
            index="row", columns="column", values="mean"
        )
        for table in ("error-fresh", "seconds")
    )
    mean, times = errors.mean(), (seconds.svc_grid / seconds.tuned)[errors.index].median()
    text = (
        f"On the {len(errors)} data sets that were used for no decision about `TunedSVC`, with at "
        f"most 1,000 training rows, the mean test errors are {mean.tuned:.1f} % (`TunedSVC`), "
        f"{mean.svc_grid:.1f} % (grid) and {mean.svc:.1f} % (`SVC()`). On the median data set, the "
        f"grid takes {times:.0f} times as long on one thread."
    )
    return fill(text, 118)


def list_of_findings(study: str) -> str | None:
    """Return the findings of a study, a list entry each; None without its results."""
    if not (ROOT / "results" / study / "README.md").exists():
        return None
    entries = [f"- {one.markdown}" for one in findings_of(read_study(ROOT / "results" / study))]
    return "\n".join(
        fill(line, 118, subsequent_indent=" " * (line.index("-") + 2), break_on_hyphens=False)
        for line in "\n".join(entries).splitlines()
    )


def table_of_classes(package: str) -> str:
    """Return the public classes of a package, each with the summary of its docstring."""
    module = import_module(package)
    names = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
    summaries = [inspect.getdoc(getattr(module, name)).partition("\n")[0] for name in names]
    lines = [f"| `{name}` | {text} |" for name, text in zip(names, summaries, strict=True)]
    return "\n".join(["| class | what it is |", "|:--|:--|", *lines])


# What came out of each work, by weight: a person's sentence, beside counts made from the records.
CAME_OUT = {
    "ijcai07": "The ensemble errs about as a well-chosen SVM does.",
    "icmla05": "Half of the examples can be left out on MNIST; that it saves time is not shown.",
    "ecda13": "Several kernel types in one ensemble help on spam by bagging and on adult by "
    "boosting; in general that is not shown.",
    "nips99": "The SVMs come out; the sizes of leveraged machines depend on a stop that is not "
    "printed.",
    "comp6321": "A lecture: the test error of boosting goes on falling when the training error is "
    "0; what bagging and boosting reduce is partly shown.",
}


def table_of_works(_: str) -> str:
    """Return the works: how their printed results and claims came out, and what that amounts to."""
    lines, every, claims = [], [], Counter[str]()
    for name, sentence in CAME_OUT.items():
        study = read_study(ROOT / "results" / name)
        cells = [
            cell
            for table in study.config.tables
            if table.of == "results"
            for cell in build_table(study, table)
        ]
        verdicts = Counter[str](judged.verdict for judged in evaluate_claims(study))
        every, claims = every + cells, claims + verdicts
        paper = study.config.title.split("(")[0].strip()
        lines.append(
            f"| [{paper}](results/{name}/README.md): `{name}` | {verdict_counts(cells) or 'none'} "
            f"| {_claims(verdicts)} | {sentence} |"
        )
    silent = sum(cell.published is not None and cell.mean is None for cell in every)
    missing = f"{silent} printed numbers have no value of ours."
    lines.append(f"| **all** | {verdict_counts(every)} | {_claims(claims)} | {missing} |")
    heads = "| paper | printed numbers: = ≈ ≠ ? † | its sentences, tested | what came out |"
    return "\n".join([heads, "|:--|:--|:--|:--|", *lines])


def _claims(verdicts: Counter[str]) -> str:
    words = {"holds": "hold", "fails": "fail", "cannot tell": "open"}
    return ", ".join(f"{verdicts[name]} {word}" for name, word in words.items() if verdicts[name])


def rows_of(place: str) -> str:
    """Return the head and some rows of the grid of a page of results, such as `PATH ROW ROW`."""
    path, *rows = place.split()
    head, _, *lines = (grid_of(path) or "").splitlines()
    kept = [line for line in lines if line.split("|")[1].strip() in rows]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *kept)]
    top, *rest = (f"| {' | '.join(line)} |" for line in cells)
    return "\n".join([top, f"|:--|{'--:|' * (len(cells[0]) - 1)}", *rest])


def table_of_relations(_: str) -> str:
    """Return the relations of claims, each with the effects that it may be of, and its meaning."""
    lines = []
    for name, relation in RELATIONS.items():
        lines.append(f"| `{name}` | {', '.join(relation.of)} | {relation.meaning} |")
    return "\n".join(["| `relation:` | `of:` | the test holds if |", "|:--|:--|:--|", *lines])


def table_of_effects(_: str) -> str:
    """Return the effects that tests of claims compare, each with its threshold."""
    lines = []
    for name, effect in EFFECTS.items():
        threshold = f"`{effect.key}:{'' if effect.default is None else f' {effect.default:g}'}`"
        lines.append(f"| `{name}` | {effect.meaning} | {threshold} |")
    return "\n".join(["| `of:` | what is tested | its threshold |", "|:--|:--|:--|", *lines])


MAKERS = {
    "grid": grid_of,
    "rows": rows_of,
    "ranks": ranks_of,
    "tuned": tuned_of,
    "classes": table_of_classes,
    "relations": table_of_relations,
    "effects": table_of_effects,
    "findings": list_of_findings,
    "works": table_of_works,
    "worked": lambda _: worked_section(),
}
# The kinds of parts that change with the records
OF_RESULTS = ("grid", "rows", "ranks", "tuned", "worked", "findings", "works")
