"""The parts of pages that show results, findings and what classes and relations are."""

import inspect
from importlib import import_module
from pathlib import Path
from textwrap import fill

import pandas as pd
from worked_verdicts import worked_section

from ensvm.report.documents.document import one_line
from ensvm.shipped import find_config
from ensvm.study.config import read_config, reproduced
from ensvm.study.relations import RELATIONS

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


def findings_of(study: str) -> str:
    """Return the findings of a study, a list entry each."""
    config, _ = read_config(find_config(study))
    entries = [f"- {one_line(finding.text)}" for finding in config.findings]
    return "\n".join(
        fill(entry, 118, subsequent_indent="  ", break_on_hyphens=False) for entry in entries
    )


def table_of_classes(package: str) -> str:
    """Return the public classes of a package, each with the summary of its docstring."""
    module = import_module(package)
    names = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
    summaries = [inspect.getdoc(getattr(module, name)).partition("\n")[0] for name in names]
    lines = [f"| `{name}` | {text} |" for name, text in zip(names, summaries, strict=True)]
    return "\n".join(["| class | what it is |", "|:--|:--|", *lines])


def table_of_works(_: str) -> str:
    """Return the works, each with the first sentence of what came out."""
    lines = []
    for name in reproduced():
        config, _ = read_config(find_config(name))
        is_shipped = (ROOT / "results" / name / "README.md").exists()
        if config.citation and config.findings and is_shipped:
            work = f"[{config.title}](results/{name}/README.md)"
            lines.append(f"| {work}: `{name}` | {one_line(config.findings[0].text)} |")
    return "\n".join(["| work | what came out, in a sentence |", "|:--|:--|", *lines])


def table_of_relations(_: str) -> str:
    """Return the relations of claims, each with its keys, their defaults and its meaning."""
    lines = []
    for name, relation in RELATIONS.items():
        defaults = {
            key: "" if value is None else f" {value:g}" for key, value in relation.keys.items()
        }
        keys = ", ".join(f"`{key}:{default}`" for key, default in defaults.items())
        lines.append(f"| `{name}` | {keys} | {relation.meaning} |")
    return "\n".join(["| `relation:` | its keys | the claim holds if |", "|:--|:--|:--|", *lines])


MAKERS = {
    "grid": grid_of,
    "ranks": ranks_of,
    "tuned": tuned_of,
    "classes": table_of_classes,
    "relations": table_of_relations,
    "findings": findings_of,
    "works": table_of_works,
    "worked": lambda _: worked_section(),
}
# The kinds of parts that change with the records
OF_RESULTS = ("grid", "ranks", "tuned", "worked")
