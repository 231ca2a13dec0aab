"""A study's first page, README.md in its folder: the picture, tables, figures, claims, links.

Everything on it comes from the config and the records.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ensvm.counts import of_all
from ensvm.data.alarms import TITLE
from ensvm.errors import UserError
from ensvm.records.store import CONFIG_COPY, folders_in, has_file
from ensvm.report.claims import evaluate_claims
from ensvm.report.documents.claim_document import (
    claims_in_words,
    rule_of_sentences,
    title_of_claims,
)
from ensvm.report.documents.document import (
    Bullets,
    Grid,
    Heading,
    Part,
    as_written,
    how_to_read,
    origin,
    verdict_counts,
)
from ensvm.report.documents.findings_document import (
    abstract_of,
    findings_of,
    sentences_tested,
)
from ensvm.report.documents.table_document import table_document
from ensvm.report.render.markdown import (
    READINGS,
    parts_to_markdown,
    unbroken,
    with_links_to_readings,
)
from ensvm.report.render.page_order import parts_on_page
from ensvm.report.render.pictures import PICTURE, reproduction_picture
from ensvm.report.study_folder import Study
from ensvm.report.tables import TableCell, build_table, counted_tables
from ensvm.shipped import shipped_config
from ensvm.study.config import StudyConfig
from ensvm.study.read_config import read_config
from ensvm.study.signs import CHOSEN_SIGN, SIGNS
from ensvm.study.source import read_text

NAME = "README.md"
# Marks a page as ours: a README.md without this line belongs to the user and is not overwritten.
WRITTEN = "<!-- Written by `ensvm table` from the records: edits are lost. -->"


def may_be_written(page: Path) -> bool:
    """Return whether a study's README.md is ours, or there is none."""
    try:
        return page.read_bytes().startswith(WRITTEN.encode())
    except FileNotFoundError:
        return True
    except OSError:  # whatever it is, it is not ours
        return False


def first_page(study: Study) -> str:
    """Return the page as Markdown; it links to files in the study's folder."""
    config = study.config
    parts: list[Part] = [
        WRITTEN,
        f"# {as_written(config.title or config.study)}",
        " ".join((as_written(config.citation), *(f"<{address}>" for address in config.links))),
        counts(study),
        Bullets(f"**{TITLE}**", list(map(as_written, study.alarms))),
        " ".join(abstract_of(study)),
        _picture(study),
        *_tables_and_figures(study),
        *_claims(study),
        *_more(study),
        *_other_parts(study),
        _how_to_run(study),
    ]
    text = parts_to_markdown([*parts, origin(study)])
    return unbroken(with_links_to_readings(study, text)) + "\n"


def _other_parts(study: Study) -> Iterator[Part]:
    """Yield links to the study that this one is a part of, and to its own parts beside it."""
    beside = study.folder.parent
    main = study.config.part_of
    if main is not None and (beside / main / CONFIG_COPY).is_file():
        yield f"This is a part of [{main}](../{main}/{NAME})."
    parts = parts_of_work(study.config.study, beside)
    links = [f"- [{as_written(part.title)}](../{part.study}/{NAME})" for part in parts]
    if links:
        yield "## Other parts of the work"
        yield "\n".join(links)


def parts_of_work(study: str, results: Path) -> list[StudyConfig]:
    """Return the configs of the studies in a folder of results that are parts of another one."""
    folders = folders_in(results) if results.is_dir() else []
    parts: list[StudyConfig] = []
    for path in [folder / CONFIG_COPY for folder in folders if has_file(folder, CONFIG_COPY)]:
        with suppress(UserError):  # a config that cannot be read is named when its study is read
            text = read_text(path)
            # Most studies are no parts, and their YAML need not be read.
            if "part_of:" in text and (config := read_config(path, text)[0]).part_of == study:
                parts.append(config)
    return parts


def findings_parts(study: Study) -> Iterator[Part]:
    """Yield the findings: the sentences of the abstract, with our numbers."""
    if study.config.findings:
        yield "## What comes out"
        yield "\n".join(f"- {finding.markdown}" for finding in findings_of(study))


def counts(study: Study) -> str:
    """Return how many printed values and claims came out how, and what has no values."""
    count, verdicts = printed_counts(study, "results")
    claims = list(evaluate_claims(study))
    rule = f" ({text})" if (text := rule_of_sentences(study)) else ""
    cells = _cells(study, "results")
    occurring = {cell.verdict for cell in cells}
    signs = [f"{mark} {verdict}" for verdict, mark in SIGNS.items() if verdict in occurring]
    if any(cell.chosen for cell in cells):
        signs.append(f"{CHOSEN_SIGN} of these, a setting was chosen on the printed value")
    meaning = f" ({', '.join(signs)})" if signs else ""
    failed, missing = len(study.failed), study.missing_data
    sentences = {
        f"Of {count} printed results: {verdicts}{meaning}.": count,
        f"Sentences tested{rule}: {claims_in_words(claims)}.": claims,
        f"{of_all(failed, len(study.records), 'cell')} failed.": failed,
        f"Data that could not be loaded: {', '.join(missing)}.": missing,
    }
    return " ".join(text for text, applies in sentences.items() if applies)


def _picture(study: Study) -> str:
    """Return the picture of printed values against ours; empty if there are too few of them."""
    picture = reproduction_picture(study)
    if picture is None or not picture.is_shown:
        return ""
    return f"![printed values against ours, with their verdicts]({PICTURE})"


def _cells(study: Study, of: str) -> list[TableCell]:
    """Return the cells of the tables of a kind, those with printed values once."""
    return [cell for table in counted_tables(study, of) for cell in build_table(study, table)]


def printed_counts(study: Study, of: str) -> tuple[int, str]:
    """Return the number of printed values in tables of a kind, and of each verdict on them."""
    cells = [cell for cell in _cells(study, of) if cell.published is not None]
    unjudged = sum(cell.verdict is None and cell.mean is not None for cell in cells)
    silent = sum(cell.mean is None for cell in cells)
    texts = [verdict_counts(cells), f"{unjudged} not judged", f"{silent} without a value of ours"]
    counted = (True, unjudged, silent)
    return len(cells), ", ".join(text for text, n in zip(texts, counted, strict=True) if n and text)


def _how_to_run(study: Study) -> str:
    """Return the command that computes the results anew."""
    name = study.config.study
    config = name if shipped_config(name) is not None else f"{name}.yaml"
    return f"To compute this anew: `ensvm run {config}`, then `ensvm table` and `ensvm report`."


def _tables_and_figures(study: Study) -> Iterator[Part]:
    """Yield the tables, each with its notes, and the figures that have been drawn."""
    grids: list[Grid] = []
    figures = {figure.id: figure for figure in study.config.figures}
    for kind, name in parts_on_page(study):
        stem = f"{kind}-{name}"
        if kind == "table":
            document = table_document(study, study.config.table(name))
            yield Heading(as_written(document.heading))
            yield document.counted_grid
            yield Bullets("Notes", document.notes)
            grids.append(document.grid)
            yield f"[Legend and assumptions]({stem}.md), [unrounded values]({stem}.csv)"
        elif (study.folder / f"{stem}.svg").is_file():
            caption = as_written(figures[name].caption)
            yield Heading(f"Figure {name}. {caption}")
            yield f"![{caption}]({stem}.svg)"
            yield ", ".join(f"[{e.upper()}]({stem}.{e})" for e in ("pdf", "png", "csv"))
    if grids:
        yield f"In the tables: {how_to_read(*grids)}."


def _claims(study: Study) -> Iterator[Part]:
    if study.config.claims:
        yield f"## {title_of_claims(study)}"
        yield "\n".join(f"- {finding.markdown}" for _, finding in sentences_tested(study))


def _more(study: Study) -> Iterator[Part]:
    """Yield links to the other tables and figures, the evidence of claims and the readings."""
    config, shown = study.config, parts_on_page(study)
    pages = {
        f"table-{table.id}.md": as_written(table.caption)
        for table in config.tables
        if ("table", table.id) not in shown
    }
    pages |= {
        f"figure-{figure.id}.svg": as_written(figure.caption)
        for figure in config.figures
        if ("figure", figure.id) not in shown
    }
    pages |= {"claims.md": "The evidence of each claim"} if config.claims else {}
    if config.readings:
        pages[READINGS] = "What the paper leaves open, tried under several readings"
    if pages:
        yield "## More"
        yield "\n".join(
            f"- [{text}]({name})" if (study.folder / name).is_file() else f"- {text}"
            for name, text in pages.items()
        )
