"""Draws the house: its rooms, and the imports between them that no longer way implies."""

from importlib import import_module
from pathlib import Path
from textwrap import wrap
from xml.sax.saxutils import escape

import grimp

# Where each room stands: column and row
ROOMS = {
    "ensvm_cli": (0, 0),
    "ensvm.notebook": (0, 1),
    "ensvm.report": (0, 2),
    "ensvm.runner": (1, 2),
    "ensvm.study": (0, 3),
    "ensvm.records": (0, 4),
    "ensvm.data": (0, 5),
    "ensvm.experiments": (1, 3),
    "ensvm.classifiers": (1, 4),
    "ensvm.solvers": (1, 5),
    "ensvm.kernels": (1, 6),
}
ALGORITHMS = ("ensvm.experiments", "ensvm.classifiers", "ensvm.solvers", "ensvm.kernels")
# Single files below all rooms, which any of them may import
FOUNDATION = ("atomic_write", "compiled", "errors", "memory", "seeds", "shipped", "__main__")
WIDTH, HEIGHT, ACROSS, DOWN, EDGE = 400, 64, 470, 106, 20


def imports_between_rooms() -> set[tuple[str, str]]:
    """Return the pairs of rooms of which the first imports the second."""
    graph = grimp.build_graph("ensvm", "ensvm_cli")
    edges = set()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            pair = room_of(module), room_of(imported)
            if all(pair) and pair[0] != pair[1]:
                edges.add(pair)
    return edges


def room_of(module: str) -> str:
    """Return the room of a module; empty for the package itself and the files below all rooms."""
    first, _, rest = module.partition(".")
    part = rest.partition(".")[0]
    if first == "ensvm_cli":
        return first
    if not part or part in FOUNDATION:
        return ""
    room = f"{first}.{part}"
    if room not in ROOMS:
        raise ValueError(f"{room}: a new room; say in {Path(__file__).name} where it stands")
    return room


def without_implied(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Leave out each import that a longer way of imports implies."""
    reached = set(edges)
    for _ in ROOMS:
        reached |= {(a, d) for a, b in reached for c, d in reached if b == c}
    return {
        (a, b)
        for a, b in edges
        if not any((a, between) in reached and (between, b) in reached for between in ROOMS)
    }


def picture() -> str:
    """Return the picture as SVG."""
    rows = max(row for _, row in ROOMS.values()) + 1
    width, height = ACROSS + WIDTH + 2 * EDGE, (rows - 1) * DOWN + HEIGHT + 2 * EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="sans-serif">',
        "<title>The rooms of ensvm; an arrow leads from a room to one that it imports</title>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" '
        'markerHeight="9" orient="auto"><path d="M0 0 8 4 0 8z" fill="#444"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    lanes = iter(range(EDGE + WIDTH + 26, EDGE + ACROSS, 16))
    for a, b in sorted(without_implied(imports_between_rooms())):
        way = _way(a, b) if ROOMS[b][1] == ROOMS[a][1] + 1 else _way_around(a, b, next(lanes))
        parts.append(
            f'<path d="{way}" fill="none" stroke="#444" stroke-width="1.5" '
            'marker-end="url(#head)"/>'
        )
    for room in ROOMS:
        x, y = _corner(room)
        summary = (import_module(room).__doc__ or "").partition("\n")[0].replace("`", "")
        first, second = [*wrap(summary, 61, break_on_hyphens=False), ""][:2]
        fill = "#f6f1e7" if room in ALGORITHMS else "#eef4fb"
        parts += [
            f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{fill}" '
            'stroke="#888"/>',
            f'<text x="{x + 12}" y="{y + 20}" font-size="15" font-weight="bold">'
            f"{'cli' if room == 'ensvm_cli' else room.replace('.', '/')}/</text>",
            f'<text x="{x + 12}" y="{y + 38}" font-size="12.5">{escape(first)}</text>',
            f'<text x="{x + 12}" y="{y + 54}" font-size="12.5">{escape(second)}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def _corner(room: str) -> tuple[int, int]:
    column, row = ROOMS[room]
    return EDGE + column * ACROSS, EDGE + row * DOWN


def _way(a: str, b: str) -> str:
    """Return the straight way from a room to one in the next row."""
    (xa, ya), (xb, yb) = _corner(a), _corner(b)
    shift = (xb > xa) * WIDTH // 4 - (xb < xa) * WIDTH // 4
    return f"M{xa + WIDTH // 2 + shift} {ya + HEIGHT} L{xb + WIDTH // 2 - shift} {yb}"


def _way_around(a: str, b: str, lane: int) -> str:
    """Return the way from a room to one further below, down a lane between the columns."""
    (xa, ya), (xb, yb) = _corner(a), _corner(b)
    begin, end = (x + WIDTH if x < lane else x for x in (xa, xb))
    return f"M{begin} {ya + HEIGHT // 2} H{lane} V{yb + HEIGHT // 2} H{end}"
