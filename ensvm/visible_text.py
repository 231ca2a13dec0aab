"""Text from a file, a config or a record, made safe to show: nothing in it acts unseen."""

import re

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
# Controls of terminals (C0 but for tabs and line feeds, DEL, C1), separators of lines that only
# some programs know, controls that reorder what follows, and halves of characters, which no file
# can hold. Joiners stay: emoji and several scripts are written with them.
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Return a text in which characters that act on a screen or page stand as U+FFFD.

    Tabs and line feeds stay; a carriage return becomes a line feed.

    Examples
    --------
    >>> visible("a label\x1b]0;x\x07")
    'a label�]0;x�'
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return ACTING.sub(REPLACEMENT, lines)
