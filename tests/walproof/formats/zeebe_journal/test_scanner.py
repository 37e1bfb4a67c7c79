"""The Zeebe scanner decodes payloads and limits its memory and open files."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest

pytest.importorskip("numba")

import numpy as np

from reference_impl.answer import End, NewRecord
from reference_impl.zeebe_journal import raft
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record, write
from walproof.formats.zeebe_journal import scanner
from walproof.formats.zeebe_journal.scanner import kernel
from walproof.log import Log
from walproof.scanners.model import Wanted


def test_types_and_faults_of_payloads() -> None:
    chance, seen = random.Random(5), set()
    members = [raft.Member("active", 5, b"0")]
    for _ in range(5000):
        version = chance.randrange(1, 5)
        payloads = (
            raft.encode_initial(7, version),
            raft.encode_configuration(1, 5, members, members, version),
            raft.encode_application(1, 1, 9, bytes(chance.randrange(60)), version),
        )
        payload = bytearray(chance.choice(payloads))
        at = chance.choice((0, 17, chance.randrange(60))) % len(payload)
        payload[at] ^= 1 << chance.randrange(8)
        del payload[chance.choice((len(payload), chance.randrange(len(payload)))) :]
        around = np.frombuffer(b"\xff" * 3 + payload + b"\xff" * 20, np.uint8)
        expected = raft.decode(bytes(payload))
        number = kernel.entry(around, 3, 3 + len(payload))
        if number == kernel.OTHER:
            assert expected.type == "configuration" or expected.fault not in (None, "not-raft")
        else:
            known = kernel.ENTRY_TYPES[number], kernel.ENTRY_FAULTS[number]
            assert known == (expected.type, expected.fault), payload.hex()
        seen.add(number)
    assert len(seen) == 4


def test_a_long_record_takes_no_memory_before_its_checksum_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "journal-1.log"
    record = bytearray(pack_record(1, -1, b"z" * (64 << 20)))
    record[-1] ^= 1
    path.write_bytes(pack_descriptor(1, 1, 128 << 20) + record)
    list(scanner.scan(Log("zeebe-journal", path), Wanted()))  # compiles the kernel
    tracemalloc.start()
    *events, end = scanner.scan(Log("zeebe-journal", path), Wanted())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert events and end == End("torn", "checksum-mismatch", 57)
    assert peak < 16 << 20


def test_few_segments_are_open_at_a_time(tmp_path: Path) -> None:
    records = [NewRecord(b"x" * 100) for _ in range(100)]
    write(tmp_path / "journal", records, {"max_segment_size": 250})
    open_files = Path("/proc/self/fd")
    before = len([*open_files.iterdir()])
    events = scanner.scan(Log("zeebe-journal", tmp_path / "journal"), Wanted())
    assert max(len([*open_files.iterdir()]) - before for _ in events) == 1
    assert len([*open_files.iterdir()]) == before
