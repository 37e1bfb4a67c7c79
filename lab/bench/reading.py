"""Measure the speed of readers, in MB/s and records/s, relative to the peer of their format."""

from __future__ import annotations

import json
import os
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from conformance.contents import list_entries
from lab.bench.contenders import Contender
from lab.bench.isolated_run import printed
from lab.bench.workloads import Workload

Row = dict[str, Any]

TIMEOUT_SECONDS = 600


class WrongCount(Exception):
    """A contender read other records than were written, so its time means nothing."""


def measure(
    contenders: Sequence[Contender],
    workloads: Sequence[Workload],
    rounds: int,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Row]:
    """Return a row for each workload and each contender of its format, in order.

    Raises :class:`WrongCount`, and :class:`~lab.bench.isolated_run.Failed` for a contender that
    fails.
    """
    rows: list[Row] = []
    for workload in workloads:
        readers = [each for each in contenders if each.format == workload.format]
        rows += _measure(readers, workload, rounds, progress)
    return rows


def _measure(
    contenders: Sequence[Contender],
    workload: Workload,
    rounds: int,
    progress: Callable[[str], None],
) -> Iterator[Row]:
    loads = {each.name: workload.smaller(each.share) for each in contenders}
    file_bytes = {load: _into_page_cache(load.log()) for load in {workload, *loads.values()}}
    missing = {each.name: each.unavailable() for each in contenders}
    medians: dict[str, list[float]] = {each.name: [] for each in contenders}
    passes: dict[str, list[float]] = {each.name: [] for each in contenders}
    processor: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds):
        for each in contenders:
            if missing[each.name] is None:
                progress(f"{workload.name}, round {number + 1} of {rounds}: {each.name}")
                times = _run(each, loads[each.name])
                passes[each.name] += times["all_seconds"]
                medians[each.name].append(statistics.median(times["all_seconds"]))
                if seconds := times.get("processor_seconds"):
                    processor[each.name].append(statistics.median(seconds))
    peer = next((each.name for each in contenders if each.peer and medians[each.name]), None)
    per_record = {
        name: [value / loads[name].count for value in seconds] for name, seconds in medians.items()
    }
    for each in contenders:
        row: Row = {"workload": workload.name, "contender": each.name, "title": each.title}
        if missing[each.name] is not None:
            yield row | {"unavailable": missing[each.name]}
            continue
        load, own_seconds = loads[each.name], processor[each.name]
        median = statistics.median(medians[each.name])
        yield row | {
            "records": load.count,
            "payload_bytes": load.count * load.size,
            "file_bytes": file_bytes[load],
            "share": each.share,
            "seconds": [round(value, 6) for value in passes[each.name]],
            "median_seconds": round(median, 6),
            "mb_per_second": round(load.count * load.size / median / 1e6, 3),
            "records_per_second": round(load.count / median, 1),
            "processor_seconds": [round(value, 6) for value in own_seconds],
            "gb_of_log_per_second": _log_rate(file_bytes[load], own_seconds),
            "peer": peer,
            "ratio_to_peer": ratio(per_record[each.name], per_record[peer]) if peer else None,
        }


def _log_rate(log_bytes: int, seconds: Sequence[float]) -> float | None:
    """Return the gigabytes of the log in a second of CPU time, if that was printed."""
    return float(f"{log_bytes / statistics.median(seconds) / 1e9:.3g}") if seconds else None


def _into_page_cache(log: Path) -> int:
    """Read a log of any size into the page cache, and return its number of bytes.

    If possible, the log is first removed from the page cache and read again from the disk. Pages
    that were just written are in smaller pieces, and reading them takes up to 50 % longer
    (docs/speed.md).
    """
    total = 0
    for path in list_entries(log) if log.is_dir() else [log]:
        with path.open("rb") as file:
            if hasattr(os, "posix_fadvise"):
                os.fsync(file.fileno())  # what is not written yet stays
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while block := file.read(1 << 20):
                total += len(block)
    return total


def ratio(seconds: Sequence[float], peers: Sequence[float]) -> float:
    """Return how many times the peer's speed: the median of the ratios within each round."""
    ratios = (peer / mine for mine, peer in zip(seconds, peers, strict=True))
    return float(f"{statistics.median(ratios):.3g}")


def _run(contender: Contender, workload: Workload) -> dict[str, Any]:
    log = workload.log()
    # Some open a log as they do after a restart, others need a folder that they make beside it.
    writes = (log.parent, *contender.writes)
    command = contender.command(log, contender.repeat)
    times: dict[str, Any] = json.loads(printed(command, TIMEOUT_SECONDS, writes))
    counts = (times["records"], times["payload_bytes"])
    size = workload.size if contender.has_payloads else 0
    if counts != (workload.count, workload.count * size):
        raise WrongCount(
            f"{contender.name}: {workload.name}: expected {workload.count} records of"
            f" {size} bytes, found {counts[0]} records, {counts[1]} bytes"
        )
    return times
