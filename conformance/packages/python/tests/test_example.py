"""Tests a small reader of LevelDB logs with the vectors. Copy this file and insert your reader."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pytest
from walproof_vectors import Vector, index, vectors

VECTORS = [vector for vector in vectors("leveldb-log") if vector.operation == "read"]
# The reader fails these vectors, because it supports neither preallocated space nor other dialects.
KNOWN_FAILURES = set(Path("known-failures.txt").read_text().split())
LONGEST_PAYLOAD_IN_FULL_BYTES = 4096

BLOCK_BYTES, HEADER_BYTES = 32768, 7
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4


def read(log: bytes) -> tuple[str, list[bytes], list[tuple[int, int]]]:
    """Return the verdict, payloads and lost ranges of a log, up to the first damage."""
    payloads: list[bytes] = []
    payload, record_start, is_open = b"", 0, False
    at = 0

    def stop(verdict: str) -> tuple[str, list[bytes], list[tuple[int, int]]]:
        return verdict, payloads, [(record_start, len(log))]

    while at < len(log):
        left_in_block = BLOCK_BYTES - at % BLOCK_BYTES
        if left_in_block < HEADER_BYTES:
            at += left_in_block
            continue
        if not is_open:
            payload, record_start = b"", at
        if len(log) - at < HEADER_BYTES:
            return stop("torn")
        checksum, length, fragment = struct.unpack_from("<IHB", log, at)
        end = at + HEADER_BYTES + length
        if end > at + left_in_block:
            return stop("damaged")
        if end > len(log):
            return stop("torn")
        fits = fragment in ((MIDDLE, LAST) if is_open else (FULL, FIRST))
        if not fits or masked_crc32c(log[at + 6 : end]) != checksum:
            return stop("damaged")
        payload += log[at + HEADER_BYTES : end]
        is_open = fragment in (FIRST, MIDDLE)
        if not is_open:
            payloads.append(payload)
        at = end
    return stop("torn") if is_open else ("intact", payloads, [])


def masked_crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC32C[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF


def table_entry(crc: int) -> int:
    for _ in range(8):
        crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc


CRC32C = [table_entry(byte) for byte in range(256)]


def payload_text(payload: bytes) -> str:
    """Return a payload in the form of vectors: hexadecimal digits, or a SHA-256 if it is long."""
    is_short = len(payload) <= LONGEST_PAYLOAD_IN_FULL_BYTES
    return payload.hex() if is_short else hashlib.sha256(payload).hexdigest()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_vector(vector: Vector) -> None:
    (log,) = vector.files().values()
    verdict, payloads, lost = read(log)
    right = [
        (
            answer["verdict"],
            [record.get("payload", record.get("payload_sha256")) for record in answer["records"]],
            [(gap["from"], gap["to"]) for gap in answer["lost"]],
        )
        for answer in vector.answers("strict")
    ]
    passes = (verdict, [payload_text(payload) for payload in payloads], lost) in right
    assert passes != (vector.id in KNOWN_FAILURES), (verdict, payloads, lost, right)


def test_every_log_has_the_size_that_its_vector_states() -> None:
    every = list(vectors())
    assert len(every) == index()["counts"]["vectors"]
    for vector in every:
        assert sum(map(len, vector.files().values())) == vector.body["size"], vector.id


def test_only_readers_have_answers_in_the_profile_strict() -> None:
    for vector in vectors():
        assert vector.answers(), vector.id
        assert bool(vector.answers("strict")) == (vector.operation == "read"), vector.id
