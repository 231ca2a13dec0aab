"""Coverage: what a paper has to be reproduced, and by what each item is, or why it is not."""

import re
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import model_validator

from ensvm.study.block import Block, Names
from ensvm.study.source import Location, YamlSource

# What an item is covered by: a thing of the study or, with `of`, of another study of the same
# paper, or the tests in a file.
REFERENCE = re.compile(
    r"(?P<kind>table|figure|claim|reading|assumption) (?P<id>\S+)(?: of (?P<study>\S+))?"
    r"|test (?P<path>tests/(?:\w+/)*\w+\.py)"
)
ACCEPTED = (
    "'table ID', 'figure ID', 'claim ID', 'reading ID', 'assumption ID', each also with "
    "' of STUDY', or 'test tests/path.py'"
)


class CoverageConfig(Block):
    """One item of the paper: a table, a figure, an experiment or a sentence that can be tested.

    Attributes
    ----------
    item : str
        What it is, in the paper's own terms.
    by : tuple of str
        What covers it, such as `table 1`, `claim x of another-study` or `test tests/test_x.py`.
    not_covered : str or None
        In place of `by`, the reason why nothing does.
    """

    item: str
    by: Names = ()
    not_covered: str | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if bool(self.by) == (self.not_covered is not None):
            raise ValueError(
                "give either `by:`, what covers it, or `not_covered:`, why nothing does"
            )
        return self


def check_coverage(
    coverage: Sequence[CoverageConfig], known: Mapping[str, Sequence[str]], source: YamlSource
) -> None:
    """Refuse items given twice, and what covers them where the study has no such thing.

    Parameters
    ----------
    coverage : sequence of CoverageConfig
        The items.
    known : mapping of str to sequence of str
        The ids of the study's tables, figures, claims, readings and assumptions, by kind. What
        another study has is not looked up: a folder of results has one study's config alone.
    source : YamlSource
        The config's text.
    """
    source.must_be_distinct("coverage", "item", [entry.item for entry in coverage], "item")
    for index, entry in enumerate(coverage):
        for number, text in enumerate(entry.by):
            where: Location = ("coverage", index, "by", number)
            found = REFERENCE.fullmatch(text)
            if found is None:
                raise source.error(where, f"{text!r} names nothing; accepted: {ACCEPTED}")
            kind = found["kind"]
            if kind is not None and found["study"] is None:
                source.must_be_one_of(where, kind, found["id"], known[kind])
