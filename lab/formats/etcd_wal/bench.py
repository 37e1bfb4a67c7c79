"""etcd segments without preallocated zeros. The peer is the decoder in etcd's ``wal`` package."""

from __future__ import annotations

from collections.abc import Iterable

from lab.bench.format_bench import FormatBench, MeasuredProgram, Size, random_records
from reference_impl.answer import NewRecord
from reference_impl.etcd_wal.layout import varint


def entry(index: int, data: bytes) -> NewRecord:
    """Return an entry whose payload is as long as ``data``, and ends with the end of ``data``."""
    head = b"\x08\x00\x10\x01\x18" + varint(index)
    for size in range(len(data) - len(head) - 2, 0, -1):
        payload = head + b"\x22" + varint(size) + data[-size:]
        if len(payload) == len(data):
            return NewRecord(payload, {"record_type": "entry"})
    raise ValueError(f"no entry has {len(data)} bytes")


def records(count: int, size: int) -> Iterable[NewRecord]:
    """Return entries with payloads of ``size`` bytes."""
    numbered = enumerate(random_records(count, size), 1)
    return (entry(index, each.payload) for index, each in numbered)


BENCH = FormatBench(
    logs=(Size("256 B entries, etcd", 100_000, 256), Size("16 KiB entries, etcd", 2_000, 16_384)),
    programs=(MeasuredProgram("etcd-wal", 10),),
    records=records,
    scanner_repeat=1,
)
