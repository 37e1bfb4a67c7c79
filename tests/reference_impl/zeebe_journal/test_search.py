"""A search for records after a fault covers the whole segment, whatever the reader has buffered."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_impl.answer import collect
from reference_impl.formats import named
from reference_impl.zeebe_journal.writer import DESCRIPTORS, NEWEST, pack_descriptor, pack_record


@pytest.mark.parametrize("zeros", [2000, 5000, 20000, 200000])
def test_records_after_many_zeros(zeros: int, tmp_path: Path) -> None:
    start = DESCRIPTORS[NEWEST]
    log = b"\x01" + bytes(zeros) + pack_record(2, 2, b"bravo")
    last = start + len(log)
    log += pack_record(3, 3, b"charlie")
    path = tmp_path / "journal-1.log"
    path.write_bytes(pack_descriptor(1, 1, start + len(log), (3, last)) + log)
    answer = collect(named("zeebe-journal").read(path, "recover", {}))
    assert [record.payload for record in answer.records] == [b"bravo", b"charlie"]
