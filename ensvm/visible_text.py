"""Text from a file, a config or a record, made safe to show: nothing in it acts unseen."""

import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Ends of lines that some programs know and others do not
LINE_ENDS = re.compile("\r\n|[\r\x85\u2028\u2029]")
# Controls of terminals (C0 but for tabs and line feeds, DEL, C1), controls that reorder what
# follows, and halves of characters, which no file can hold. Joiners stay: emoji and several scripts
# are written with them.
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return a text in which characters that act on a screen or page stand as U+FFFD.

    Tabs and line feeds stay; other ends of lines become line feeds.

    Examples
    --------
    >>> visible("a label\x1b]0;x\x07")
    'a label�]0;x�'
    """
    return ACTING.sub(REPLACEMENT, LINE_ENDS.sub("\n", text))
