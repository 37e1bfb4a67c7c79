"""What one program writes, another reads: pairs that agree, and each way in which they may not."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance import ROOT
from conformance.crossing import cross, table, to_write
from conformance.subject import Subject
from conformance.vectors import Vector

FORMAT = "leveldb-log"
PROGRAM = """
import json, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import named
log = named("leveldb-log")
for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "bye":
        break
    if request["cmd"] == "hello":
        reply = {{"name": "it", "version": "1", "language": "Python", "formats": ["leveldb-log"],
                 "profiles": {profiles!r}, "reports": ["records", "signals"]}}
    elif request["cmd"] == "write":
        records = request["records"]
        {write}
        made = [NewRecord(bytes.fromhex(one["payload"]), one) for one in records]
        log.write(Path(request["path"]), made, request["context"])
        reply = {{"seq": request["seq"], "done": True}}
    else:
        answer = collect(log.read(Path(request["path"]), "recover", {{}})).to_json()
        answer = {{"records": answer["records"], "signals": []}}
        {read}
        reply = {{"seq": request["seq"], "answer": answer}}
    print(json.dumps(reply), flush=True)
"""


def program(
    folder: Path, name: str, write: str = "pass", read: str = "pass", writes: bool = True
) -> Subject:
    """A program that writes and reads as the executable specification does, but for two lines."""
    profiles = ["recover", "write"] if writes else ["recover"]
    script = folder / f"{name}.py"
    script.write_text(PROGRAM.format(root=str(ROOT), profiles=profiles, write=write, read=read))
    return Subject(name, name, [sys.executable, str(script)], isolated=False)


@pytest.fixture
def two(vectors: Mapping[str, Vector]) -> list[Vector]:
    return sorted(to_write(vectors.values(), FORMAT), key=lambda one: one.body["size"])[:2]


def test_only_records_that_make_a_sound_log_are_written(vectors: Mapping[str, Vector]) -> None:
    chosen = to_write(vectors.values(), FORMAT)
    assert len(chosen) > 5
    assert all(one.body["expect"]["verdict"] == "intact" for one in chosen)
    assert not any(one.body.get("must_refuse") for one in chosen)


def test_who_agrees_has_the_same_of_all(tmp_path: Path, two: list[Vector]) -> None:
    one, other = program(tmp_path, "one"), program(tmp_path, "other", writes=False)
    crossing = asyncio.run(cross(FORMAT, [one, other], two))
    assert [(pair.writer, pair.reader, pair.same, pair.differ) for pair in crossing.pairs] == [
        ("one", "one", 2, []),
        ("one", "other", 2, []),
    ]
    assert crossing.not_written == {"one": {}}


@pytest.mark.parametrize(
    ("read", "word"),
    [
        ("answer['records'].append({'payload': 'ff'})", "records:"),
        ("answer['signals'].append('damage!')", "signals:"),
        ("sys.exit(7)", "exit status 7"),
    ],
)
def test_a_reader_that_differs_is_named(
    tmp_path: Path, two: list[Vector], read: str, word: str
) -> None:
    wrong = program(tmp_path, "wrong", read=read, writes=False)
    crossing = asyncio.run(cross(FORMAT, [program(tmp_path, "one"), wrong], two))
    (pair,) = [pair for pair in crossing.pairs if pair.reader == "wrong"]
    assert pair.same == 0
    assert [vector for vector, _ in pair.differ] == [one.id for one in two]
    assert word in pair.differ[0][1]
    said = [line for line in table(crossing) if line.startswith("✗")]
    assert len(said) == 1
    assert said[0].startswith(f"✗ one → wrong: {two[0].id}: ")
    assert said[0].endswith("(and 1 more)")


def test_a_writer_that_loses_a_record_differs_for_every_reader(
    tmp_path: Path, vectors: Mapping[str, Vector]
) -> None:
    several = [one for one in to_write(vectors.values(), FORMAT) if len(one.body["records"]) > 1]
    loses = program(tmp_path, "loses", write="del records[-1]")
    sound = program(tmp_path, "sound")
    crossing = asyncio.run(cross(FORMAT, [loses, sound], several[:1]))
    same = {(pair.writer, pair.reader): pair.same for pair in crossing.pairs}
    assert same == {
        ("loses", "loses"): 0,
        ("sound", "loses"): 1,
        ("loses", "sound"): 0,
        ("sound", "sound"): 1,
    }


def test_a_writer_that_dies_is_told_and_no_pair_counts_it(
    tmp_path: Path, two: list[Vector]
) -> None:
    first = two[0].records_to_write()
    dies = program(tmp_path, "dies", write=f"records == {first!r} and sys.exit(3)")
    crossing = asyncio.run(cross(FORMAT, [dies], two))
    assert list(crossing.not_written["dies"]) == [two[0].id]
    assert [pair.same for pair in crossing.pairs] == [1]
    assert any(line.startswith("- dies did not write 1: ") for line in table(crossing))


def test_nobody_who_writes_is_said(tmp_path: Path, two: list[Vector]) -> None:
    reads = program(tmp_path, "reads", writes=False)
    crossing = asyncio.run(cross(FORMAT, [reads], two))
    assert crossing.pairs == []
    assert table(crossing) == [f"{FORMAT}: nobody here writes a log of given records"]
