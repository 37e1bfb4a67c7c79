"""Journals for systemd's own writer, which chooses ids, tables and the order of objects itself."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lab.crossing.logs import Wanted
from reference_impl.systemd_journal.export_format import entry_body

FORMAT = "systemd-journal"
BOOT = "0123456789abcdef0123456789abcdef"
START = 1_700_000_000_000_000
#: Sizes of values around word and page boundaries, and around 512 bytes, where compression begins.
EDGES = (0, 1, 6, 7, 8, 9, 62, 63, 64, 65, 510, 511, 512, 513, 4095, 4096, 4097, 65_535, 65_536)
COMPRESSIONS = ("xz", "lz4", "zstd")


def _records(entries: Iterable[Sequence[bytes]]) -> list[dict[str, Any]]:
    """Return entries with these fields, 0.1 seconds apart."""
    return [
        {
            "payload": entry_body(fields).hex(),
            "boot_id": BOOT,
            "realtime": str(START + number * 100_000),
            "monotonic": str(number * 100_000 + 1),
        }
        for number, fields in enumerate(entries)
    ]


def _values(sizes: Iterable[int], seed: str) -> Iterator[Sequence[bytes]]:
    """Yield two entries of each size: one that compresses well, and one that does not."""
    chance = random.Random(seed)
    for size in sizes:
        yield [b"MESSAGE=" + (b"again and again " * (size // 16 + 1))[:size], b"PRIORITY=6"]
        yield [b"BLOB=" + chance.randbytes(size), b"PRIORITY=%d" % (size % 8)]


def _many(count: int) -> Iterator[Sequence[bytes]]:
    """Yield entries of a few services. Most fields repeat, and each entry has one new value."""
    for number in range(count):
        yield [
            b"MESSAGE=number %d" % number,
            b"_SYSTEMD_UNIT=service-%d.service" % (number % 7),
            b"_PID=%d" % (1000 + number % 7),
            b"PRIORITY=%d" % (number % 8),
        ]


def _log(name: str, entries: Iterable[Sequence[bytes]], context: Mapping[str, Any]) -> Wanted:
    return Wanted(f"crossing/{name}", FORMAT, "log.journal", _records(entries), context)


def _logs() -> Iterator[Wanted]:
    plain = {"compact": False, "keyed": False}
    yield _log("one-field-without-a-value", [[b"EMPTY="]], plain)
    for compact, keyed in itertools.product((False, True), repeat=2):
        name = f"sizes{'-compact' * compact}{'-keyed' * keyed}"
        yield _log(name, _values(EDGES, name), {"compact": compact, "keyed": keyed})
    for each in COMPRESSIONS:
        entries = _values((511, 512, 513, 4096, 100_000), each)
        yield _log(f"sizes-{each}", entries, {"compact": True, "keyed": True, "compression": each})
    yield _log("large", _values((1 << 20,), "large"), {"compact": True, "keyed": True})
    yield _log("two-thousand-entries", _many(2000), plain)
    yield _log("two-thousand-compact-entries", _many(2000), {"compact": True, "keyed": True})
    two_boots = _records(_many(20))
    for record in two_boots[10:]:
        record["boot_id"] = BOOT[::-1]
    yield Wanted("crossing/two-boots", FORMAT, "log.journal", two_boots, plain)


LOGS = list(_logs())
