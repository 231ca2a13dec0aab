"""Whatever is done to a table, it is refused by one message or drafted as a data set that loads."""

import random
from pathlib import Path

import pytest

from ensvm.data import load
from ensvm.drafting.config_text import write_config
from ensvm.drafting.draft import draft_study
from ensvm.errors import UserError
from ensvm.runner.plan import make_plan

LINES = [f"{i * i % 17},{'xy'[i % 2]},{1 + i % 2}.5,{'pq'[i % 2]}" for i in range(24)]
TABLE = "\n".join(["a,b,c,label", *LINES, ""]).encode()
PIECES = [
    *(b",", b";", b"\n", b'"', b"\r\n", b"\t", b"1", b"-1.5", b"1,5", b"NA", b"?", b"yes", b"no"),
    *(b"\xe9", b"\xff", b"\0", b" ", b"2020-01-01", b"1e400", b"nan", b"'", b"{", b"#", b": "),
    *(b"- ", b"&a", b"*a", b"!!", b"|", b"~", b"[", b"\xc3\xa9", b"\xe2\x80\xae", b"1_0", b"True"),
    *(b"1.234,5", b"0x1", b"\x85", b"\xa0", b"001", b"+1", b"1.0", b"off"),
]


def damaged(draw: random.Random) -> bytes:
    """Return the table with pieces put in, taken out and replaced."""
    data = TABLE.replace(b",", draw.choice([b",", b",", b";", b"\t", b" "]))
    for _ in range(draw.choice([1, 2, 5, 20])):
        at, how = draw.randrange(len(data)), draw.random()
        if how < 0.5:
            data = data[:at] + draw.choice(PIECES) + data[at:]
        elif how < 0.7:
            data = data[:at] + data[at + draw.randrange(1, 6) :]
        elif how < 0.9:
            found = draw.choice([b"x", b"1.5", b"p", b",", b"\n", b"label", b"a"])
            data = data.replace(found, draw.choice(PIECES), draw.choice([1, -1]))
        else:
            data = data[: at + 1]
    return data or b"a"


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_table_is_refused_or_loads(seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("own.csv")
    path.write_bytes(damaged(random.Random(seed)))
    try:
        draft = draft_study(path)
    except UserError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert refusal.startswith("own.csv")
        return
    write_config(draft)
    card = make_plan(draft.config).cards["own"]
    assert card.classes == draft.classes
    parts = load(card).realization(1)
    assert len(parts.y_train) + len(parts.y_test) == card.rows
