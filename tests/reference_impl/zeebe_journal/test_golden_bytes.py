"""The bytes are those of real brokers and of the real writer."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_impl.answer import NewRecord, collect
from reference_impl.zeebe_journal.raft import (
    Member,
    decode,
    encode_application,
    encode_configuration,
    encode_initial,
)
from reference_impl.zeebe_journal.reader import read
from reference_impl.zeebe_journal.writer import pack_descriptor, pack_record, write

MIB_128 = 128 << 20
FIRST_RECORD_OF_8_8 = (
    "010c0001000700020056a16380000000002d0000001000020007000200010000000000000"
    "0ffffffffffffffff110000000900010008000400010000000000000002"
)


@pytest.mark.parametrize(
    ("id", "index", "seal", "version", "checksum"),
    [
        (1, 1, (0, 0), "2/2", "5c234738"),
        (1, 1, (0, 0), "2/1", "2f2072fe"),
        (1, 1, (186, 133126291), "2/2", "a4776e28"),
        (2, 187, (0, 0), "2/2", "c99a047e"),
    ],
)
def test_descriptors_of_real_brokers(
    id: int, index: int, seal: tuple[int, int], version: str, checksum: str
) -> None:
    descriptor = pack_descriptor(id, index, MIB_128, seal, version)
    assert descriptor[9:17].hex() == checksum + "00000000"
    assert len(descriptor) == {"2/1": 45, "2/2": 57}[version]


def test_descriptor_of_version_1() -> None:
    assert pack_descriptor(3, 7, 1024, version="1").hex(" ") == (
        "01 14 00 03 00 07 00 01 00 03 00 00 00 00 00 00 00 07 00 00 00 00 00 00 00 00 04 00 00"
    )


@pytest.mark.parametrize(
    ("journal", "raft", "checksum"),
    [(1, 1, 537880563), (2, 2, 4252175043), (2, 3, 1778580738), (2, 4, 2154013014)],
)
def test_first_records_of_real_brokers(journal: int, raft: int, checksum: int) -> None:
    record = pack_record(1, -1, encode_initial(1, raft), journal)
    assert int.from_bytes(record[9:17], "little") == checksum
    if raft == 4:
        assert record.hex() == FIRST_RECORD_OF_8_8


def test_joint_configuration_has_the_known_checksum() -> None:
    new = [Member("active", 123456, b"1"), Member("promotable", 123457, b"22")]
    payload = encode_configuration(5, 1234, new, [Member("active", 123456, b"1")])
    assert len(payload) == 82
    record = pack_record(7, -1, payload)
    assert record[9:13].hex(" ") == "6d b6 a3 74"
    assert record[17:21].hex(" ") == "6e 00 00 00"


def test_application_entry() -> None:
    payload = encode_application(5, 1, 2, b"Test")
    assert payload.hex(" ") == (
        "09 00 01 00 08 00 04 00 05 00 00 00 00 00 00 00 00 10 00 02 00 08 00 04 00"
        " 01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 04 00 00 00 54 65 73 74"
    )
    entry = decode(payload)
    assert (entry.term, entry.type) == (5, "application")
    assert entry.entry == {
        "lowest_asqn": "1",
        "highest_asqn": "2",
        "application_data": b"Test".hex(),
    }


@pytest.mark.parametrize("cut", range(1, 64))
def test_every_cut_of_a_configuration_entry_is_a_fault(cut: int) -> None:
    members = [Member("active", 123456, b"1"), Member("passive", 123457, b"2")]
    payload = encode_configuration(5, 1234, members)
    entry = decode(payload[:-cut])
    assert entry.fault in ("not-raft", "truncated-entry")
    assert (entry.term, entry.type, entry.entry) == (None, None, None)


@pytest.mark.parametrize("size", [200, 222, 300, 1000])
@pytest.mark.parametrize("descriptor", ["1", "2/1", "2/2"])
def test_written_records_are_read_back(tmp_path: Path, size: int, descriptor: str) -> None:
    records = [NewRecord(b"x" * (n * 7), {"asqn": str(n)}) for n in range(1, 12)]
    context = {"max_segment_size": size, "descriptor": descriptor}
    write(tmp_path / "j", records, context)
    answer = collect(read(tmp_path / "j", "recover", {"last_flushed_index": 11}))
    assert answer.verdict == "intact"
    assert [r.payload for r in answer.records] == [r.payload for r in records]
    assert all(f.stat().st_size == size for f in (tmp_path / "j").iterdir())
