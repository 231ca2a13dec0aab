"""Pictures of the lecture: on slides they are wider, and all that is written is larger."""

import re

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

from ensvm import LinearSMO
from ensvm.notebook.plotting import SIZES, finish, look, panels, show_plane, use_look

matplotlib.use("Agg")
X = np.array([[0.0, 0.0], [1.0, 0.2], [3.0, 3.0], [4.0, 3.5]])
y = np.array([-1, -1, 1, 1])
LONG = "share of examples with at most this margin"


def drawn(size, count):
    """Return a picture with panels of a line and of a plane, and the widths of its lines."""
    with matplotlib.rc_context():
        use_look(size)
        axes = panels(count)
        for axis in axes[1:]:
            show_plane(axis, LinearSMO(), X, y, title="a plane of two classes")
        (line,) = axes[0].plot([0, 1], [0, 1], label="a line", **look(1))
        finish(axes[0], "members of the ensemble", LONG, "a title")
        figure = axes[0].figure
        figure.canvas.draw()
        texts = [text for text in figure.findobj(matplotlib.text.Text) if text.get_text()]
        sizes = {text.get_text(): text.get_fontsize() for text in texts}
        (width, height), outside = figure.bbox.size, []
        for text in texts:
            box, has_letters = text.get_window_extent(), re.search("[a-z]", text.get_text())
            if has_letters and not (min(box.p0) >= -1 and all(box.p1 <= (width + 1, height + 1))):
                outside.append(text.get_text())  # numbers beyond an axis are not drawn
        pyplot.close(figure)
        return figure.get_size_inches(), sizes, line.get_linewidth(), outside


@pytest.mark.parametrize("count", [1, 2, 3])
def test_slides_are_twice_as_wide_and_letters_grow_more(count):
    (page, page_letters, page_line, _), (slides, letters, line, outside) = (
        drawn(size, count) for size in SIZES
    )
    assert slides[0] == 2 * page[0]
    assert line > 2 * page_line
    shared = page_letters.keys() & letters.keys()
    assert {"a title", "a line"} <= shared
    assert all(letters[text] > 2 * page_letters[text] for text in shared)
    assert outside == []


@pytest.mark.parametrize("size", SIZES)
def test_a_legend_lies_on_no_panel_and_powers_are_plain_text(size):
    with matplotlib.rc_context():
        use_look(size)
        axes = panels(2)
        for number, axis in enumerate(axes):
            axis.semilogx([1, 10, 1000], [0.1, 0.4, 0.2], label=f"line {number}", **look(number))
        finish(axes[0], "rounds", "error")
        figure = axes[0].figure
        figure.draw_without_rendering()
        (legend,) = figure.legends
        assert all(axis.get_legend() is None for axis in axes)
        bottom = min(axis.get_window_extent().y0 for axis in axes)
        assert legend.get_window_extent().y1 < bottom
        assert "10¹" in [label.get_text() for label in axes[0].get_xticklabels()]
        pyplot.close(figure)


def test_a_wrong_size_is_answered_with_those_there_are():
    with pytest.raises(ValueError, match=r"'slide'.*did you mean 'slides'") as error:
        use_look("slide")
    assert all(repr(size) in str(error.value) for size in SIZES)
