"""The recovery table of the facts, row by row: surviving records by flushed index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from crc32c import crc32c

from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.zeebe_journal.reader import read
from reference_impl.zeebe_journal.writer import pack_descriptor, write

Files = dict[str, bytearray]
Damage = Callable[[Files], None]
ONE, TWO, THREE, FOUR = (f"journal-{n}.log" for n in (1, 2, 3, 4))
# Two records of four bytes in each segment.
SIZE = 57 + 2 * 53 + 10


def _journal(folder: Path) -> Files:
    records = [NewRecord(b"%04d" % n, {"asqn": str(n)}) for n in range(1, 7)]
    write(folder, records, {"max_segment_size": SIZE})
    return {path.name: bytearray(path.read_bytes()) for path in folder.iterdir()}


def _read(folder: Path, damage: Damage, flushed: int | None) -> Answer:
    files = _journal(folder)
    damage(files)
    for path in list(folder.iterdir()):
        path.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    answer = collect(read(folder, "recover", {"last_flushed_index": flushed}))
    for name, data in files.items():
        assert (folder / name).read_bytes() == data  # a reader never writes
    return answer


def _set(name: str, at: int, new: bytes, reseal: int | None = None) -> Damage:
    def damage(files: Files) -> None:
        files[name][at : at + len(new)] = new
        if reseal is not None:
            length = int.from_bytes(files[name][reseal + 17 : reseal + 21], "little", signed=True)
            data = bytes(files[name][reseal + 21 : reseal + 21 + length])
            files[name][reseal + 9 : reseal + 17] = crc32c(data).to_bytes(8, "little")

    return damage


def _remove(*names: str) -> Damage:
    def damage(files: Files) -> None:
        for name in names:
            del files[name]

    return damage


def _copy(name: str, to: str) -> Damage:
    return lambda files: files.__setitem__(to, bytearray(files[name]))


def _cut(name: str, at: int) -> Damage:
    return lambda files: files.__setitem__(name, files[name][:at])


R5, R6 = 57, 110  # the records of the third segment

TORN, INTACT, DAMAGED = "torn", "intact", "damaged"
TAIL = [
    ("bad checksum", _set(THREE, R6 + 9, b"\0"), 5, TORN, "checksum-mismatch"),
    ("bad metadata header", _set(THREE, R6 + 5, b"\x09"), 5, TORN, "bad-header"),
    ("length beyond the end", _set(THREE, R6 + 17, b"\xff\x7f"), 5, TORN, "bad-length"),
    ("negative length", _set(THREE, R6 + 20, b"\x80"), 5, TORN, "bad-length"),
    ("frame zeroed", _set(THREE, R6, b"\0"), 5, INTACT, "missing-records"),
    ("frame then zeros", _set(THREE, R6 + 1, bytes(52)), 5, TORN, "bad-header"),
    ("cut in the record", _cut(THREE, R6 + 30), 5, TORN, "torn-record"),
    ("last data segment missing", _remove(THREE), 4, INTACT, "missing-records"),
    ("last segment zeroed", _set(THREE, 0, bytes(SIZE)), 4, INTACT, "missing-records"),
    ("middle segment missing", _remove(TWO), 2, TORN, "segment-gap"),
    ("overlapping segment", _copy(ONE, THREE), 4, TORN, "segment-overlap"),
    ("empty second file", _cut(TWO, 0), 2, TORN, "zero-segment"),
    ("partial descriptor", _cut(TWO, 30), 2, TORN, "torn-descriptor"),
    ("descriptor of version 3", _set(TWO, 0, b"\x03"), 2, TORN, "unknown-version"),
    ("descriptor of version 0", _set(TWO, 0, b"\0"), 2, TORN, "unknown-version"),
    ("descriptor checksum", _set(TWO, 9, b"\0"), 2, TORN, "descriptor-checksum"),
    ("descriptor schema", _set(TWO, 5, b"\xf8"), 2, TORN, "bad-descriptor"),
    ("first descriptor", _set(ONE, 9, b"\0"), 0, TORN, "descriptor-checksum"),
    ("no segments at all", _remove(ONE, TWO, THREE, FOUR), 0, INTACT, "missing-records"),
]


@pytest.mark.parametrize(("row", "damage", "left", "verdict", "reason"), TAIL)
def test_unflushed_records_may_be_missing(
    tmp_path: Path, row: str, damage: Damage, left: int, verdict: str, reason: str
) -> None:
    for flushed in (left, None):
        answer = _read(tmp_path / str(flushed), damage, flushed)
        assert (answer.verdict, len(answer.records)) == (verdict, left)
        assert answer.reason == (reason if verdict == TORN else None)
        assert answer.end is not None


@pytest.mark.parametrize(("row", "damage", "left", "verdict", "reason"), TAIL)
def test_flushed_records_must_be_present(
    tmp_path: Path, row: str, damage: Damage, left: int, verdict: str, reason: str
) -> None:
    answer = _read(tmp_path / "j", damage, left + 1)
    assert (answer.verdict, answer.reason, len(answer.records)) == (DAMAGED, reason, left)
    assert answer.end is None
    assert answer.lost


@pytest.mark.parametrize("flushed", [None, 1, 6])
@pytest.mark.parametrize(
    ("damage", "left", "reason"),
    [
        (_set(THREE, R6 + 29, b"\x07", reseal=R6), [1, 2, 3, 4, 5], "index-mismatch"),
        (_set(THREE, R6 + 45, b"\x05", reseal=R6), [1, 2, 3, 4, 5], "data-length"),
        (_set(THREE, R6 + 25, b"\x08", reseal=R6), [1, 2, 3, 4, 5], "data-header"),
        (_set(THREE, R5 + 37, b"\x01", reseal=R5), [1, 2, 3, 4, 6], "asqn-order"),
        (_set(ONE, 57 + 49, b"X"), [3, 4, 5, 6], "checksum-mismatch"),
        (_set(TWO, 110 + 49, b"X"), [1, 2, 3, 5, 6], "checksum-mismatch"),
        (_set(TWO, 57, b"\0"), [1, 2, 5, 6], "missing-records"),
    ],
)
def test_contradictions_are_always_damage(
    tmp_path: Path, damage: Damage, left: list[int], reason: str, flushed: int | None
) -> None:
    answer = _read(tmp_path / "j", damage, flushed)
    assert (answer.verdict, answer.reason) == (DAMAGED, reason)
    assert [int(r.payload) for r in answer.records] == left


@pytest.mark.parametrize(
    ("damage", "first"),
    [
        (_remove(ONE), 3),
        (_set(THREE, R6 + 53 + 1, b"\xff" * 9), 1),
        (_set(ONE, 0, pack_descriptor(7, 1, SIZE, (2, 110))), 1),
        (_set(ONE, 0, pack_descriptor(1, 1, SIZE, (2, 111))), 1),
        (_set(ONE, 0, pack_descriptor(1, 1, SIZE, (0, 0))), 1),
        (_copy(ONE, "journal-1.log_0-deleted"), 1),
        (_copy(ONE, "journal-02.log"), 1),
        (_remove(FOUR), 1),
    ],
)
def test_undamaged_journals(tmp_path: Path, damage: Damage, first: int) -> None:
    answer = _read(tmp_path / "j", damage, 6)
    assert answer.verdict == INTACT
    assert [int(r.payload) for r in answer.records] == list(range(first, 7))


def test_strict_reading_stops_at_the_first_damage(tmp_path: Path) -> None:
    folder = tmp_path / "j"
    _read(folder, _set(ONE, 110 + 49, b"X"), 6)
    answer = collect(read(folder, "strict", {"last_flushed_index": 6}))
    assert [int(r.payload) for r in answer.records] == [1]
    assert [(x.file, x.start, x.end) for x in answer.lost] == [
        (ONE, 110, SIZE),
        (TWO, 0, SIZE),
        (THREE, 0, SIZE),
        (FOUR, 0, SIZE),
    ]
    assert answer.end is None
