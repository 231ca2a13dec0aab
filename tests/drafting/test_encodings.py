"""The encoding of a table: `init` says what it takes it for, and reads the letters that it has."""

import sys
from itertools import cycle, islice
from pathlib import Path

import pytest

from ensvm.drafting.config_text import write_config
from ensvm.drafting.draft import draft_study
from ensvm.errors import UserError
from ensvm.runner.plan import make_plan

ASIAN = {
    "gb18030": ["北京", "上海市", "广州", "深圳特区", "重庆", "健康", "患病"],
    "gbk": ["北京", "上海市", "广州", "深圳特区", "重庆", "健康", "患病"],
    "big5": ["臺北", "高雄市", "臺中", "花蓮縣", "新竹", "健康", "患病"],
    "shift_jis": ["東京", "データ", "おおさか", "カテゴリ", "横浜市", "健康です", "びょうき"],
    "euc_jp": ["東京", "データ", "おおさか", "カテゴリ", "横浜市", "健康です", "びょうき"],
    "euc_kr": ["서울", "부산광역시", "대구", "인천", "광주", "건강하다", "아프다"],
}
OTHERS = {
    "cp1251": ["Москва", "Казань", "Новосибирск", "Екатеринбург", "Самара", "здоров", "болен"],
    "koi8_r": ["Москва", "Казань", "Новосибирск", "Екатеринбург", "Самара", "здоров", "болен"],
    "cp1253": ["Αθήνα", "Θεσσαλονίκη", "Πάτρα", "Ηράκλειο", "Λάρισα", "υγιής", "ασθενής"],
}
WESTERN = {
    "cp1252": ["Köln", "München", "Düsseldorf", "Orléans", "Málaga", "früh", "spät"],
    "latin-1": ["São Paulo", "Århus", "Besançon", "Coruña", "Zürich", "häufig", "nie"],
    "iso8859_15": ["90 °C", "5 µm", "Îles", "Forêt", "naïf", "élevé", "peu"],
}


def written(encoding, words):
    """Write a table whose header, values and classes are words, and return its draft."""
    *values, yes, no = words
    rows = [
        f"{i * 37 % 101},{value},{yes if i % 2 else no}"
        for i, value in enumerate(islice(cycle(values), 60))
    ]
    text = "\n".join([f"x,{values[0]},class", *rows, ""])
    Path("own.csv").write_bytes(text.encode(encoding))


@pytest.mark.parametrize("encoding", [*ASIAN, *OTHERS])
def test_letters_that_are_not_western_are_recognised_or_doubted(encoding, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = {**ASIAN, **OTHERS}[encoding]
    written(encoding, words)
    draft = draft_study(Path("own.csv"))
    doubts = [alarm for alarm in draft.alarms if "--encoding NAME reads it as another" in alarm]
    assert len(doubts) == 1
    read_as = draft.block.get("format", {}).get("encoding")
    assert f"read as {read_as}" in doubts[0]
    if encoding in ASIAN or encoding == "cp1251":
        assert set(draft.classes) == set(words[-2:])
    write_config(draft)
    assert make_plan(draft.config).cards["own"].classes == draft.classes


@pytest.mark.parametrize("encoding", WESTERN)
def test_western_letters_are_read_as_windows_does_and_that_is_said(encoding, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(encoding, WESTERN[encoding])
    draft = draft_study(Path("own.csv"))
    assert set(draft.classes) == set(WESTERN[encoding][-2:])
    assert "Windows-1252 (assumed, since it is not UTF-8)" in draft.written_as
    assert not [alarm for alarm in draft.alarms if "--encoding" in alarm]


@pytest.mark.parametrize("encoding", [*ASIAN, *OTHERS, *WESTERN, "utf-8", "utf-16", "utf-16-le"])
def test_the_encoding_that_a_user_names_is_the_one(encoding, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = {**ASIAN, **OTHERS, **WESTERN}.get(encoding, ASIAN["gbk"])
    written(encoding, words)
    draft = draft_study(Path("own.csv"), written={"encoding": encoding})
    assert set(draft.classes) == set(words[-2:])
    assert "assumed" not in draft.written_as
    write_config(draft)
    card = make_plan(draft.config).cards["own"]
    assert card.classes == draft.classes
    assert words[0] in (card.inputs or {})


def test_a_text_in_another_encoding_than_named_is_refused_with_its_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written("cp1252", WESTERN["cp1252"])
    with pytest.raises(UserError, match=r"own.csv, line 1: is not UTF-8 text"):
        draft_study(Path("own.csv"), written={"encoding": "utf-8"})


def test_without_a_detector_the_text_is_doubted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    written("cp1251", OTHERS["cp1251"])
    draft = draft_study(Path("own.csv"))
    assert any("and is read as Windows-1252" in alarm for alarm in draft.alarms)
