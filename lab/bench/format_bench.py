"""The logs and readers to measure: the part ``bench`` of each format in ``lab/formats``."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.registry import FOLDER, load
from conformance.saving import build_once
from lab.bench.isolated_run import printed
from lab.formats import lab_part
from reference_impl.answer import NewRecord
from reference_impl.formats import named

#: For a real writer to write a log.
TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class Size:
    """A log of ``count`` records with ``size`` bytes of payload each.

    ``context`` is added to the format's context when this log is written.
    """

    name: str
    count: int
    size: int
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """An implementation that measures itself: its command, followed by ``bench LOG REPEAT``.

    It reads the log ``repeat`` times in a round. ``without`` are arguments of the command that make
    it start faster and read more slowly. ``variant`` is another program in its build directory, if
    its processor supports it.
    """

    implementation: str
    repeat: int
    without: str | None = None
    variant: str | None = None


def random_records(count: int, size: int) -> Iterable[NewRecord]:
    """Records whose payload does not compress; the same ones every time."""
    rng = random.Random(1)
    return (NewRecord(rng.randbytes(size)) for _ in range(count))


@dataclass(frozen=True)
class FormatBench:
    """The measurements of one format: the ``BENCH`` of its part.

    Every reader reads ``logs``. Spark reads ``large_logs``, because planning takes it longer than
    reading a small log. ``records(count, size)`` returns the records to write, and ``context`` the
    context of the writer. ``writer`` names an implementation that writes these logs itself, with
    ``generate PATH COUNT SIZE``, if it is built.

    The first of ``programs`` is the peer. If it returns no payloads, ``peer_has_payloads`` is
    false, and the bulk scanner is also measured without them. The bulk scanner reads
    ``scanner_repeat`` times in a round.
    """

    logs: tuple[Size, ...] = ()
    programs: tuple[Program, ...] = ()
    large_logs: tuple[Size, ...] = ()
    records: Callable[[int, int], Iterable[NewRecord]] = random_records
    context: Mapping[str, Any] = field(default_factory=dict)
    writer: str | None = None
    scanner_repeat: int = 60
    peer_has_payloads: bool = True


def bench_of(format_id: str) -> FormatBench:
    """Return what is measured of a format; nothing without its part ``bench``."""
    part = lab_part(format_id, "bench")
    bench: FormatBench = FormatBench() if part is None else part.BENCH
    return bench


def log_of(format_id: str, size: Size) -> Path:
    """Return the log in ``.build/bench/logs``, alone in its directory; write it if it is missing.

    The real writer writes the log if there is one and it is built.
    """
    context = "".join(f"-{key}-{value}" for key, value in sorted(size.context.items()))
    name = f"{format_id}-{size.count}x{size.size}{context}"
    folder = BUILD / "bench" / "logs" / name
    if folder.exists():
        return folder / name
    bench = bench_of(format_id)
    with build_once(folder) as unfinished:
        path = unfinished / name
        writer = load(FOLDER / bench.writer) if bench.writer and not size.context else None
        if writer is not None and not writer.missing() and writer.is_built():
            command = [*writer.command, "generate", str(path), str(size.count), str(size.size)]
            printed(command, TIMEOUT_SECONDS, [path.parent, writer.output, *writer.writes])
        else:
            records = list(bench.records(size.count, size.size))
            named(format_id).write(path, records, {**bench.context, **size.context})
    return folder / name
