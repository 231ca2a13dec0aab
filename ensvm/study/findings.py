"""What came out in words: an abstract, and the findings, each a claim with numbers from records."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from ensvm.study.block import ConfigBlock, NameOf, Names
from ensvm.study.claim import ClaimConfig
from ensvm.study.signs import SIGNS
from ensvm.study.source import Location, YamlSource
from ensvm.study.table_layout import TableConfig

MOST_LINES = 2

# The placeholders of a line, with what they name.
PLACEHOLDERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("ours", "printed", "sign"), ("TABLE", "ROW", "COLUMN")),
    **dict.fromkeys(("verdict", "verdict-with-counts", "holds", "fails", "of"), ("CLAIM",)),
    "count": ("TABLE", "SIGN", "COLUMN"),
}
ACCEPTED = ", ".join(f"{{{' '.join((kind, *words))}}}" for kind, words in PLACEHOLDERS.items())

PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
# A mention such as 'Table 2' that is not part of a link and not followed by 'of' another paper
MENTION = re.compile(
    r"(?<![\w\[-])(table|figure|claim|reading|assumption) ([\w-]*\w)(?![\w-]| of )(?![^\[\]]*\]\()",
    re.IGNORECASE,
)
# Where a line may have digits: code, the number of a part of the paper, and names.
_CODE = re.compile(r"`[^`]*`")
_PART = re.compile(
    r"\b(table|figure|section|equation|algorithm|lemma|theorem|claim|reading) \S+", re.IGNORECASE
)
_NAME = re.compile(r"[^\W\d][\w-]*")


class FindingConfig(ConfigBlock):
    """A sentence of the paper's abstract: a claim, and up to two lines of ours.

    Attributes
    ----------
    claim : str
        The id of the claim, which may stand alone in place of the block.
    adds : tuple of str
        Up to two lines, in Markdown. Their numbers are placeholders, such as `{holds CLAIM}`, that
        are filled in from the records.
    """

    claim: Annotated[str, NameOf("claim")]
    adds: Names = Field(default=(), max_length=MOST_LINES)

    @classmethod
    def long_form(cls, block: Any) -> Any:
        """Return the block of a finding that is only the id of its claim."""
        return {"claim": str(block)} if isinstance(block, str | int) else block


class AbstractConfig(ConfigBlock):
    """What came out, in up to five sentences for a reader who knows neither paper nor study.

    Numbers are placeholders, such as `{holds CLAIM}`, that are filled in from the records.

    Attributes
    ----------
    claim : str
        What the paper claims.
    outcome : str
        What came out. The index of the pages shows it without the other sentences.
    failure : str
        What did not come out.
    reason : str
        Why, as far as it is known.
    look : str
        What to look at: a table, a figure, a claim or a reading. Pages show the tables and figures
        that it names, such as `Table 2`, before all others.
    """

    claim: str = ""
    outcome: str
    failure: str = ""
    reason: str = ""
    look: str = ""

    @property
    def sentences(self) -> dict[str, str]:
        """The sentences that are given, by their keys, in order."""
        return {name: text for name in type(self).model_fields if (text := getattr(self, name))}

    @property
    def parts_to_look_at(self) -> list[tuple[str, str]]:
        """The kind and the id of each part that `look` names, in order."""
        return [(kind.lower(), name) for kind, name in MENTION.findall(self.look)]


def placeholders_of(line: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the placeholders of a line, each with its words."""
    for match in PLACEHOLDER.finditer(line):
        kind, *words = match[1].split() or [""]
        yield kind, words


def check_findings(
    findings: Sequence[FindingConfig],
    abstract: AbstractConfig | None,
    claims: Sequence[ClaimConfig],
    tables: Sequence[TableConfig],
    rows: Mapping[str, Sequence[str]],
    source: YamlSource,
) -> None:
    """Refuse lines with digits of their own, and placeholders that name nothing.

    `rows` has the rows of each table, those that sum it up among them, by its id.
    """
    named = [claim.id for claim in claims]
    named += [f"{one.id}/{n}" for one in claims for n in range(1, len(one.tests) + 1)]
    columns = {table.id: [column.name for column in table.columns] for table in tables}
    sentences = abstract.sentences if abstract is not None else {}
    lines: dict[Location, str] = {("abstract", name): text for name, text in sentences.items()}
    for index, finding in enumerate(findings):
        lines |= {("findings", index, "adds", at): line for at, line in enumerate(finding.adds)}
    for location, line in lines.items():
        _check_line(line, location, source)
        for kind, words in placeholders_of(line):
            if kind not in PLACEHOLDERS or len(PLACEHOLDERS[kind]) != len(words):
                placeholder = f"{{{' '.join((kind, *words))}}}"
                message = f"unknown placeholder {placeholder}; accepted: {ACCEPTED}"
                source.refuse(location, message)
                continue
            accepted = {"CLAIM": named, "TABLE": list(columns), "SIGN": tuple(SIGNS.values())}
            for what, word in zip(PLACEHOLDERS[kind], words, strict=True):
                known, noun = accepted.get(what), what.lower()
                if known is None:
                    known = (rows if what == "ROW" else columns).get(words[0])
                    noun = f"{noun} of table {words[0]}"
                if known is not None:  # else the table is unknown
                    at: Location = ("claims" if what == "CLAIM" else "tables",)
                    source.must_be_one_of(location, noun, word, known, named_at=at)


def _check_line(line: str, location: Location, source: YamlSource) -> None:
    """Refuse a line with digits of its own."""
    rest = line
    for pattern in (PLACEHOLDER, _CODE, _PART, _NAME):
        rest = pattern.sub(" ", rest)
    if digit := re.search(r"\d[\d.,]*", rest):
        message = f"the number {digit[0]!r} must come from the records; accepted: "
        source.refuse(location, message + ACCEPTED)
