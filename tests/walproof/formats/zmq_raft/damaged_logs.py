"""Random zmq-raft logs with random damage."""

from __future__ import annotations

import random
import struct
from pathlib import Path

from reference_impl.zmq_raft.index_file import path_of


def chunk(token: bytes, data: bytes, length: int | None = None) -> bytes:
    """Return a chunk; ``length`` may be wrong."""
    length = len(data) if length is None else length
    return token + struct.pack("<I", length) + data + bytes(-len(data) % 4)


def entry(rng: random.Random, term: int) -> bytes:
    """Return an entry, usually with a header."""
    match rng.randrange(25):
        case 0:
            return rng.randbytes(rng.randrange(1, 22))
        case 1:
            return bytes(rng.choice([20, 21, 100]))
        case 2:
            term = rng.choice([0, 1, 2**53 - 1, 2**53, 2**56 - 1])
    request = rng.choice([bytes(12), rng.randbytes(12)])
    kind = rng.choice([0, 0, 1, 2, 7])
    data = rng.choice([b"", b"ITMZ", rng.randbytes(rng.choice([1, 5, 60, 400])), bytes(30)])
    return request + bytes([kind]) + term.to_bytes(7, "little") + data


def index_file(rng: random.Random, first: int, capacity: int, term: int, count: int) -> bytes:
    """Return an index file of ``count`` entries, with terms from ``term`` on."""
    entries = []
    for _ in range(min(count, capacity)):
        term += rng.choice([0] * 6 + [1, 1, -1 if term else 0])
        entries.append(entry(rng, term))
    offsets, end = [], 0
    for each in entries:
        end += len(each)
        offsets.append(end)
    offsets += [0] * (capacity - len(offsets))
    head = struct.pack("<4sIIIQ", b"RLOG", 16 + 4 * capacity, 1, capacity, first)
    chunks = rng.choice([b"", chunk(b"META", b"\x80"), chunk(b"META", rng.randbytes(30)) * 2])
    rest = rng.choice([b"", b"", rng.randbytes(20)])
    table = struct.pack(f"<{capacity}I", *offsets)
    return head + table + chunks + chunk(b"ITMZ", b"") + b"".join(entries) + rest


def snapshot(rng: random.Random, index: int, term: int) -> bytes:
    """Return a snapshot file."""
    data = rng.choice([b"", b"data", rng.randbytes(300)])
    head = struct.pack("<4sIIQQQ", b"SNAP", 28, 1, index, term, len(data))
    return head + chunk(b"META", rng.randbytes(9)) + chunk(b"DATA", b"") + data


def damaged(rng: random.Random, log: bytes) -> bytes:
    """Return the data with one fault."""
    data = bytearray(log)
    at = rng.randrange(len(data) + 1)
    capacity = int.from_bytes(log[12:16], "little") if log[:4] == b"RLOG" else 0
    number = rng.randrange(min(capacity, len(log) // 4) + 1) if capacity else 0
    offset = 24 + 4 * number
    match rng.randrange(10):
        case 0 | 1 if data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        case 2:
            size = rng.choice([1, 4, 16, 60])
            data[at : at + size] = bytes(size)
        case 3:
            del data[at:]
        case 4:
            del data[at : at + rng.randrange(30)]
        case 5:
            data[at:at] = data[max(0, at - rng.randrange(60)) : at]
        case 6:
            data[at : at + 8] = rng.randbytes(8)
        case 7 | 8 if data:
            value = rng.choice([0, 1, 10, 19, 20, len(data), 0x3FFFFFFF, 0x40000000, 2**32 - 1])
            data[offset : offset + 4] = struct.pack("<I", value)
        case 9 if data:
            field = rng.choice([4, 8, 12, 16, 20, 28])
            data[field : field + 4] = struct.pack("<I", rng.choice([0, 1, 28, 2**32 - 1]))
    return bytes(data)


def maybe_damaged(rng: random.Random, log: bytes, times: int = 3) -> bytes:
    """Return the data with up to this many faults."""
    for _ in range(rng.choice([0, 0, 1, 1, times])):
        log = damaged(rng, log)
    return log


def make_file(rng: random.Random, folder: Path) -> Path:
    """Write an index file or a snapshot; its name may contain the index."""
    first = rng.choice([0, 1, 8, 2**40, 2**56, 2**63])
    if rng.random() < 0.1:
        path = folder / "snap"
        path.write_bytes(maybe_damaged(rng, snapshot(rng, first, rng.randrange(4))))
        return path
    count = rng.choice([0, 1, 3, 12])
    log = index_file(rng, first, rng.choice([0, count, count + 3]), rng.randrange(3), count)
    path = folder / (f"{first:014x}.rlog" if first < 2**56 else "some.rlog")
    path.write_bytes(maybe_damaged(rng, log))
    return path


def make_directory(rng: random.Random, root: Path) -> None:
    """Write a log directory with random faults to an empty directory."""
    index, term = 1, rng.randrange(3)
    logs = root / "log" if rng.random() < 0.8 else root
    if rng.random() < 0.7:
        at = rng.choice([0, 0, 1, 4, 9, 9, 2**53 - 1, 2**53] if rng.random() < 0.5 else [0, 4])
        index = max(1, at % 2**53 % 100 + rng.choice([1, 1, 1, 0, 3, -2]))
        root.mkdir(exist_ok=True)
        (root / "snap").write_bytes(maybe_damaged(rng, snapshot(rng, at, rng.randrange(4)), 1))
    for _ in range(rng.randrange(5)):
        capacity = rng.choice([1, 2, 4])
        count = rng.choice([capacity, capacity, capacity, capacity, 0, 1])
        log = index_file(rng, index, capacity, term, count)
        name = path_of(index)
        if rng.random() < 0.06:
            folders = rng.choice(["00001/00/00/", "00000/00/", "00000/", ""])
            name = folders + name.rpartition("/")[2]
        if rng.random() < 0.08:
            log = log[: rng.randrange(30)]
        place = logs / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(maybe_damaged(rng, log) if rng.random() < 0.4 else log)
        index = max(1, index + capacity + rng.choice([0] * 8 + [1, -1, 5]))
        term += rng.choice([0, 1, 1, -1 if term else 0])
