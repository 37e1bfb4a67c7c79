"""Golden bytes, from LevelDB itself and from its chapter."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from crc32c import crc32c

from reference_impl.answer import Answer
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    HEADER,
    HEADER_SIZE,
    masked_crc,
)

CHAPTER = Path(__file__).parents[3] / "spec" / "leveldb-log.md"

Write = Callable[..., bytes]
Answers = Callable[..., Answer]

# LevelDB's util/crc32c_test.cc, and the masked forms that its util/crc32c.h gives them.
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

# Written by LevelDB 1.22: four puts, then a batch of a put and a delete.
WRITTEN_BY_LEVELDB = bytes.fromhex(
    "432c9d3513000101000000000000000100000001026b300276304c6d602a1300010200000000000000010000"
    "0001026b31027631befd0a8e13000103000000000000000100000001026b320276326afa34e6130001040000"
    "00000000000100000001026b330276331f83d12b1a0001050000000000000002000000010662617463683101"
    "7800026b30"
)


def shift_register_crc32c(data: bytes) -> int:
    """Return the CRC-32C computed bit by bit, from its polynomial alone."""
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
def test_golden_records(record_type: int, data: bytes, golden: str) -> None:
    covered = bytes([record_type]) + data
    assert (HEADER.pack(masked_crc(covered), len(data), record_type) + data).hex() == golden


@pytest.mark.parametrize(
    ("data", "golden"),
    [(data, golden) for record_type, data, golden in GOLDEN_RECORDS if record_type == FULL],
)
def test_golden_records_are_written_and_read(
    write: Write, answer: Answers, data: bytes, golden: str
) -> None:
    assert write(data).hex() == golden
    assert [record.payload for record in answer(bytes.fromhex(golden)).records] == [data]


def test_small_golden_log(write: Write, answer: Answers) -> None:
    log = write(b"foo", b"bar", b"", b"xxxx")
    assert log.hex() == (
        "dd5fb37a030001666f6f" "baeaec44030001626172" "052b2843000001" "153d26e904000178787878"
    )  # fmt: skip
    assert answer(log).to_json() == {
        "verdict": "intact",
        "reason": None,
        "records": [
            {"at": 0, "size": 10, "payload": "666f6f"},
            {"at": 10, "size": 10, "payload": "626172"},
            {"at": 20, "size": 7, "payload": ""},
            {"at": 27, "size": 11, "payload": "78787878"},
        ],
        "lost": [],
        "end": 38,
    }


def test_log_written_by_leveldb(write: Write, answer: Answers) -> None:
    actual = answer(WRITTEN_BY_LEVELDB)
    assert (actual.verdict, actual.end, len(actual.records)) == ("intact", 137, 5)
    batch = actual.records[-1].payload
    assert (batch[:12].hex(), batch[12:]) == ("050000000000000002000000", b"\1\6batch1\1x\0\2k0")
    assert write(*(record.payload for record in actual.records)) == WRITTEN_BY_LEVELDB


def test_example_of_the_source_document(write: Write, answer: Answers) -> None:
    log = write(b"A" * 1000, b"B" * 97270, b"C" * 8000)
    assert len(log) == 106311
    assert hashlib.sha256(log).hexdigest() == (
        "e5420c39c7955f9dd62118ce3262724095c13f9e45f050ca78b2a31c89ca11ed"
    )
    headers = {
        0: "0d634a30e80301",
        1007: "320771080a7c02",
        32768: "8d372d2ef97f03",
        65536: "e3a2d17ff37f04",
        98298: "000000000000",
        98304: "4f1fa9f1401f01",
    }
    for at, header in headers.items():
        assert log[at:].startswith(bytes.fromhex(header)), at
    assert [(r.at, r.size) for r in answer(log).records] == [
        (0, 1007),
        (1007, 97291),
        (98304, 8007),
    ]
    assert len(write(b"A" * 1000, b"B" * 97270)) == 98298, "the trailer is not written yet"


def test_largest_record_of_one_block(write: Write) -> None:
    whole = write(b"y" * (BLOCK_SIZE - HEADER_SIZE))
    assert (len(whole), whole[:7].hex()) == (BLOCK_SIZE, "3ce71c5ff97f01")
    split = write(b"y" * (BLOCK_SIZE - HEADER_SIZE + 1))
    assert split[:7].hex() == "f464b206f97f02"
    assert split[BLOCK_SIZE:].hex() == "5b5822d601000479"


def test_records_with_seven_bytes_left_in_the_block(write: Write) -> None:
    log = write(bytes(32754), b"bar")
    assert log[32761:].hex() == "6451d0e9000002059e8137030004626172"
    assert write(bytes(32754), b"")[32761:].hex() == "052b2843000001"


@pytest.mark.parametrize("left", range(1, 7))
def test_trailer_is_written_with_the_next_record(write: Write, answer: Answers, left: int) -> None:
    first = bytes(BLOCK_SIZE - HEADER_SIZE - left)
    assert len(write(first)) == BLOCK_SIZE - left
    log = write(first, b"foo")
    assert log[BLOCK_SIZE - left :].hex() == "00" * left + "dd5fb37a030001666f6f"
    for end in range(BLOCK_SIZE - left, BLOCK_SIZE + 1):
        actual = answer(log[:end])
        assert (actual.verdict, len(actual.records)) == ("intact", 1)
    log = log[: BLOCK_SIZE - left] + b"\xee" * left + log[BLOCK_SIZE:]
    assert answer(log).verdict == "intact", "whatever the trailer holds (LDB-005)"


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
