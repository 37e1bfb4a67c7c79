"""Random KahaDB data files with random damage: wrong sizes, batches inside batches."""

from __future__ import annotations

import random
import re
import struct
import zlib

HEADER = bytes.fromhex("0000001c02") + b"WRITE BATCH"
EOF = b"-qMa4"


def batch(records: bytes, checksum: int | None = None, size: int | None = None) -> bytes:
    """Return a batch, by default with a valid control record."""
    checksum = zlib.adler32(records) if checksum is None else checksum
    return HEADER + struct.pack(">iq", len(records) if size is None else size, checksum) + records


def record(payload: bytes, kind: int = 1, size: int | None = None) -> bytes:
    """Return a record."""
    return struct.pack(">iB", len(payload) + 5 if size is None else size, kind) + payload


def payload(rng: random.Random, depth: int = 0) -> bytes:
    """Return a random payload: text, a command, zeros, or bytes of a journal."""
    match rng.randrange(8):
        case 0:
            return b""
        case 1:
            body = rng.randbytes(size := rng.choice([0, 3, 127, 128, 300]))
            length = bytes([size]) if size < 128 else bytes([size & 127 | 128, size >> 7])
            return bytes([rng.randrange(19)]) + length + body
        case 2 if depth < 2:
            inner = random_batch(rng, depth + 1)
            return (
                rng.randbytes(rng.randrange(4)) + inner + rng.choice([b"", EOF, bytes(5), b"tail"])
            )
        case 3:
            return bytes(rng.randrange(40))
        case 4:
            return rng.choice([EOF, HEADER, EOF * 3, HEADER[:7], record(b"x")])
    return rng.randbytes(rng.choice([1, 5, 17, 60, 500]))


def random_batch(rng: random.Random, depth: int = 0) -> bytes:
    """Return a batch of some records, usually valid."""
    records = b"".join(
        record(payload(rng, depth), rng.choice([1] * 20 + [0, 2, 7]))
        for _ in range(rng.choice([1, 1, 1, 2, 3, 8]))
    )
    if rng.random() < 0.02:
        records += rng.choice(
            [b"\0", record(b"abc", size=4), record(b"", size=2**31 - 1), bytes(9)]
        )
    checksum = rng.choice([None] * 6 + [0, 0, -5])
    return b"" if rng.random() < 0.02 else batch(records, checksum)


def random_tail(rng: random.Random) -> bytes:
    """Return bytes after the last batch."""
    zeros = bytes(rng.choice([1, 4, 5, 30, 600]))
    return rng.choice([b"", EOF, zeros, EOF + zeros, EOF + zeros + EOF, EOF + zeros + EOF + zeros,
                       EOF + b"old bytes of a batch", EOF[1:], EOF[:3], HEADER[:9]])  # fmt: skip


def random_file(rng: random.Random) -> bytes:
    """Return a data file as a writer leaves it, or nearly so."""
    batches = [random_batch(rng) for _ in range(rng.randrange(7))]
    if rng.random() < 0.05:
        batches.insert(rng.randrange(len(batches) + 1), batch(b"", rng.choice([0, 1])))
    return b"".join(batches) + random_tail(rng)


def damaged(rng: random.Random, log: bytes) -> bytes:
    """Return the data with one fault."""
    data = bytearray(log)
    at = rng.randrange(len(data) + 1)
    headers = [result.start() for result in re.finditer(re.escape(HEADER), log)]
    here = rng.choice(headers) if headers else at
    match rng.randrange(12):
        case 0 | 1 if data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        case 2:
            data[at : at + rng.choice([1, 16, 28, 100])] = bytes(rng.choice([1, 16, 28, 100]))
        case 3:
            del data[at:]
        case 4:
            del data[here : rng.choice([here + 1, here + 15, here + 28, here + 45, at])]
        case 5:
            other = rng.choice(headers) if headers else at
            data[at:at] = data[here : max(here, other)]
        case 6:
            data[at : at + 30] = rng.randbytes(rng.randrange(30))
        case 7:
            lies = [0, 5, 16, 33, 62, 152, 1000, len(data) - here - 28, at, -1, 2**31 - 1]
            size = rng.choice(lies + [other - here - 28 for other in headers])
            data[here + 16 : here + 20] = struct.pack(">i", size)
        case 8:
            data[here + 20 : here + 28] = struct.pack(">q", rng.choice([0, 1, -1, 77, 1 << 40]))
        case 9:
            size = rng.choice([0, 4, 5, 6, 20, 28, -7, 2**31 - 1, rng.randrange(700)])
            data[here + 28 : here + 32] = struct.pack(">i", size)
        case 10:
            data[at:at] = rng.choice([EOF, bytes(5), b"x" * 20, HEADER, random_batch(rng)])
        case 11:
            data[here : here + 28] = bytes(28)
    return bytes(data)


def random_log(rng: random.Random) -> bytes:
    """Return a data file with up to four faults."""
    log = random_file(rng)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 4])):
        log = damaged(rng, log)
    return log
