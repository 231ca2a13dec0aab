"""Write rankings and comparisons beside a study's records, each file whole or as it was."""

from collections.abc import Mapping
from pathlib import Path

from ensvm.records.writing import replace_file
from ensvm.report.query import Study
from ensvm.report.ranking.over_data_sets import Ranking
from ensvm.report.ranking.over_realizations import Comparisons
from ensvm.report.ranking.render import (
    comparisons_to_csv,
    comparisons_to_markdown,
    diagram_note,
    ranking_to_csv,
    ranking_to_markdown,
)
from ensvm.report.ranking.selection import default_metric


def write_ranking(study: Study, ranking: Ranking) -> tuple[str, list[Path]]:
    """Write `rank-<table>.csv`, `.md` and the diagram; return the Markdown and the paths.

    The diagram is written as `.png`, `.svg` and `.pdf`.
    A metric that is not the table's own stands in the name: `rank-<table>-by-<metric>`.
    """
    # matplotlib takes half a second to import
    from ensvm.report.plots.critical_difference import draw_critical_difference

    text = ranking_to_markdown(study, ranking)
    endings = (".png", ".svg", ".pdf")
    diagram = draw_critical_difference(
        ranking.labels,
        ranking.average.tolist(),
        ranking.critical_difference,
        ranking.groups,
        diagram_note(ranking),
        endings,
    )
    table = {"csv": ranking_to_csv(ranking), "md": text}
    drawn = {ending[1:]: file for ending, file in zip(endings, diagram, strict=True)}
    return text, _written(study.folder / _stem(ranking), {**table, **drawn})


def write_comparisons(study: Study, compared: Comparisons) -> tuple[str, list[Path]]:
    """Write `rank-<table>-on-<data set>.csv` and `.md`; return the latter and the paths."""
    text = comparisons_to_markdown(study, compared)
    stem = study.folder / f"{_stem(compared)}-on-{compared.row}"
    return text, _written(stem, {"csv": comparisons_to_csv(compared), "md": text})


def _stem(found: Ranking | Comparisons) -> str:
    table, metric = found.chosen.table, found.chosen.metric
    suffix = "" if metric == default_metric(table) else f"-by-{metric}"
    return f"rank-{table.id}{suffix}"


def _written(stem: Path, contents: Mapping[str, str | bytes]) -> list[Path]:
    paths = []
    for ending, content in contents.items():
        path = stem.with_name(f"{stem.name}.{ending}")
        replace_file(path, content)
        paths.append(path)
    return paths
