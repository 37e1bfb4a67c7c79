"""The bytes are equal to those that LevelDB wrote and that the chapter shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from crc32c import crc32c

from reference_impl.answer import Answer
from reference_impl.leveldb_log.layout import BLOCK_SIZE, FIRST, FULL, HEADER_SIZE, masked_crc

CHAPTER = Path(__file__).parents[3] / "spec" / "leveldb-log.md"

Write = Callable[..., bytes]
Answers = Callable[..., Answer]

# Values from LevelDB's util/crc32c_test.cc, and their masked forms according to util/crc32c.h.
ISCSI_READ = bytes.fromhex(
    "01c00000000000000000000000000000140000000000040000000014"
    "0000001828000000000000000200000000000000"
)
CHECKSUMS = [
    (b"123456789", 0xE3069283, 0xC78AB0E5),
    (bytes(32), 0x8A9136AA, 0x0FD7FFFA),
    (b"\xff" * 32, 0x62A8AB43, 0xF909B029),
    (bytes(range(32)), 0x46DD794E, 0x951F7892),
    (bytes(reversed(range(32))), 0x113FDB5C, 0x593B0D57),
    (ISCSI_READ, 0xD9963A56, None),
    (b"\x00", 0x527D5351, 0x49258FD2),
    (b"\x01", 0xA016D052, 0x43282B05),
    (b"\x02", 0xB34623A6, 0xE9D05164),
    (b"\x03", 0x412DA0A5, 0xE3CD6D33),
    (b"\x04", 0x95E7C44E, 0x2B2016A7),
]

GOLDEN_RECORDS = [
    (FULL, b"", "052b2843000001"),
    (FIRST, b"", "6451d0e9000002"),
    (FULL, b"foo", "dd5fb37a030001666f6f"),
    (FULL, b"bar", "baeaec44030001626172"),
    (FULL, b"xxxx", "153d26e904000178787878"),
    (FULL, b"alpha", "3af6d13e050001616c706861"),
    (FULL, b"bravo", "9c33c8bd050001627261766f"),
    (FULL, b"crc0" + bytes.fromhex("ede851e1"), "0000000008000163726330ede851e1"),
]

# LevelDB 1.22 wrote this log: four puts, then a batch with a put and a delete.
WRITTEN_BY_LEVELDB = bytes.fromhex(
    "432c9d3513000101000000000000000100000001026b300276304c6d602a1300010200000000000000010000"
    "0001026b31027631befd0a8e13000103000000000000000100000001026b320276326afa34e6130001040000"
    "00000000000100000001026b330276331f83d12b1a0001050000000000000002000000010662617463683101"
    "7800026b30"
)


def shift_register_crc32c(data: bytes) -> int:
    """Compute the CRC-32C bit by bit, from its polynomial alone."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize(("data", "crc", "masked"), CHECKSUMS)
def test_checksums(data: bytes, crc: int, masked: int | None) -> None:
    assert crc32c(data) == shift_register_crc32c(data) == crc
    if masked is not None:
        assert masked_crc(data) == masked


@pytest.mark.parametrize(("record_type", "data", "golden"), GOLDEN_RECORDS)
def test_golden_records(record_type: int, data: bytes, golden: str, write: Write) -> None:
    if record_type == FIRST:
        # The block has room only for a header, so the first fragment is empty.
        filled = write(bytes(BLOCK_SIZE - 2 * HEADER_SIZE), b"foo")
        assert filled[BLOCK_SIZE - HEADER_SIZE : BLOCK_SIZE].hex() == golden
    else:
        assert write(data).hex() == golden


def test_log_written_by_leveldb(write: Write, answer: Answers) -> None:
    actual = answer(WRITTEN_BY_LEVELDB)
    assert (actual.verdict, actual.end, len(actual.records)) == ("intact", 137, 5)
    batch = actual.records[-1].payload
    assert (batch[:12].hex(), batch[12:]) == ("050000000000000002000000", b"\1\6batch1\1x\0\2k0")
    assert write(*(record.payload for record in actual.records)) == WRITTEN_BY_LEVELDB


def test_checksum_table_of_the_chapter() -> None:
    rows = re.findall(
        r"^\| (.+) \| `0x([0-9a-f]{8})` \| `0x([0-9a-f]{8})` \| `([0-9a-f]{8})` \|$",
        CHAPTER.read_text(),
        re.MULTILINE,
    )
    known = {(crc, masked) for _, crc, masked in CHECKSUMS}
    assert len(rows) == 10
    for name, crc, masked, stored in rows:
        assert (int(crc, 16), int(masked, 16)) in known, name
        assert int(masked, 16).to_bytes(4, "little").hex() == stored, name


def test_golden_records_of_the_chapter() -> None:
    table = CHAPTER.read_text().split("Golden records:\n\n")[1].split("\n\n")[0]
    record_types = {"FULL": 1, "FIRST": 2}
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert len(rows) > 6
    for type_name, data, physical in rows[2:]:
        header, length, number, *rest = physical.strip("`").split()
        payload = bytes.fromhex("".join(rest))
        assert record_types[type_name] == int(number, 16)
        assert (
            masked_crc(bytes([record_types[type_name]]) + payload).to_bytes(4, "little").hex()
            == header
        )
        assert len(payload).to_bytes(2, "little").hex() == length
        numbers = re.findall(r"`([^`]+)`", data)
        spelled = b"".join(
            bytes.fromhex(digits) if re.fullmatch("[0-9a-f]{8}", digits) else digits.encode()
            for digits in numbers
        )
        assert spelled == payload
