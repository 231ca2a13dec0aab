"""Which tables and figures a study's pages show at once, and in which order."""

from ensvm.report.documents.table_document import table_document
from ensvm.report.render.pictures import reproduction_picture
from ensvm.report.study_folder import Study
from ensvm.report.tables import tables_on_page


def parts_on_page(study: Study) -> list[tuple[str, str]]:
    """Return ("table", id) or ("figure", id) of what stands before "More".

    What the abstract says to look at comes first, then the rest of what the paper has.
    """
    abstract, tables = study.config.abstract, tables_on_page(study.config)
    of_paper = {
        "table": {table.id: bool(table.of_paper) for table in tables},
        "figure": {figure.id: figure.of_paper for figure in study.config.figures},
    }
    named = [] if abstract is None else abstract.parts_to_look_at
    first = [(kind, name) for kind, name in named if name in of_paper.get(kind, ())]
    kinds = ("table", "figure") if _tables_come_first(study) else ("figure", "table")
    rest = [(kind, name) for kind in kinds for name, is_of in of_paper[kind].items() if is_of]
    return list(dict.fromkeys([*first, *rest]))


def _tables_come_first(study: Study) -> bool:
    """Return whether the printed values are judged, or a table says which algorithm is best."""
    picture, tables = reproduction_picture(study), tables_on_page(study.config)
    is_judged = picture is not None and picture.is_shown
    return is_judged or bool(tables and table_document(study, tables[0]).best)
