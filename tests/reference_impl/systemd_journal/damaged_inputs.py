"""Read thousands of damaged journal files. The arguments are COUNT and a seed.

Each input is a valid file with one to three faults: changed bits, bytes, links, lengths or pages,
truncation, or parts of other files. Each file is read in both profiles, sealed files with their
key, within a time limit. The whole process may use at most :data:`MEMORY`. The program prints a
summary.
"""

from __future__ import annotations

import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NoReturn

from conformance.recipes.systemd_journal.log import KEY, SEALED_START
from tests.reference_impl.systemd_journal.journal_files import answer, hello, journal_bytes

SECONDS = 5
MEMORY = 1 << 30
LONG = [b"MESSAGE=" + b"long " * 140, b"BLOB=\x00\xff\n"]
SEALED: dict[str, Any] = {"first": SEALED_START, "step": 6_000_000, "key": KEY}
FILES: list[tuple[bytes, dict[str, str]]] = [
    (journal_bytes(*hello(8)), {}),
    (journal_bytes(*hello(8), compact=True, keyed=True, compression="zstd"), {}),
    (journal_bytes(*hello(6), LONG, compression="zstd", header_size=272, compact=True), {}),
    (journal_bytes(*hello(6), LONG, compression="lz4", keyed=True), {}),
    (journal_bytes(*hello(6), LONG, compression="xz"), {}),
    (journal_bytes(*hello(40), data_buckets=2, field_buckets=1), {}),
    (journal_bytes(*hello(8), header_size=272, state=1, spare=512), {}),
    (journal_bytes(*hello(8), header_size=272, compact=True, state=2), {}),
    (journal_bytes(*hello(6), **SEALED, continuous=False), {"key": KEY}),
    (journal_bytes(*hello(6), **SEALED, header_size=272, compact=True, keyed=True), {"key": KEY}),
]


class Hangs(Exception):
    """One input took more than :data:`SECONDS`."""


@dataclass
class Met:
    """The result of a run."""

    verdicts: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    records: int = 0

    def __str__(self) -> str:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in self.verdicts.most_common())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        return (
            f"{verdicts}; {self.records} records; the slowest took {self.slowest * 1000:.0f} ms;"
            f" the process {peak} MiB at most"
        )


def damaged(data: bytearray, chance: random.Random) -> bytearray:
    """Return the file with one more fault."""
    size = len(data)
    if size < 16:
        return data
    at = chance.randrange(size)
    aligned = at & ~7
    length = chance.choice((1, 8, 16, 64, 512))
    match chance.randrange(9):
        case 0:
            data[at] ^= 1 << chance.randrange(8)
        case 1:
            del data[at:]
        case 2:
            data[at : at + length] = bytes(min(length, size - at))
        case 3:
            data[at : at + length] = chance.randbytes(min(length, size - at))
        case 4:  # a link to some other place
            data[aligned : aligned + 8] = (chance.randrange(size) & ~7).to_bytes(8, "little")
        case 5:  # a length or count
            value = chance.choice((0, 1 << chance.randrange(64), 2**64 - 1, aligned, size))
            data[aligned : aligned + 8] = value.to_bytes(8, "little")
        case 6:  # two swapped pages
            other = chance.randrange(size) & ~511
            page = at & ~511
            data[page : page + 512], data[other : other + 512] = (
                data[other : other + 512],
                data[page : page + 512],
            )
        case 7:  # a repeated part
            data[aligned:aligned] = data[aligned : aligned + length]
        case 8:  # a part of another file
            other_file = chance.choice(FILES)[0]
            data[aligned : aligned + length] = other_file[aligned : aligned + length]
    return data


def inputs(count: int, seed: int) -> Iterator[tuple[bytes, dict[str, str]]]:
    """Yield ``count`` inputs, the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        whole, context = chance.choice(FILES)
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 3))):
            data = damaged(data, chance)
        yield bytes(data), context


def run(count: int, seed: int) -> Met:
    """Read all inputs. Raises the reader's exceptions, and :class:`Hangs`."""

    def hangs(number: int, frame: FrameType | None) -> NoReturn:
        raise Hangs

    met = Met()
    before = signal.signal(signal.SIGALRM, hangs)
    try:
        for data, context in inputs(count, seed):
            signal.alarm(SECONDS)
            began = time.perf_counter()
            result = answer(data, **context)
            answer(data, "strict", **context)
            met.slowest = max(met.slowest, time.perf_counter() - began)
            met.verdicts[result.verdict] += 1
            met.records += len(result.records)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return met


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seed_count = int(sys.argv[1])
    print(f"{seed_count} damaged files: {run(seed_count, int(sys.argv[2]) if sys.argv[2:] else 1)}")
