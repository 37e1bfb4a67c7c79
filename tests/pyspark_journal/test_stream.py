"""A stream returns each record of growing logs once, in batches of any size. No JVM is needed."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance import VECTORS
from conformance.recipes.etcd_wal.log import entry
from pyspark_journal.source import JournalDataSource
from pyspark_journal.stream import JournalStreamReader, Rewritten
from reference_impl.answer import Answer, NewRecord, Record, collect
from reference_impl.formats import FORMATS, named
from tests.lakes import mixed
from walproof.log_rows import SEVERITY

Rows = list[dict[str, Any]]


class Stream:
    """A streaming query that passes its offsets through JSON and collects rows in batches."""

    def __init__(self, path: Path, **options: Any) -> None:
        given = {key: str(value) for key, value in options.items()}
        self.source = JournalDataSource({"path": str(path), **given})
        self.offset: dict[str, Any] = {}
        self.rows: Rows = []
        self.batches: list[tuple[dict[str, Any], dict[str, Any], Rows]] = []
        self.restart()

    def restart(self) -> None:
        self.reader: JournalStreamReader = self.source.streamReader(self.source.schema())

    def read(self, start: dict[str, Any], end: dict[str, Any]) -> Rows:
        rows = []
        for partition in self.reader.partitions(start, end):
            for batch in self.reader.read(partition):
                rows += batch.to_pylist()
        return sorted(rows, key=lambda row: (row["file"], row["offset"] or 0))

    def batch(self) -> bool:
        """Read one batch; return False if there is no new data."""
        end = self.reader.latestOffset(self.offset, self.reader.getDefaultReadLimit())
        if end == self.offset:
            return False
        rows = self.read(self.offset, end)
        self.batches.append((self.offset, end, rows))
        self.rows += rows
        self.offset = end
        return True

    def all(self) -> Rows:
        """Read batches until there is no new data; return the rows of all batches so far."""
        while self.batch():
            assert len(self.batches) < 1000
        return self.rows

    def records(self) -> list[tuple[str, int, bytes]]:
        record_rows = [row for row in self.rows if row["kind"] == "record"]
        return [(row["file"], row["offset"], row["payload"]) for row in record_rows]


def record(format_id: str, number: int, rng: random.Random) -> NewRecord:
    payload = rng.randbytes(rng.choice([0, 3, 40, 500, 5_000]))
    if format_id == "systemd-journal":
        body = b"MESSAGE=" + payload.hex().encode() + b"\n"
        when = {"realtime": str(number + 1), "monotonic": str(number + 1), "boot_id": "01" * 16}
        return NewRecord(body, when)
    if format_id == "zmq-raft":
        return NewRecord(payload, {"index": str(number + 1), "term": "1"})
    if format_id == "etcd-wal":
        return entry(number + 1, payload)
    if format_id == "sqlite-wal":
        return NewRecord(rng.randbytes(512 * rng.choice([1, 1, 2])))
    return NewRecord(payload, {"asqn": str(number)} if format_id == "zeebe-journal" else {})


NAMES = {
    "leveldb-log": "000001.log",
    "zeebe-journal": "raft",
    "kahadb-journal": "store",
    "systemd-journal": "system.journal",
    "zmq-raft": "raft",
    "rocksdb-wal": "000001.log",
    "sqlite-wal": "database-wal",
    "etcd-wal": "0000000000000000-0000000000000000.wal",
    "prometheus-wal": "00000000",
}
CONTEXTS: dict[str, dict[str, Any]] = {
    "zeebe-journal": {"folder": True, "max_segment_size": 20_000},
    "kahadb-journal": {"folder": True, "max_file_length": 20_000},
    "zmq-raft": {"kind": "directory", "capacity": 8},
    "sqlite-wal": {"page_size": 512},
}


def answer(format_id: str, path: Path) -> Answer:
    return collect(named(format_id).read(path, "recover", {}))


def record_tuples(records: tuple[Record, ...], path: Path) -> list[tuple[str, int, bytes]]:
    return [(str(path / r.file) if r.file else str(path), r.at, r.payload) for r in records]


@pytest.mark.parametrize("limit", [None, 300])
@pytest.mark.parametrize("format_id", FORMATS)
def test_a_growing_log_is_followed(format_id: str, limit: int | None, tmp_path: Path) -> None:
    rng = random.Random(format_id)
    path = tmp_path / "logs" / NAMES[format_id]
    path.parent.mkdir()
    options = {} if limit is None else {"maxBytesPerTrigger": limit}
    stream = Stream(path.parent, **options)
    assert stream.all() == []
    form, context = named(format_id), CONTEXTS.get(format_id, {})
    number = 0
    for step in range(6):
        count = rng.randint(1, 12)
        records = [record(format_id, number + n, rng) for n in range(count)]
        number += count
        form.write(path, records, context) if step == 0 else form.append(path, records, context)
        if step % 2:
            stream.restart()
        stream.all()
        expected = record_tuples(answer(format_id, path).records, path)
        assert sorted(stream.records()) == sorted(expected)
        assert len(expected) == number
    if limit is not None:
        assert len(stream.batches) > 6
    # After a crash, Spark plans and reads the same batches again, although the log has grown.
    stream.restart()
    for start, end, rows in stream.batches:
        assert stream.read(start, end) == rows


@pytest.mark.parametrize("seed", range(12))
def test_bytes_may_arrive_singly(seed: int, tmp_path: Path) -> None:
    """A torn tail is held back until its record is complete, wherever the file ends until then."""
    rng = random.Random(seed)
    whole, path = tmp_path / "whole", tmp_path / "logs" / "000001.log"
    path.parent.mkdir()
    sizes = [rng.choice([0, 3, 40, 9_000, 40_000, 80_000]) for _ in range(20)]
    records = [NewRecord(rng.randbytes(size)) for size in sizes]
    named("leveldb-log").write(whole, records, {})
    data = whole.read_bytes()
    stream = Stream(path.parent)
    at = 0
    while at < len(data):
        at = min(len(data), at + rng.choice([1, 5, 7, 1_000, 32_768, 100_000]))
        path.write_bytes(data[:at])
        stream.batch()
        assert {row["kind"] for row in stream.rows} <= {"record"}
    assert [row["payload"] for row in stream.rows] == [record.payload for record in records]


@pytest.mark.parametrize("format_id", ["zeebe-journal", "kahadb-journal"])
def test_preallocated_files_are_followed(format_id: str, tmp_path: Path) -> None:
    """The zeros of a preallocated file turn into records while the file keeps its size."""
    rng = random.Random(format_id)
    whole = tmp_path / "whole"
    context = {**CONTEXTS[format_id], "max_segment_size": 200_000, "max_file_length": 200_000}
    records = [record(format_id, number, rng) for number in range(30)]
    named(format_id).write(whole, records, context)
    (file,) = [p for p in whole.iterdir() if p.suffix == ".log"]
    path = tmp_path / "logs" / "raft"
    shutil.copytree(whole, path)
    data = file.read_bytes()
    stream = Stream(path.parent, journalFormat=format_id)
    last = max(r.at + r.size for r in answer(format_id, whole).records)
    for at in [*sorted(rng.sample(range(64, last), 12)), len(data)]:
        (path / file.name).write_bytes(data[:at] + bytes(len(data) - at))
        stream.restart()
        stream.batch()
        assert {row["kind"] for row in stream.rows} <= {"record"}, at
    assert [row["payload"] for row in stream.rows] == [record.payload for record in records]


def leveldb(path: Path, count: int, size: int = 1_000) -> Path:
    path.parent.mkdir(exist_ok=True)
    records = [NewRecord(bytes([n % 256]) * size) for n in range(count)]
    named("leveldb-log").write(path, records, {})
    return path


def test_files_may_appear_and_disappear(tmp_path: Path) -> None:
    stream = Stream(tmp_path)
    leveldb(tmp_path / "000001.log", 3)
    assert len(stream.all()) == 3
    leveldb(tmp_path / "000002.log", 4)
    (tmp_path / "000001.log").unlink()
    assert len(stream.all()) == 7
    assert [key.rpartition("/")[2] for key in stream.offset] == ["000002.log"]


def test_limits_bound_a_batch(tmp_path: Path) -> None:
    for number in range(6):
        leveldb(tmp_path / f"{number:06d}.log", 5)
    files = Stream(tmp_path, maxFilesPerTrigger=2)
    assert len(files.all()) == 30 and [len(rows) for _, _, rows in files.batches] == [10] * 3
    size = Stream(tmp_path, maxBytesPerTrigger=3_100)
    assert len(size.all()) == 30 and all(len(rows) <= 3 for _, _, rows in size.batches)
    tiny = Stream(tmp_path, maxBytesPerTrigger=1)
    assert len(tiny.all()) == 30 and len(tiny.batches) == 30


def test_available_now_stops_at_the_initial_data(tmp_path: Path) -> None:
    path = leveldb(tmp_path / "000001.log", 20)
    stream = Stream(tmp_path, maxBytesPerTrigger=5_000)
    stream.reader.prepareForTriggerAvailableNow()
    assert stream.batch()
    named("leveldb-log").append(path, [NewRecord(b"later")] * 50, {})
    leveldb(tmp_path / "000002.log", 7)
    assert len(stream.all()) == 20
    stream.restart()
    assert len(stream.all()) == 77


def of_logs(rows: Rows) -> dict[str, tuple[Any, ...]]:
    """Return the format, worst verdict, total records and total lost bytes of each log."""
    parts: dict[str, Rows] = {}
    for row in rows:
        if row["kind"] == "log":
            parts.setdefault(row["log"], []).append(row)
    return {
        log: (
            each[0]["format"],
            min((row["verdict"] for row in each), key=SEVERITY.index),
            sum(row["records"] for row in each),
            sum(row["lost_bytes"] for row in each),
        )
        for log, each in parts.items()
    }


def test_the_rows_of_logs_add_up_to_those_of_a_batch(
    tmp_path: Path, rows_of: Callable[..., Rows]
) -> None:
    lake = mixed(tmp_path / "lake")
    for path in lake.rglob("*"):
        if path.is_file():
            os.utime(path, (0, 0))
    given = {"recursiveFileLookup": True, "logRows": True}
    expected = of_logs(rows_of(lake, **given))
    assert {"torn", "damaged", "refused", "intact", None} == {each[1] for each in expected.values()}
    for log, (format_id, verdict, records, _) in expected.items():
        if verdict == "torn":
            # A stream does not deliver an unfinished write at the end of a log.
            expected[log] = format_id, "intact", records, 0
    stream = Stream(lake, maxBytesPerTrigger=3_000, **given)
    assert of_logs(stream.all()) == expected
    assert len(stream.batches) > 5


def damaged(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)


def test_damage_in_the_middle_is_delivered_once(tmp_path: Path) -> None:
    path = leveldb(tmp_path / "000001.log", 100)
    damaged(path, 40_000)
    stream = Stream(tmp_path)
    rows = stream.all()
    expected = answer("leveldb-log", path)
    assert [(r["offset"], r["length"]) for r in rows if r["kind"] == "lost"] == [
        (lost.start, lost.end - lost.start) for lost in expected.lost
    ]
    assert len(stream.records()) == len(expected.records)


def test_damage_at_the_end_waits_until_the_log_is_quiet(tmp_path: Path) -> None:
    path = leveldb(tmp_path / "000001.log", 10)
    damaged(path, 9_500)
    stream = Stream(tmp_path)
    assert {row["kind"] for row in stream.all()} == {"record"} and len(stream.rows) == 9
    os.utime(path, (0, 0))
    stream.restart()
    assert [row["kind"] for row in stream.all()][9:] == ["lost"]
    stream.restart()
    assert len(stream.all()) == 10
    # The log grows again, and the stream must read the records in the next block.
    with path.open("ab") as file:
        file.write(bytes(32_768 - path.stat().st_size))
    named("leveldb-log").append(path, [NewRecord(b"more")], {})
    assert [row["payload"] for row in stream.all()][10:] == [b"more"]


def test_unknown_files_and_broken_links_are_reported(tmp_path: Path) -> None:
    (tmp_path / "README").write_text("of no format at all")
    (tmp_path / "000001.log").symlink_to(tmp_path / "gone")
    stream = Stream(tmp_path)
    assert [row["kind"] for row in stream.all()] == ["unreadable"]
    os.utime(tmp_path / "README", (0, 0))
    stream.restart()
    assert [row["kind"] for row in stream.all()] == ["unreadable", "refused"]
    stream.restart()
    assert len(stream.all()) == 2
    leveldb(tmp_path / "gone", 2)
    # The link now leads to the new log, but the stream must not return its records a second time.
    assert len(stream.all()) == 4


@pytest.mark.parametrize(
    "log", ["rocksdb-wal/compressed-with-lz4.log", "kahadb-journal/folder-of-journal-io"]
)
def test_a_refused_log_is_reported_once(
    log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyspark_journal.stream.LOOK_AGAIN", 0.0)
    source, copy = VECTORS / log, tmp_path / Path(log).name
    shutil.copytree(source, copy) if source.is_dir() else shutil.copy(source, copy)
    for path in tmp_path.rglob("*"):
        os.utime(path, (0, 0))
    stream = Stream(tmp_path)
    for _ in range(3):
        assert [row["kind"] for row in stream.all()] == ["refused"]
        stream.restart()


@pytest.mark.parametrize("change", ["truncated", "replaced"])
def test_a_rewritten_log_is_detected(change: str, tmp_path: Path) -> None:
    path = leveldb(tmp_path / "000001.log", 10)
    stream, again = Stream(tmp_path), Stream(tmp_path, onRewrite="restart")
    assert len(stream.all()) == len(again.all()) == 10
    if change == "truncated":
        path.write_bytes(path.read_bytes()[:5_000])
    else:
        path.unlink()
        leveldb(path, 30, 700)
    stream.restart()
    with pytest.raises(Rewritten, match=r"000001\.log: at offset \d+.*onRewrite"):
        stream.batch()
    again.restart()
    assert len(again.all()) == 10 + (30 if change == "replaced" else 4)


def test_renamed_journald_files_are_followed(tmp_path: Path) -> None:
    rng = random.Random(0)
    path, form = tmp_path / "system.journal", named("systemd-journal")
    form.write(path, [record("systemd-journal", n, rng) for n in range(3)], {"file_id": "aa" * 16})
    stream = Stream(tmp_path)
    assert len(stream.all()) == 3
    form.append(path, [record("systemd-journal", 3, rng)], {})
    path.rename(tmp_path / "system@0001.journal")
    form.write(path, [record("systemd-journal", n, rng) for n in (4, 5)], {"file_id": "bb" * 16})
    stream.restart()
    assert len(stream.all()) == 6
    assert sorted(stream.offset) == [f"systemd:{'aa' * 16}", f"systemd:{'bb' * 16}"]


def add(path: Path, first: int, count: int) -> None:
    records = [NewRecord(b"record %d" % number) for number in range(first, first + count)]
    if path.exists():
        named("leveldb-log").append(path, records, {})
    else:
        named("leveldb-log").write(path, records, {})


def payloads(stream: Stream) -> list[bytes]:
    return [payload for _, _, payload in stream.records()]


@pytest.mark.parametrize("restarts", [False, True])
def test_a_renamed_log_is_the_same_log(restarts: bool, tmp_path: Path) -> None:
    """Log rotation renames each file, and a new file takes the first name."""
    stream = Stream(tmp_path)
    newest = tmp_path / "0.log"
    for turn in range(4):
        add(newest, 10 * turn, 4)
        stream.all()
        if turn == 2:
            # These records are written after the last listing and before the rename.
            add(newest, 10 * turn + 4, 2)
        for number in range(turn, -1, -1):
            (tmp_path / f"{number}.log").rename(tmp_path / f"{number + 1}.log")
        if restarts:
            stream.restart()
        add(newest, 100 + turn, 1)
        stream.all()
        newest.unlink()
        stream.all()
    expected = [b"record %d" % (10 * turn + n) for turn in range(4) for n in range(4)]
    expected += [b"record 24", b"record 25", *(b"record %d" % (100 + turn) for turn in range(4))]
    assert sorted(payloads(stream)) == sorted(expected)
    add(tmp_path / "4.log", 500, 1)
    stream.all()
    assert payloads(stream)[-1] == b"record 500"


def test_a_reused_inode_is_another_log(tmp_path: Path) -> None:
    stream = Stream(tmp_path)
    add(tmp_path / "1.log", 0, 4)
    assert len(stream.all()) == 4
    (tmp_path / "1.log").rename(tmp_path / "9.log")
    named("leveldb-log").write(tmp_path / "other", [NewRecord(b"another log" * 9)] * 3, {})
    (tmp_path / "9.log").write_bytes((tmp_path / "other").read_bytes())
    (tmp_path / "other").unlink()
    assert payloads(stream) == [b"record %d" % number for number in range(4)]
    stream.all()
    assert payloads(stream)[4:] == [b"another log" * 9] * 3
