"""The logs and readers to measure, from the ``bench`` part of each format in ``lab/formats``."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance import BUILD, ROOT
from conformance.process import CannotStart, Limits, OverLimit, Timeout, describe_exit, run_program
from conformance.registry import FOLDER, load
from conformance.sandbox import Sandbox, evidence
from conformance.saving import build_once
from conformance.scratch import Scratch
from lab.formats import lab_part
from reference_impl.answer import NewRecord
from reference_impl.formats import named

#: The time limit for writing a log.
TIMEOUT_SECONDS = 600


#: The memory limit for a measured program and its child processes.
MEMORY_BYTES = 16 << 30


class Failed(Exception):
    """A reader or writer failed; the message gives the reason."""


def printed(command: Sequence[str], seconds: float, writes: Iterable[Path]) -> str:
    """Run a program that may change only the paths in ``writes``, and return its output.

    Raises :class:`Failed`.
    """
    scratch = Scratch()
    try:
        sandbox = Sandbox(scratch.folder, hides=evidence(), writes=writes)
        # The program does not run in the checkout, so it needs PYTHONPATH to find our modules.
        variables, limits = {"PYTHONPATH": str(ROOT)}, Limits(memory_bytes=MEMORY_BYTES)
        done = run_program(command, seconds, sandbox, variables, limits)
    except (CannotStart, Timeout, OverLimit) as error:
        raise Failed(f"{command[0]}: {error}") from None
    finally:
        scratch.close()
    if done.returncode:
        raise Failed(f"{command[0]}: {describe_exit(done.returncode)}: {done.stderr[-300:]}")
    return done.stdout


@dataclass(frozen=True)
class Size:
    """A log of ``count`` records with ``size`` bytes of payload each."""

    name: str
    count: int
    size: int
    #: Additions to the format's context.
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MeasuredProgram:
    """An implementation that measures itself if ``bench LOG REPEAT`` follows its command."""

    implementation: str
    #: Number of times that the program reads the log in a round.
    repeat: int
    #: Argument to remove from the command, because it speeds up the start but slows down reading.
    without: str | None = None
    #: Program in the build directory that is measured instead of the command.
    variant: str | None = None


def random_records(count: int, size: int) -> Iterable[NewRecord]:
    """Return records with payloads that do not compress. Each call returns the same records."""
    rng = random.Random(1)
    return (NewRecord(rng.randbytes(size)) for _ in range(count))


@dataclass(frozen=True)
class FormatBench:
    """The logs and readers to measure for one format: ``BENCH`` in its ``bench`` part."""

    #: Logs for all readers except Spark.
    logs: tuple[Size, ...] = ()
    #: Implementations to measure. The others are compared with the first, the peer.
    programs: tuple[MeasuredProgram, ...] = ()
    #: Logs for Spark. They are large, because planning takes Spark longer than reading a small log.
    large_logs: tuple[Size, ...] = ()
    #: Function that returns ``count`` records of ``size`` bytes.
    records: Callable[[int, int], Iterable[NewRecord]] = random_records
    #: Context of the writer.
    context: Mapping[str, Any] = field(default_factory=dict)
    #: If this implementation is built, it writes the logs with ``generate PATH COUNT SIZE``.
    writer: str | None = None
    #: Program that prints the content of a log. Our commands with text output are compared with it.
    text_peer: tuple[str, ...] = ("strings",)
    #: Number of times that the bulk scanner reads a log in a round.
    scanner_repeat: int = 60
    #: False if the peer returns no payloads. The bulk scanner is then also measured without
    #: payloads.
    peer_has_payloads: bool = True


def bench_of(format_id: str) -> FormatBench:
    """Return the ``BENCH`` of a format, or an empty :class:`FormatBench`."""
    part = lab_part(format_id, "bench")
    bench: FormatBench = FormatBench() if part is None else part.BENCH
    return bench


def log_of(format_id: str, size: Size) -> Path:
    """Return the path of a log below ``.build/bench/logs``; write the log if it is missing."""
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
