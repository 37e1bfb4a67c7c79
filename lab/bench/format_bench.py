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

    ``context`` is added to the format's context when this log is written.
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
class FormatBench:
    """The measurements of one format: the ``BENCH`` of its part.

    Every contender reads ``logs``. Spark reads ``large_logs``, because planning takes it longer
    than reading a small log. ``records(count, size)`` returns the records to write, and ``context``
    the context of the writer. ``writer`` names an implementation that writes these logs itself,
    with ``generate PATH COUNT SIZE``, if it is built.

    The bulk scanner reads ``scanner_repeat`` times in a round. If the peer returns only one column
    in addition to the payloads, ``payloads_and`` is that column, and the scanner is also measured
    with that column alone. If the peer returns no payloads, ``peer_has_payloads`` is false, and the
    scanner is also measured without them.
    """

    logs: tuple[Size, ...] = ()
    large_logs: tuple[Size, ...] = ()
    records: Callable[[int, int], Iterable[NewRecord]] = random_records
    context: Mapping[str, Any] = field(default_factory=dict)
    writer: str | None = None
    scanner_repeat: int = 60
    payloads_and: str | None = None
    peer_has_payloads: bool = True


def bench_of(format_id: str) -> FormatBench:
    """Return what is measured of a format; nothing without its part ``bench``."""
    part = lab_part(format_id, "bench")
    bench: FormatBench = FormatBench() if part is None else part.BENCH
    return bench
