"""The zmq-raft scanner handles extreme sizes. ``test_broker_scanners`` tests its answers."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import pytest

pytest.importorskip("numba")

from reference_impl.answer import End, collect
from reference_impl.formats import named
from walproof.formats.zmq_raft import scanner
from walproof.log import Log
from walproof.scanners.answers import read
from walproof.scanners.model import Wanted


def index_file(first: int, capacity: int, ends: list[int]) -> bytes:
    """Return an index file of three entries with the given end offsets in its table."""
    head = struct.pack("<4sIIIQ", b"RLOG", 16 + 4 * capacity, 1, capacity, first)
    table = struct.pack(f"<{len(ends)}I", *ends) + bytes(4 * (capacity - len(ends)))
    entries = b"".join(bytes(12) + b"\0" + term.to_bytes(7, "little") for term in (1, 1, 2))
    return head + table + b"ITMZ" + bytes(4) + entries


def test_a_table_with_maximum_offsets(tmp_path: Path) -> None:
    """Offsets up to 2^32 - 1 in a file of a few kilobytes cause no large allocation."""
    path = tmp_path / "00000000000001.rlog"
    path.write_bytes(index_file(1, 900, [2**32 - 1] * 900))
    expected = collect(named("zmq-raft").read(path, "recover", {}))
    assert collect(read(Log("zmq-raft", path))) == expected and expected.lost


def test_an_empty_table_takes_little_memory(tmp_path: Path) -> None:
    path, capacity = tmp_path / "00000000000001.rlog", 4 << 20
    path.write_bytes(index_file(1, capacity, []))
    tracemalloc.start()
    (end,) = scanner.scan(Log("zmq-raft", path), Wanted())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(end, End) and end.verdict == "intact"
    assert peak < 3 * 4 * capacity
