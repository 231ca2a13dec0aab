"""What the tests of figures share."""

import re
from xml.sax.saxutils import unescape

import pytest

from ensvm.report.plots.drawing import draw, read_figure


@pytest.fixture(scope="session")
def texts_of():
    """Return a function that draws a figure of a study and returns the texts in it."""

    def texts(study, figure):
        (svg,) = draw(study, read_figure(study, figure), [".svg"])
        return set(map(unescape, re.findall(r"<text[^>]*>(.+?)</text>", svg.decode())))

    return texts
