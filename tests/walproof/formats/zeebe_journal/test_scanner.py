"""Compare the Zeebe scanner with the reference on random damage."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import pytest

from reference_impl.answer import End, NewRecord, Record
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.zeebe_journal.raft import (
    MEMBER_TYPES,
    Member,
    decode,
    encode_application,
    encode_configuration,
    encode_initial,
)
from reference_impl.zeebe_journal.reader import read
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record, write
from tests.real_files import unpack_partition
from tests.walproof.formats.agreement import one_by_one
from walproof.formats import plugin_for
from walproof.formats.zeebe_journal import scanner as zeebe_journal
from walproof.formats.zeebe_journal.scanner import kernel as zeebe_kernel
from walproof.scan import walk, window
from walproof.scan.log import LocalSource, Log
from walproof.scan.model import Records, Wanted

OWN = {column.name for column in plugin_for("zeebe-journal").columns}


def reference_events(path: Path, context: dict[str, Any]) -> list[ReferenceEvent]:
    """Return the reference's events, with the fields that columns have."""
    return [
        Record(
            event.at,
            event.size,
            event.payload,
            {k: v for k, v in event.fields.items() if k in OWN and v is not None},
            event.file,
        )
        if isinstance(event, Record)
        else event
        for event in read(path, "recover", context)
    ]


def scanned(log: Log) -> list[ReferenceEvent]:
    return list(one_by_one("zeebe-journal", zeebe_journal.scan(log, Wanted())))


def raft_payload(rng: random.Random) -> bytes:
    version = rng.randrange(1, 5)
    term = rng.choice([0, 1, 7, 2**63, 2**64 - 1])
    match rng.randrange(6):
        case 0:
            return rng.randbytes(rng.randrange(40))
        case 1:
            payload = encode_initial(term, version)
        case 2:
            members = [
                Member(rng.choice(MEMBER_TYPES), rng.randrange(9), rng.randbytes(rng.randrange(5)))
                for _ in range(rng.randrange(4))
            ]
            payload = encode_configuration(term, 5, members, members[:1], version)
        case _:
            data = rng.randbytes(rng.choice([0, 3, 50, 300, 3000]))
            payload = encode_application(term, 1, 9, data, version)
    created = bytearray(payload)
    if rng.random() < 0.3 and created:
        created[rng.randrange(min(len(created), 60))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.1:
        del created[rng.randrange(len(created) + 1) :]
    return bytes(created)


def sound_journal(rng: random.Random, path: Path) -> None:
    asqn, records = 0, []
    for _ in range(rng.randrange(0, 40)):
        asqn += rng.randrange(1, 4)
        payload = raft_payload(rng)
        records.append(NewRecord(payload, {"asqn": rng.choice([-1, asqn])}))
    longest = max((len(record.payload) for record in records), default=0)
    size = max(rng.choice([200, 700, 3000, 100_000]), 57 + 49 + longest)
    context = {"max_segment_size": size, "descriptor": rng.choice(["1", "2/1", "2/2", "2/2"])}
    write(path, records, context)


def damage(rng: random.Random, path: Path) -> None:
    files = sorted(path.iterdir())
    if not files:
        return
    file = rng.choice(files)
    data = bytearray(file.read_bytes())
    records = [e for e in read(path, "recover", {}) if isinstance(e, Record)]
    at = rng.randrange(len(data) + 1)
    if records and rng.random() < 0.7:
        # Near the start of a record: in its frame, its headers, its fields.
        record = rng.choice(records)
        file = path / str(record.file)
        data = bytearray(file.read_bytes())
        at = record.at + rng.randrange(50)
        if rng.random() < 0.4:
            forged = forge(rng, record)
            data[record.at : record.at + len(forged)] = forged
            file.write_bytes(data)
            return
    match rng.choice(["flip", "flip", "zero", "cut", "remove", "copy", "head", "junk"]):
        case "flip" if at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        case "zero":
            end = min(len(data), at + rng.choice([1, 20, 512]))
            data[at:end] = bytes(end - at)
        case "cut":
            del data[at:]
        case "remove":
            file.unlink()
            return
        case "copy":
            data = bytearray(rng.choice(files).read_bytes())
        case "head":
            seal = (rng.randrange(-1, 40), rng.randrange(-1, 900))
            size = rng.choice([len(data), 2 * len(data), 100])
            head = pack_descriptor(1, rng.randrange(1, 40), size, seal, rng.choice(["1", "2/2"]))
            data[: len(head)] = head
        case "junk":
            data[at : at + 30] = rng.randbytes(30)
    file.write_bytes(data)


def forge(rng: random.Random, record: Record) -> bytes:
    """Return another record with a valid checksum."""
    index, asqn = int(record.fields["index"]), int(record.fields["asqn"])
    created = bytearray(
        pack_record(
            index + rng.choice([0, 0, 0, 1, -1]),
            rng.choice([asqn, asqn - rng.randrange(5), -1, -7, 2**62]),
            record.payload[: rng.randrange(len(record.payload) + 1)]
            if rng.random() < 0.3
            else record.payload,
            data_version=rng.choice([1, 2, 3]),
        )
    )
    if rng.random() < 0.5:
        where = 21 + rng.randrange(28)
        created[where] ^= 1 << rng.randrange(8)
        if rng.random() < 0.3:
            created += rng.randbytes(3)
        data = bytes(created[21:])
        from crc32c import crc32c

        created[9:21] = struct.pack("<qi", crc32c(data), len(data))
    return bytes(created)


def random_journal(seed: int, folder: Path) -> tuple[Path, dict[str, Any]]:
    rng = random.Random(seed)
    path = folder / f"journal-{seed}"
    sound_journal(rng, path)
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        damage(rng, path)
    files = sorted(path.iterdir())
    if files and rng.random() < 0.2:
        path = rng.choice(files)
    return path, {"last_flushed_index": rng.choice([None, None, rng.randrange(-1, 45)])}


@pytest.mark.parametrize("seed", range(60))
def test_random_damage(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:  # windows and runs so small that all data crosses a boundary
        rng = random.Random(seed)
        monkeypatch.setattr(window, "PASSING_BYTES", rng.choice([21, 64, 500]))
        monkeypatch.setattr(walk, "MAX_BYTES", rng.choice([1, 100, 1000]))
        monkeypatch.setattr(walk, "MAX_ROWS", rng.choice([1, 2, 50]))
        monkeypatch.setattr(zeebe_journal, "MAX_SPECIFIED", rng.choice([1, 2, 50]))
    path, context = random_journal(seed, tmp_path)
    results = scanned(Log(path, context))
    assert results == reference_events(path, context)


def test_types_and_faults_of_payloads_match_the_reference() -> None:
    import numpy as np

    rng = random.Random(5)
    seen = set()
    for _ in range(5000):
        payload = raft_payload(rng)
        around = np.frombuffer(b"\xff" * 3 + payload + b"\xff" * 20, np.uint8)
        expected = decode(payload)
        number = zeebe_kernel.entry(around, 3, 3 + len(payload))
        if number == zeebe_kernel.OTHER:
            assert expected.type == "configuration" or expected.fault not in (None, "not-raft")
        else:
            known = zeebe_kernel.ENTRY_TYPES[number], zeebe_kernel.ENTRY_FAULTS[number]
            assert known == (expected.type, expected.fault), payload.hex()
        seen.add(number)
    assert len(seen) == 4


@pytest.mark.parametrize("cap", [0, 5, 1 << 30])
def test_payloads_are_capped_and_marked(tmp_path: Path, cap: int) -> None:
    path = tmp_path / "journal-1.log"
    payloads = [b"", b"12345", b"123456", b"x" * 3_000_000, b"y"]
    write(path, [NewRecord(payload) for payload in payloads], {"max_segment_size": 4 << 20})
    wanted = Wanted(max_payload=cap, columns=frozenset({"index"}))
    runs = [e for e in zeebe_journal.scan(Log(path), wanted) if isinstance(e, Records)]
    assert [p for run in runs for p in run.payload.to_pylist()] == [p[:cap] for p in payloads]
    marks = [bool(m) for run in runs for m in
             ([False] * len(run) if run.truncated is None else run.truncated)]  # fmt: skip
    assert marks == [len(payload) > cap for payload in payloads]
    assert [list(run.fields) for run in runs] == [["index"]] * len(runs)


def test_a_long_record_costs_nothing_until_its_checksum_holds(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "journal-1.log"
    record = bytearray(pack_record(1, -1, b"z" * (64 << 20)))
    record[-1] ^= 1
    path.write_bytes(pack_descriptor(1, 1, 128 << 20) + record)
    tracemalloc.start()
    *events, end = zeebe_journal.scan(Log(path), Wanted())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert events and end == End("torn", "checksum-mismatch", 57)
    assert peak < 16 << 20


@pytest.mark.parametrize("version", ["v8.1", "v8.3", "v8.8"])
def test_journals_of_real_brokers(version: str, tmp_path: Path) -> None:
    unpack_partition(version, tmp_path)
    context = {"last_flushed_index": "meta"}
    expected = reference_events(tmp_path, context)
    assert scanned(Log(tmp_path, context)) == expected
    assert any(isinstance(event, Record) for event in expected)


def one_record_per_segment(path: Path, count: int) -> None:
    write(path, [NewRecord(b"x" * 100) for _ in range(count)], {"max_segment_size": 250})


def test_an_error_follows_the_records_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_record_per_segment(tmp_path / "journal", 20)

    class Source(LocalSource):
        def __init__(self, path: Path) -> None:
            if path.stem == "journal-8":
                raise OSError(24, "Too many open files", str(path))
            super().__init__(path)

    monkeypatch.setattr(zeebe_journal, "LocalSource", Source)
    files = []
    with pytest.raises(OSError, match="Too many"):
        for event in zeebe_journal.scan(Log(tmp_path / "journal"), Wanted()):
            files.append(event.file)
    assert files == [f"journal-{number}.log" for number in range(1, 8)]


def test_few_segments_are_open_at_a_time(tmp_path: Path) -> None:
    one_record_per_segment(tmp_path / "journal", 100)
    before = open_files()
    events = zeebe_journal.scan(Log(tmp_path / "journal"), Wanted())
    assert max(open_files() - before for _ in events) == 1
    assert open_files() == before


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
