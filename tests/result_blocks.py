"""The parts of pages that show results, findings and what classes and relations are."""

import inspect
from importlib import import_module
from pathlib import Path
from textwrap import fill

import pandas as pd
from made_up_records import read_results
from worked_verdicts import worked_section

from ensvm.report.documents.findings_document import findings_of
from ensvm.report.render.first_page import printed_counts
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
    entries = [f"- {one.markdown}" for one in findings_of(read_results(ROOT / "results" / study))]
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


def table_of_works(_: str) -> str:
    """Return the works: how their printed results came out, and the first sentence tested."""
    lines = []
    for name in reproduced():
        config, _ = read_config(find_config(name))
        folder = ROOT / "results" / name
        is_part_of_a_work = any(name.startswith(f"{other}-") for other in reproduced())
        if config.citation and config.findings and folder.exists() and not is_part_of_a_work:
            study = read_results(folder)
            work = f"[{config.title}](results/{name}/README.md): `{name}`"
            _, counts = printed_counts(study, "results")
            lines.append(f"| {work} | {counts} | {findings_of(study)[0].sentence} |")
    heads = "| work | its printed results | what it says first, and what our records say of it |"
    return "\n".join([heads, "|:--|:--|:--|", *lines])


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
    "tuned": tuned_of,
    "classes": table_of_classes,
    "relations": table_of_relations,
    "effects": table_of_effects,
    "findings": list_of_findings,
    "works": table_of_works,
    "worked": lambda _: worked_section(),
}
# The kinds of parts that change with the records
OF_RESULTS = ("grid", "ranks", "tuned", "worked", "findings", "works")
