"""The parts of pages that show results, findings and what classes and relations are."""

import inspect
from importlib import import_module
from pathlib import Path
from textwrap import fill

from worked_verdicts import worked_section

from ensvm.report.documents.findings import finding_texts
from ensvm.report.query import read_study
from ensvm.shipped import find_config
from ensvm.study.config import read_config, reproduced
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


def findings_of(study: str) -> str | None:
    """Return the findings of a study, a list entry each; None without its results."""
    if not (ROOT / "results" / study / "README.md").exists():
        return None
    entries = [f"- {text}" for text in finding_texts(read_study(ROOT / "results" / study))]
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
            first = next(finding_texts(read_study(ROOT / "results" / name)))
            lines.append(f"| {work}: `{name}` | {first} |")
    return "\n".join(["| work | what came out, in a sentence |", "|:--|:--|", *lines])


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
    "ranks": ranks_of,
    "classes": table_of_classes,
    "relations": table_of_relations,
    "effects": table_of_effects,
    "findings": findings_of,
    "works": table_of_works,
    "worked": lambda _: worked_section(),
}
# The kinds of parts that change with the records
OF_RESULTS = ("grid", "ranks", "worked", "findings", "works")
