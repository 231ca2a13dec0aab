"""The results of studies in Python: a frame of cells, tables, figures and claims."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ensvm.counts import counted, named
from ensvm.errors import UserError, did_you_mean, must_be_path
from ensvm.records.states import counted_states
from ensvm.report.documents.claim_document import claims_document
from ensvm.report.documents.table_document import table_document
from ensvm.report.export import frame_of, realizations
from ensvm.report.render.html import as_html
from ensvm.report.render.markdown import to_markdown
from ensvm.report.study_folder import Study, find_shown, folders_by_study, read_each, read_study
from ensvm.report.write import DRAWN_ENDINGS
from ensvm.shipped import shipped_names, shipped_records
from ensvm.study.metrics import DATA_CELL

if TYPE_CHECKING:
    from ensvm.report.plots.drawing import FigureContent


def load_results(path: str | Path = "results") -> Results:
    """Return the results in a folder of several studies, or in the folder of one study.

    Parameters
    ----------
    path : str or Path, default 'results'
        What `ensvm run` wrote: the folder of all results, or of one study; or the name of a shipped
        study, for the results that come with ensvm. The folder `results` of a checkout holds these,
        too, and stands for them until something is run there.

    Returns
    -------
    Results
        The results.

    Raises
    ------
    UserError
        If there are no records, or the path leads to a file.
    UserError
        If the folder of the one study cannot be read; the message names the file. Of several
        studies, those that cannot be read are left out with a warning.

    Warns
    -----
    UserWarning
        If records are left out because their settings are not those that the config asks for, or if
        there are two values of one cell.

    Examples
    --------
    >>> import ensvm
    >>> ensvm.load_results("results/smoke").table("errors")  # doctest: +SKIP
    """
    must_be_path("path", path)
    if not Path(path).exists() and (shipped := shipped_records(str(path))) is not None:
        return Results([read_study(shipped)])
    if Path(path).is_file():
        raise UserError(f"{path}: a file; give its folder: {str(Path(path).parent)!r}")
    folders = find_shown(Path(path))
    if not folders:
        first = "run a study first, as ensvm.run('smoke') does"
        nearest = "" if Path(path).exists() else did_you_mean(str(path), shipped_names())
        raise UserError(f"{path}: no records here; {first}{nearest}")
    studies = list[Study]()
    for study in read_each(folders_by_study(folders)):
        if isinstance(study, Study):
            studies.append(study)
            left_out = study.doubts if study.is_complete else study.left_out
            texts = [f"{study.config.study}: {text}" for text in left_out]
        elif len(folders) == 1:
            raise study
        else:
            texts = [f"left out: {study}"]
        for text in texts:
            warnings.warn(text, stacklevel=2)
    return Results(studies)


@dataclass(frozen=True, eq=False)
class Text:
    """A table or claims as text, with the numbers behind it.

    Attributes
    ----------
    markdown : str
        The text, in Markdown.
    frame : DataFrame
        The numbers, unrounded, as the command writes them to a CSV.
    """

    markdown: str
    frame: pd.DataFrame = field(repr=False)

    def __repr__(self) -> str:
        """Return the Markdown."""
        return self.markdown

    def _repr_html_(self) -> str:
        return as_html(self.markdown)


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure, drawn when it is shown or saved.

    Attributes
    ----------
    frame : DataFrame
        The data behind it, unrounded, as `ensvm report` writes them to a CSV.
    missing : tuple of str
        What is missing in it, and why.
    """

    frame: pd.DataFrame
    missing: tuple[str, ...]
    _study: Study
    _content: FigureContent

    def __repr__(self) -> str:
        """Return the figure's caption."""
        config = self._content.config
        return f"<Figure {config.id}: {config.caption}>"

    def save(self, path: str | Path) -> Path:
        """Draw the figure into a file.

        Parameters
        ----------
        path : str or Path
            The file, which ends in .png, .svg or .pdf.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ValueError
            If it has another ending.
        """
        target = Path(path)
        if target.suffix not in DRAWN_ENDINGS:
            raise ValueError(
                f"{target}: the ending is not accepted; accepted: {', '.join(DRAWN_ENDINGS)}"
            )
        target.write_bytes(self._draw(target.suffix))
        return target

    def _draw(self, ending: str) -> bytes:
        from ensvm.report.plots.drawing import draw  # matplotlib takes half a second to import

        (file,) = draw(self._study, self._content, [ending])
        return file

    def _repr_svg_(self) -> str:
        return self._draw(".svg").decode()


class Results:
    """The results of one study or of several.

    `ensvm.run` and `ensvm.load_results` return it; `results["name"]` is one study of several. A
    notebook displays its tables.

    Parameters
    ----------
    studies : iterable of Study
        The studies, as `ensvm.report.study_folder.read_study` reads them.

    Attributes
    ----------
    studies : tuple of str
        The names of the studies.

    Examples
    --------
    >>> import tempfile
    >>> import ensvm
    >>> study = {
    ...     "study": "titanic",
    ...     "realizations": 2,
    ...     "datasets": ["titanic"],
    ...     "algorithms": {"window": {"estimator": "ParzenWindowClassifier"}},
    ...     "tables": [{"id": 1, "caption": "Errors (in %).", "columns": ["window"]}],
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = ensvm.run(study, results=folder, jobs=1, progress=False)
    >>> results
    <Results of titanic: 2 cells done; table 1>
    >>> results.table(1).frame[["row", "column", "n"]].to_dict("records")
    [{'row': 'titanic', 'column': 'window', 'n': 2}]
    """

    def __init__(self, studies: Iterable[Study]) -> None:
        self._studies = {study.config.study: study for study in studies}

    @property
    def studies(self) -> tuple[str, ...]:
        """The names of the studies."""
        return tuple(self._studies)

    def __getitem__(self, study: str) -> Results:
        """Return the results of one study."""
        if study not in self._studies:
            accepted = f"{', '.join(self.studies)}{did_you_mean(study, self.studies)}"
            raise ValueError(f"no results of a study {study!r}; there are: {accepted}")
        return Results([self._studies[study]])

    def frame(self) -> pd.DataFrame:
        """Return the cells as a frame, one row each.

        The columns are those of `ensvm export --per-realization`. Errors and other shares are
        fractions. Curves and the facts of the data are not in it.

        Returns
        -------
        DataFrame
            The cells in the order of studies, data sets, realizations and algorithms.
        """
        lines = [
            line
            for study in self._studies.values()
            for line in realizations(study)
            if line["algorithm"] != DATA_CELL
        ]
        return frame_of(lines)

    def table(self, table: str | int | None = None) -> Text:
        """Return a table, laid out as `ensvm table` does.

        Parameters
        ----------
        table : str, int or None, default None
            Its id; None if there is only one table.

        Returns
        -------
        Text
            The table; its `frame` has a row for each cell, unrounded.

        Raises
        ------
        ValueError
            If there is no such table, or there are several.
        """
        study, name = self._find("table", table)
        config = study.config.table(name)
        document = table_document(study, config)
        return Text(to_markdown(document.whole), document.frame)

    def figure(self, figure: str | int | None = None) -> Picture:
        """Return a figure, drawn as `ensvm report --only figures` does.

        Parameters
        ----------
        figure : str, int or None, default None
            Its id; None if there is only one figure.

        Returns
        -------
        Picture
            The figure; its `frame` has the data behind it.

        Raises
        ------
        ValueError
            If there is no such figure, there are several, or it has no data.
        """
        from ensvm.report.plots.drawing import read_figure  # loads matplotlib

        study, name = self._find("figure", figure)
        config = next(each for each in study.config.figures if each.id == name)
        content = read_figure(study, config)
        if not content.items:
            raise ValueError(f"figure {name}: nothing to draw: {'; '.join(content.missing)}")
        return Picture(content.frame, content.missing, study, content)

    def claims(self) -> Text:
        """Return which claims of the studies hold, and on what evidence.

        Returns
        -------
        Text
            The claims; its `frame` has a row for each comparison, and the column `study`.

        Raises
        ------
        ValueError
            If no study has claims.
        """
        texts: list[str] = []
        lines: list[dict[Hashable, Any]] = []
        for name, study in self._studies.items():
            if study.config.claims:
                document = claims_document(study)
                texts.append(to_markdown(document))
                lines += [{"study": name, **line} for line in document.frame.to_dict("records")]
        if not texts:
            raise ValueError(f"no claims in {', '.join(self.studies)}")
        return Text("\n".join(texts), pd.DataFrame(lines))

    def __repr__(self) -> str:
        """Return the number of cells, and the tables and figures, of each study."""
        return "\n".join(f"<Results of {line}>" for line in self._summary())

    def _repr_html_(self) -> str:
        lines = "\n".join(f"- {line}" for line in self._summary())
        tables = []
        if len(self._studies) == 1:
            (study,) = self._studies.values()
            tables = [self.table(name).markdown for name in _ids(study, "table")]
        return as_html("\n\n".join([lines, *tables]))

    def _summary(self) -> Iterator[str]:
        for name, study in self._studies.items():
            fits = (one for one in study.records.values() if one.algorithm != DATA_CELL)
            cells = counted_states((record.status for record in fits), "cell")
            parts = [f"{name}: {cells or 'no cells'}"]
            parts += ["the results that come with ensvm"] if study.shipped else []
            for kind in ("table", "figure"):
                ids = _ids(study, kind)
                parts += [f"{named(len(ids), kind)} {', '.join(ids)}"] if ids else []
            claims = len(study.config.claims)
            parts += [counted(claims, "claim")] if claims else []
            yield "; ".join(parts)

    def _find(self, kind: str, wanted: str | int | None) -> tuple[Study, str]:
        """Return the one table or figure of an id, with its study."""
        ids = [(study, name) for study in self._studies.values() for name in _ids(study, kind)]
        matches = [(study, name) for study, name in ids if wanted is None or str(wanted) == name]
        if len(matches) == 1:
            return matches[0]
        names = [name for _, name in ids]
        if not ids:
            raise ValueError(f"no {kind}s in {', '.join(self.studies)}")
        if not matches:
            hint = did_you_mean(str(wanted), names)
            raise ValueError(f"no {kind} {wanted!r}; there are: {', '.join(names)}{hint}")
        if wanted is None and len(self._studies) == 1:
            raise ValueError(f"which {kind}? there are: {', '.join(names)}")
        studies = ", ".join(dict.fromkeys(study.config.study for study, _ in matches))
        raise ValueError(f"several studies have such a {kind} ({studies}); say results[name] first")


def _ids(study: Study, kind: str) -> list[str]:
    """Return the ids of the tables or figures of a study."""
    return [block.id for block in getattr(study.config, f"{kind}s")]
