"""Compute the summary of a result, which all reports show. Sizes are in bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.parquet
from pyarrow import acero

VERDICTS = ("intact", "torn", "damaged", "refused")
MAX_WORST_FILES = 20
#: Maximum lost ranges of each of the worst files; the table ``damage`` has all.
MAX_SHOWN_RANGES = 100
MAX_LISTED_FILES = 100

Row = Mapping[str, Any]


def summarise(result: Path) -> dict[str, Any]:
    """Return the summary of the tables in a folder. Raises ``OSError``."""
    columns = [
        "file", "log", "format", "size", "verdict", "reason", "log_verdict", "log_reason",
        "records", "record_bytes", "lost_ranges", "lost_bytes", "error", "remark",
    ]  # fmt: skip
    rows = pyarrow.parquet.read_table(
        result / "files" / "files.parquet", columns=columns
    ).to_pylist()
    damage = pyarrow.dataset.dataset(result / "damage")
    of_formats = [row for row in rows if row["format"]]
    return {
        "totals": {
            **_counts(of_formats),
            "other_files": sum(1 for row in rows if not row["format"] and not row["error"]),
            "unreadable": sum(1 for row in rows if row["error"]),
        },
        "formats": {
            format_id: _counts([row for row in of_formats if row["format"] == format_id])
            for format_id in sorted({row["format"] for row in of_formats})
        },
        "reasons": _reasons(damage, of_formats),
        "worst": _worst_files(damage, rows),
        "refused": _listed(rows, lambda row: row["verdict"] == "refused", "reason"),
        "unreadable": _listed(rows, lambda row: row["error"], "error"),
        "blank": _listed(rows, lambda row: row["remark"], "size"),
    }


def exit_status(summary: Mapping[str, Any]) -> int:
    """Return 3 if a log is torn, damaged or unreadable, else 4 if a log is refused, else 0."""
    totals = summary["totals"]
    if totals["torn"] or totals["damaged"] or totals["unreadable"]:
        return 3
    return 4 if totals["refused"] else 0


_OF_WORST = (
    "file", "format", "verdict", "reason", "size", "records", "lost_ranges", "lost_bytes"
)  # fmt: skip


def _counts(rows: Sequence[Row]) -> dict[str, Any]:
    of_logs = {row["log"]: row["log_verdict"] for row in rows}
    verdicts = Counter(of_logs.values())
    sums = ("records", "record_bytes", "lost_ranges", "lost_bytes")
    return {
        "logs": len(of_logs),
        "files": len(rows),
        "bytes": sum(row["size"] for row in rows),
        **{name: sum(row[name] for row in rows) for name in sums},
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
    }


def _worst_files(damage: pyarrow.dataset.Dataset, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the files with the largest losses and their first lost ranges."""
    lossy = [row for row in rows if row["lost_ranges"]]
    lossy.sort(key=lambda row: (row["verdict"] != "damaged", -row["lost_bytes"], row["file"]))
    worst = lossy[:MAX_WORST_FILES]
    columns = ["file", "offset", "length", "verdict"]
    is_of_worst = pc.field("file").isin(pa.array([row["file"] for row in worst], pa.string()))
    table = damage.to_table(columns, filter=is_of_worst).sort_by("offset")
    return [
        {
            **{name: row[name] for name in _OF_WORST},
            "ranges": [
                [lost["offset"], lost["offset"] + lost["length"], lost["verdict"] == "torn"]
                for lost in table.filter(pc.field("file") == row["file"])
                .slice(length=MAX_SHOWN_RANGES)
                .to_pylist()
            ],
        }
        for row in worst
    ]


def _reasons(damage: pyarrow.dataset.Dataset, rows: Iterable[Row]) -> list[dict[str, Any]]:
    sums = [
        ("length", "hash_count", None, "ranges"),
        ("length", "hash_sum", None, "bytes"),
        ("file", "hash_count_distinct", None, "files"),
    ]
    plan = [
        acero.Declaration("scan", acero.ScanNodeOptions(damage)),
        acero.Declaration(
            "aggregate", acero.AggregateNodeOptions(sums, ["format", "verdict", "reason"])
        ),
    ]
    reasons = acero.Declaration.from_sequence(plan).to_table().to_pylist()
    refused = Counter(
        (row["format"], row["log_reason"]) for row in rows if row["log_verdict"] == "refused"
    )
    for (format_id, reason), files in refused.items():
        key = {"format": format_id, "verdict": "refused", "reason": reason}
        reasons.append({**key, "ranges": 0, "bytes": 0, "files": files})
    names = itemgetter("reason", "format", "verdict")
    return sorted(reasons, key=lambda each: (-each["ranges"], -each["files"], *names(each)))


def _listed(rows: Iterable[Row], chooses: Callable[[Row], object], column: str) -> dict[str, Any]:
    chosen = [row for row in rows if chooses(row)]
    first = [{"file": row["file"], column: row[column]} for row in chosen[:MAX_LISTED_FILES]]
    return {"count": len(chosen), "first": first}
