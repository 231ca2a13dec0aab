"""Findings: what came out of a study, in sentences that its claims, readings and tables support."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from ensvm.study.block import ConfigBlock, Id, Names, as_tuple
from ensvm.study.claim import ClaimConfig
from ensvm.study.source import Location, YamlSource
from ensvm.study.table_layout import TableConfig, Verdict
from ensvm.study.variants import DEFAULT, ReadingConfig

SupportVerdict = Verdict | Literal["holds", "fails"]


Supports = Annotated[
    tuple[SupportVerdict, ...],
    BeforeValidator(as_tuple, json_schema_input_type=SupportVerdict | tuple[SupportVerdict, ...]),
]
"""One verdict or a list of verdicts."""


class SupportConfig(ConfigBlock):
    """One result that a finding rests on: of a claim, of a reading, or of a column of a table.

    Attributes
    ----------
    claim : str or None
        The id of a claim. A support has exactly one of `claim`, `reading` and `table`.
    reading : str or None
        The id of a reading.
    table : str or None
        The id of a table.
    verdict : tuple of str
        The verdict of the claim, or the verdicts that the values of the column may have.
    nearer : str or None
        The variant of the reading whose values lie nearer to the printed ones, or `default`.
    than : tuple of str
        The variants that it is nearer than; all others if none is named.
    column : str or None
        The column of the table.
    rows : tuple of str
        The rows of the table; all that have a verdict if none is named.
    """

    claim: str | None = None
    reading: str | None = None
    table: Id | None = None
    verdict: Supports = ()
    nearer: str | None = None
    than: Names = ()
    column: str | None = None
    rows: Names = ()

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        needed = {
            "claim": {"claim", "verdict"},
            "reading": {"reading", "nearer"},
            "table": {"table", "column", "verdict"},
        }
        optional = {"claim": set[str](), "reading": {"than"}, "table": {"rows"}}
        given = {key for key in type(self).model_fields if getattr(self, key)}
        for kind, keys in needed.items():
            if kind in given and keys <= given <= keys | optional[kind]:
                return self
        raise ValueError(
            "give `claim` and `verdict`, or `reading`, `nearer` and perhaps `than`, "
            "or `table`, `column`, `verdict` and perhaps `rows`"
        )


class FindingConfig(ConfigBlock):
    """A sentence or two about what came out of a study.

    Attributes
    ----------
    text : str
        The sentences, in Markdown; links are relative to the study's folder.
    shown_by : tuple of SupportConfig
        The results that they rest on. If one of them changes, the finding is stale.
    """

    text: str
    shown_by: tuple[SupportConfig, ...] = Field(min_length=1)


def check_findings(
    findings: Sequence[FindingConfig],
    claims: Sequence[ClaimConfig],
    readings: Sequence[ReadingConfig],
    tables: Sequence[TableConfig],
    rows: dict[str, tuple[str, ...]],
    source: YamlSource,
) -> None:
    """Refuse findings that rest on results that the study does not have.

    `rows` has the rows of each table, by its id.
    """
    variants = {one.id: (DEFAULT, *(each.name for each in one.variants)) for one in readings}
    columns = {table.id: tuple(column.name for column in table.columns) for table in tables}
    for index, finding in enumerate(findings):
        for number, support in enumerate(finding.shown_by):
            place: Location = ("findings", index, "shown_by", number)
            if support.claim is not None:
                ids = [claim.id for claim in claims]
                source.must_be_one_of((*place, "claim"), "claim", support.claim, ids)
            elif support.reading is not None:
                source.must_be_one_of((*place, "reading"), "reading", support.reading, variants)
                named = (support.nearer or "", *support.than)
                accepted = variants[support.reading]
                source.must_be_one_of((*place, "nearer"), "variant", named, accepted)
            elif support.table is not None:
                source.must_be_one_of((*place, "table"), "table", support.table, columns)
                for key, names, of_table in (
                    ("column", (support.column or "",), columns[support.table]),
                    ("rows", support.rows, rows[support.table]),
                ):
                    source.must_be_one_of((*place, key), key.removesuffix("s"), names, of_table)
