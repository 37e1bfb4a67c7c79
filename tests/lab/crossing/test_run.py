"""Pairs of a writer and a reader that agree, or that differ in each possible way."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance import ROOT
from conformance.subject import Subject
from conformance.vectors import Vector
from lab.crossing.logs import Wanted, added_logs, of_vectors, wanted
from lab.crossing.run import Crossing, Pair, counts, cross

FORMAT = "leveldb-log"
PROGRAM = """
import os, sys
sys.path.insert(0, {root!r})
from conformance.adapterkit import serve
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import named
log = named("leveldb-log")
def reads(path, request):
    records = collect(log.read(path, "recover", {{}})).to_json()["records"]
    answer = {{"records": records, "signals": []}}
    {read}
    return answer
def writes(path, request):
    records = request["records"]
    {write}
    made = [NewRecord(bytes.fromhex(each["payload"]), each) for each in records]
    log.write(path, made, request["context"])
serve({{"name": "it", "version": "1", "formats": ["leveldb-log"], "profiles": {profiles!r},
        "reports": ["records", "signals"]}}, reads, writes)
"""


def program(
    folder: Path, name: str, write: str = "pass", read: str = "pass", writes: bool = True
) -> Subject:
    """Return a program that is the executable specification with two inserted lines."""
    profiles = ["recover", "write"] if writes else ["recover"]
    script = folder / f"{name}.py"
    script.write_text(PROGRAM.format(root=str(ROOT), profiles=profiles, write=write, read=read))
    return Subject(name, name, [sys.executable, str(script)], isolated=False)


@pytest.fixture
def two(vectors: Mapping[str, Vector]) -> list[Wanted]:
    return sorted(of_vectors(vectors.values(), FORMAT), key=lambda each: len(str(each.records)))[:2]


def test_only_records_that_make_a_sound_log_are_written(vectors: Mapping[str, Vector]) -> None:
    chosen = of_vectors(vectors.values(), FORMAT)
    assert len(chosen) > 5
    assert all(vectors[each.id].body["expect"]["verdict"] == "intact" for each in chosen)
    assert not any(vectors[each.id].body.get("must_refuse") for each in chosen)


def test_a_format_may_add_logs_of_its_own(vectors: Mapping[str, Vector]) -> None:
    assert added_logs(FORMAT) == []
    added = added_logs("systemd-journal")
    assert wanted(vectors.values(), "systemd-journal")[-len(added) :] == added
    assert len({each.id for each in added}) == len(added)


@pytest.mark.parametrize(
    ("read", "word"),
    [
        ("answer['records'].append({'payload': 'ff'})", "records:"),
        ("answer['signals'].append('damage!')", "signals:"),
        ("os._exit(7)", "exit status 7"),
    ],
)
def test_a_reader_that_differs_is_named(
    tmp_path: Path, two: list[Wanted], read: str, word: str
) -> None:
    wrong = program(tmp_path, "wrong", read=read, writes=False)
    crossing = cross(FORMAT, [program(tmp_path, "one")], [wrong], two)
    (pair,) = crossing.pairs
    assert pair.same == []
    assert [log for log, _ in pair.differ] == [each.id for each in two]
    assert word in pair.differ[0][1]


def test_a_writer_that_loses_a_record_differs_for_every_reader(
    tmp_path: Path, vectors: Mapping[str, Vector]
) -> None:
    several = [each for each in of_vectors(vectors.values(), FORMAT) if len(each.records) > 1]
    loses = program(tmp_path, "loses", write="del records[-1]")
    sound = program(tmp_path, "sound")
    crossing = cross(FORMAT, [loses, sound], [loses, sound], several[:1])
    same = {(pair.writer, pair.reader): len(pair.same) for pair in crossing.pairs}
    assert same == {
        ("loses", "loses"): 0,
        ("sound", "loses"): 1,
        ("loses", "sound"): 0,
        ("sound", "sound"): 1,
    }


def test_a_crashing_writer_is_reported_and_not_counted(tmp_path: Path, two: list[Wanted]) -> None:
    first = list(two[0].records)
    dies = program(tmp_path, "dies", write=f"records == {first!r} and os._exit(3)")
    crossing = cross(FORMAT, [dies], [dies], two)
    assert list(crossing.not_written["dies"]) == [two[0].id]
    assert [pair.same for pair in crossing.pairs] == [[two[1].id]]


def test_equal_counts_of_a_reader_are_joined() -> None:
    pairs = [Pair("a", "r", ["x"]), Pair("b", "r", ["x"]), Pair("c", "r", [], [("x", "other")])]
    assert list(counts(Crossing(FORMAT, pairs))) == [("r", "1/1 of a, b; 0/1 of c")]
