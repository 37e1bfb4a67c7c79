"""How fast readers read: megabytes and records a second, beside the peer of their format."""

from __future__ import annotations

import json
import os
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from conformance.contents import entries_below
from lab.bench import sandbox
from lab.bench.contender import Contender
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
    isolated: bool = True,
    limit_of: Callable[[Workload], Contender | None] = lambda _: None,
) -> list[Row]:
    """A row for each workload and each contender of its format, in order; each in a box.

    The limit of a workload, where it has one, is the last of them. Readers that tell their
    processor time have their share of it in the row, or of the limit that they name.
    Raises :class:`WrongCount`, and what :func:`sandbox.run` raises for a contender that fails.
    """
    rows: list[Row] = []
    for workload in workloads:
        readers = [one for one in contenders if one.format == workload.format]
        limit = limit_of(workload)
        both = [*readers, limit] if limit else readers
        rows += _measure(both, workload, rounds, progress, isolated, limit.name if limit else None)
    return rows


def _measure(
    contenders: Sequence[Contender],
    workload: Workload,
    rounds: int,
    progress: Callable[[str], None],
    isolated: bool,
    limit: str | None,
) -> Iterator[Row]:
    loads = {one.name: workload.smaller(one.share) for one in contenders}
    file_bytes = {load: _into_page_cache(load.log()) for load in {workload, *loads.values()}}
    why_not = {one.name: one.unavailable() for one in contenders}
    seconds: dict[str, list[float]] = {one.name: [] for one in contenders}
    raw: dict[str, list[float]] = {one.name: [] for one in contenders}
    worked: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds):
        for one in contenders:
            if why_not[one.name] is None:
                progress(f"{workload.name}, round {number + 1} of {rounds}: {one.name}")
                said = _run(one, loads[one.name], isolated)
                raw[one.name] += said["all_seconds"]
                seconds[one.name].append(statistics.median(said["all_seconds"]))
                if of_processor := said.get("processor_seconds"):
                    worked[one.name].append(statistics.median(of_processor))
    peer = next((one.name for one in contenders if one.peer and seconds[one.name]), None)
    per_record = {
        name: [value / loads[name].count for value in own] for name, own in seconds.items()
    }
    for one in contenders:
        row: Row = {"workload": workload.name, "contender": one.name, "title": one.title}
        if why_not[one.name] is not None:
            yield row | {"unavailable": why_not[one.name]}
            continue
        median = statistics.median(seconds[one.name])
        of_limit = None
        own_limit = one.limit or limit
        if own_limit and worked[own_limit] and worked[one.name]:
            of_limit = ratio(worked[one.name], worked[own_limit])
        load = loads[one.name]
        yield row | {
            "records": load.count,
            "payload_bytes": load.count * load.size,
            "file_bytes": file_bytes[load],
            "share": one.share,
            "seconds": [round(value, 6) for value in raw[one.name]],
            "median_seconds": round(median, 6),
            "mb_per_second": round(load.count * load.size / median / 1e6, 3),
            "records_per_second": round(load.count / median, 1),
            "processor_seconds": [round(value, 6) for value in worked[one.name]],
            "gb_of_log_per_second": _of_log(file_bytes[load], worked[one.name]),
            "of_limit": of_limit,
            "peer": peer,
            "ratio_to_peer": ratio(per_record[one.name], per_record[peer]) if peer else None,
        }


def _of_log(size: int, seconds: Sequence[float]) -> float | None:
    """Gigabytes of the log in a second of processor time, where that was told; the median."""
    return float(f"{size / statistics.median(seconds) / 1e9:.3g}") if seconds else None


def _into_page_cache(log: Path) -> int:
    """Read a log of any size, and count its bytes.

    It is read from the disk where that can be asked for: pages as they were written are smaller
    pieces, and take up to half as long again to read (docs/speed.md).
    """
    found = 0
    for path in entries_below(log) if log.is_dir() else [log]:
        with path.open("rb") as file:
            if hasattr(os, "posix_fadvise"):
                os.fsync(file.fileno())  # what is not written yet stays
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while block := file.read(1 << 20):
                found += len(block)
    return found


def ratio(seconds: Sequence[float], peers: Sequence[float]) -> float:
    """How many times the peer's speed: the median of the ratios taken within each round."""
    ratios = (peer / own for own, peer in zip(seconds, peers, strict=True))
    return float(f"{statistics.median(ratios):.3g}")


def _run(contender: Contender, workload: Workload, isolated: bool) -> dict[str, Any]:
    log = workload.log()
    # Some open a log as they do after a restart, others need a folder that they make beside it.
    places = (log.parent, *contender.writes)
    command = contender.command(log, contender.repeat)
    said: dict[str, Any] = json.loads(sandbox.run(command, TIMEOUT_SECONDS, places, isolated))
    counted = (said["records"], said["payload_bytes"])
    size = workload.size if contender.has_payloads else 0
    if counted != (workload.count, workload.count * size):
        raise WrongCount(
            f"{contender.name}: {workload.name}: expected {workload.count} records of"
            f" {size} bytes, found {counted[0]} records, {counted[1]} bytes"
        )
    return said
