"""Measure the speed of readers relative to the peer of their format."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.contents import list_entries
from lab.bench.contenders import Contender
from lab.bench.format_bench import Size, printed

TIMEOUT_SECONDS = 600


class WrongCount(Exception):
    """A contender returned the wrong number of records or bytes, so its time is meaningless."""


@dataclass(frozen=True)
class Measurement:
    """The measurements of one contender; they are empty if the contender is unavailable."""

    contender: Contender
    #: Median time of a pass in each round, in seconds.
    seconds: Sequence[float] = ()
    #: Time of the fastest pass in all rounds, in seconds.
    fastest: float = 0.0
    log_bytes: int = 0
    #: Speed relative to the peer, or None if no peer was measured.
    ratio: float | None = None


def measure(
    log: Path,
    size: Size,
    contenders: Sequence[Contender],
    rounds: int,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Measurement]:
    """Return a measurement for each contender, in order.

    Raises :class:`WrongCount`, and :class:`~lab.bench.format_bench.Failed` for a contender that
    fails.
    """
    log_bytes = _read_into_page_cache(log)
    available = [each for each in contenders if each.unavailable is None]
    passes: dict[str, list[list[float]]] = {each.name: [] for each in available}
    for number in range(rounds):
        for each in available:
            progress(f"{size.name}, round {number + 1} of {rounds}: {each.name}")
            passes[each.name].append(_run(each, log, size))
    seconds = {name: [*map(statistics.median, of_one)] for name, of_one in passes.items()}
    peer = next((seconds[each.name] for each in available if each.is_peer), None)
    return [
        Measurement(each)
        if each.unavailable is not None
        else Measurement(
            each,
            seconds[each.name],
            min(map(min, passes[each.name])),
            log_bytes,
            None if peer is None else ratio(seconds[each.name], peer),
        )
        for each in contenders
    ]


def _read_into_page_cache(log: Path) -> int:
    """Load a log into the page cache, from the disk if possible, and return its size in bytes."""
    # The page cache holds newly written data in smaller pieces, which are slower to read than data
    # that was loaded from the disk (docs/speed.md).
    total = 0
    for path in list_entries(log) if log.is_dir() else [log]:
        with path.open("rb") as file:
            if hasattr(os, "posix_fadvise"):
                # The advice DONTNEED drops only data that is already on the disk, so the file is
                # synced first.
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while block := file.read(1 << 20):
                total += len(block)
    return total


def ratio(seconds: Sequence[float], peers: Sequence[float]) -> float:
    """Return the speed relative to the peer: the median of one ratio per round."""
    return statistics.median(peer / mine for mine, peer in zip(seconds, peers, strict=True))


def _run(contender: Contender, log: Path, size: Size) -> list[float]:
    # Some contenders change the log, because they recover it as after a restart. Others create a
    # folder next to it.
    writes = (log.parent, *contender.writes)
    command = [*contender.command, str(log), str(contender.repeat)]
    output = json.loads(printed(command, TIMEOUT_SECONDS, writes))
    found = (output["records"], output["payload_bytes"])
    expected = (size.count, size.count * size.size if contender.has_payloads else 0)
    if found != expected:
        raise WrongCount(
            f"{contender.name}: {log}: expected {expected[0]} records with {expected[1]} bytes,"
            f" found {found[0]} records with {found[1]} bytes"
        )
    seconds: list[float] = output["all_seconds"]
    return seconds
