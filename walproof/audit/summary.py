"""The summary of an audit: the body of ``summary.json``, from which all that is shown is made.

Sizes are bytes, times seconds or ISO 8601 in UTC.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from conformance import __version__
from walproof.audit.over_time import over_time
from walproof.audit.tally import Clock, FileTally, Tally

OfFile = tuple[Mapping[str, Any], FileTally]
"""A row of the table ``files``, and what was counted in its file."""

VERDICTS = ("intact", "torn", "damaged", "refused")
PLACES = 40
"""Bars of the plot that shows where in the files damage begins."""
WORST = 20
LISTED = 100


def summarise(
    of_files: Sequence[OfFile], tallies: Iterable[Tally], about: Mapping[str, Any]
) -> dict[str, Any]:
    """The summary of all files and of the tallies of all logs."""
    rows = [row for row, _ in of_files]
    logs = [tally for tally in tallies if tally.format is not None]
    return {
        "walproof": __version__,
        "paths": about["paths"],
        "options": about["options"],
        "inputs": about["inputs"],
        "started": _iso(about["started"]),
        "seconds": about["seconds"],
        "read": about["read"],
        "carried_over": about["carried_over"],
        "totals": {
            **_counts(logs, [row for row in rows if row["format"]]),
            "other_files": sum(1 for row in rows if not row["format"] and not row["error"]),
            "unreadable": sum(1 for row in rows if row["error"]),
        },
        "formats": {
            format_id: _counts(
                [tally for tally in logs if tally.format == format_id],
                [row for row in rows if row["format"] == format_id],
            )
            for format_id in sorted({str(tally.format) for tally in logs})
        },
        "reasons": _reasons(of_files, logs),
        "where": _where(of_files),
        "over_time": over_time(_own_clock(of_files), _file_clock(of_files)),
        "record_sizes": _sizes(of_files),
        "file_sizes": _file_sizes(rows),
        "worst": _worst(of_files),
        "refused": _listed(rows, lambda row: row["verdict"] == "refused", ("reason",)),
        "unreadable": _listed(rows, lambda row: row["error"], ("error",)),
        "blank": _listed(rows, lambda row: row["remark"], ("size",)),
    }


def _counts(logs: Sequence[Tally], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    verdicts = Counter(tally.verdict for tally in logs)
    return {
        "logs": len(logs),
        "files": len(rows),
        "bytes": sum(row["size"] for row in rows),
        "records": sum(row["records"] for row in rows),
        "record_bytes": sum(row["record_bytes"] for row in rows),
        "lost_ranges": sum(row["lost_ranges"] for row in rows),
        "lost_bytes": sum(row["lost_bytes"] for row in rows),
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
    }


def _reasons(of_files: Iterable[OfFile], logs: Iterable[Tally]) -> list[dict[str, Any]]:
    """By format and reason: lost ranges, their bytes, and the files they are in."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for row, tally in of_files:
        for (verdict, reason), (ranges, size) in tally.lost.items():
            count = found.setdefault((row["format"], verdict, reason), [0, 0, 0])
            for n, value in enumerate((ranges, size, 1)):
                count[n] += value
    for log in logs:
        if log.verdict == "refused":
            count = found.setdefault((str(log.format), "refused", str(log.reason)), [0, 0, 0])
            count[2] += max(1, len(log.files))
    body = [
        {"format": f, "verdict": v, "reason": r, "ranges": n, "bytes": size, "files": files}
        for (f, v, r), (n, size, files) in found.items()
    ]
    return sorted(body, key=lambda each: (-each["ranges"], -each["files"], each["reason"]))


def _where(of_files: Iterable[OfFile]) -> dict[str, Any]:
    """Where lost ranges begin, from the start (0) to the end of a file, in equal steps.

    Of a file with more lost ranges than a tally keeps, the first ones.
    """
    bars = {"torn": [0] * PLACES, "damaged": [0] * PLACES}
    for row, tally in of_files:
        size = max(row["size"], tally.size)
        for start, _, torn in tally.ranges:
            place = min(PLACES - 1, start * PLACES // size) if size else 0
            bars["torn" if torn else "damaged"][place] += 1
    return {"steps": PLACES, **bars}


def _own_clock(of_files: Iterable[OfFile]) -> Clock:
    clock = Clock()
    for _, tally in of_files:
        if tally.first_time is not None:
            clock.merge(tally.clock)
    return clock


def _file_clock(of_files: Iterable[OfFile]) -> Clock:
    """Records of formats without a clock, at the time when their file was last changed."""
    clock = Clock()
    for row, tally in of_files:
        if tally.first_time is None and tally.records and row["modified"] is not None:
            clock.counts[row["modified"] // 1_000_000 // clock.step] += tally.records
    return clock


def _sizes(of_files: Iterable[OfFile]) -> list[list[int]]:
    """Records by size: ``[n, count]``, where a size has n bits (n = 7: 64 to 127 bytes)."""
    sizes: Counter[int] = Counter()
    for _, tally in of_files:
        sizes.update(tally.sizes)
    return [[bits, sizes[bits]] for bits in sorted(sizes)]


def _file_sizes(rows: Iterable[Mapping[str, Any]]) -> list[list[int]]:
    sizes = Counter(int(row["size"]).bit_length() for row in rows if row["format"])
    return [[bits, sizes[bits]] for bits in sorted(sizes)]


def _worst(of_files: Iterable[OfFile]) -> list[dict[str, Any]]:
    """The files that lost most, damage before torn tails, with where."""
    found = []
    for row, tally in of_files:
        if tally.lost:
            damaged = sum(count[1] for key, count in tally.lost.items() if key[0] == "damaged")
            found.append(((row["verdict"] == "damaged", damaged, tally.lost_bytes), row, tally))
    found.sort(key=lambda each: (*(-int(part) for part in each[0]), each[1]["file"]))
    return [
        {
            "file": row["file"],
            "format": row["format"],
            "verdict": row["verdict"],
            "reason": row["reason"],
            "size": max(row["size"], tally.size),
            "records": tally.records,
            "lost_ranges": tally.lost_ranges,
            "lost_bytes": tally.lost_bytes,
            "ranges": [list(each) for each in tally.ranges],
        }
        for _, row, tally in found[:WORST]
    ]


def _listed(rows: Iterable[Mapping[str, Any]], where: Any, names: Sequence[str]) -> dict[str, Any]:
    """So many files, and the first of them by name."""
    chosen = [row for row in rows if where(row)]
    first = [{"file": row["file"], **{n: row.get(n) for n in names}} for row in chosen[:LISTED]]
    return {"count": len(chosen), "first": first}


def _iso(seconds: float) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds))
    return moment.isoformat().replace("+00:00", "Z")
