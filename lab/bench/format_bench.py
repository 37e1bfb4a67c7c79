"""The interface of a format to the measurements: its part ``bench`` in ``lab/formats``."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.formats import lab_part
from reference_impl.answer import NewRecord


@dataclass(frozen=True)
class Size:
    """A log of ``count`` records with ``size`` bytes of payload each.

    ``context`` is what the writer is told for this one, beside the format's.
    """

    name: str
    count: int
    size: int
    context: Mapping[str, Any] = field(default_factory=dict)


def random_records(count: int, size: int) -> Iterable[NewRecord]:
    """Records whose payload does not compress; the same ones every time."""
    rng = random.Random(1)
    return (NewRecord(rng.randbytes(size)) for _ in range(count))


@dataclass(frozen=True)
class Limit:
    """What :mod:`lab.bench.limit` must do for a log of a format, besides reading it.

    ``checksum`` is one that its program knows, or ``none``. ``summed(size)`` bytes of a record with
    ``size`` bytes of payload are under a checksum, at most ``longest`` under one; with ``is_joint``
    one goes over many records.
    """

    checksum: str = "none"
    summed: Callable[[int], int] = lambda size: 0
    longest: int = 1 << 30
    is_joint: bool = False


@dataclass(frozen=True)
class FormatBench:
    """What is measured of one format, as the ``BENCH`` of its part says.

    ``logs`` are read by every contender, ``large_logs`` through Spark: it plans for longer than it
    takes to read a small one. ``records(count, size)`` gives what is written, ``context`` is what
    the writer is told besides. ``writer`` names an implementation that writes these logs itself,
    with ``generate PATH COUNT SIZE``, where it is built.

    Of the bulk scanner, ``scanner_repeat`` is how often it reads in a round. ``payloads_and`` is
    the one column that the peer hands out besides payloads, if it hands out no more: the scanner is
    then measured with that column alone too.
    ``limit`` is what its share of the limit is taken of.
    """

    logs: tuple[Size, ...] = ()
    large_logs: tuple[Size, ...] = ()
    records: Callable[[int, int], Iterable[NewRecord]] = random_records
    context: Mapping[str, Any] = field(default_factory=dict)
    writer: str | None = None
    scanner_repeat: int = 60
    payloads_and: str | None = None
    limit: Limit | None = None


def bench_of(format_id: str) -> FormatBench:
    """Return what is measured of a format; nothing without its part ``bench``."""
    part = lab_part(format_id, "bench")
    bench: FormatBench = FormatBench() if part is None else part.BENCH
    return bench
