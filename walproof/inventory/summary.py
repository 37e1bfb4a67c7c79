"""Compute the summary of a result, which is stored in ``summary.json``.

All reports are generated from the summary. It is computed from the tables ``files`` and ``damage``.
Sizes are in bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.parquet

VERDICTS = ("intact", "torn", "damaged", "refused")
#: Bars in the plot of the positions of damage.
PLOT_BARS = 40
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
    rows = pa.parquet.read_table(result / "files" / "files.parquet", columns=columns).to_pylist()
    worst = _worst_files(rows)
    damage = _Damage({row["file"] for row in worst})
    for batch in pa.dataset.dataset(result / "damage").to_batches():
        if batch.num_rows:
            damage.add(batch)
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
        "reasons": damage.reasons(of_formats),
        "where": {"steps": PLOT_BARS, **damage.bars},
        "worst": [
            {
                **{name: row[name] for name in _OF_WORST},
                "ranges": damage.ranges_of(row["file"]),
            }
            for row in worst
        ],
        "refused": _listed(rows, lambda row: row["verdict"] == "refused", "reason"),
        "unreadable": _listed(rows, lambda row: row["error"], "error"),
        "blank": _listed(rows, lambda row: row["remark"], "size"),
    }


def exit_status(summary: Mapping[str, Any]) -> int:
    """Return 0 for intact logs, 3 for torn, damaged or unreadable ones, else 4 for refused ones."""
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


def _worst_files(rows: Iterable[Row]) -> list[Row]:
    """Return the files that lost most, damaged files before torn ones."""
    lossy = [row for row in rows if row["lost_ranges"]]
    lossy.sort(key=lambda row: (row["verdict"] != "damaged", -row["lost_bytes"], row["file"]))
    return lossy[:MAX_WORST_FILES]


@dataclass
class _Damage:
    """Counts of lost ranges; their positions are stored for some files only."""

    shown_files: set[str]
    counts: dict[tuple[str, str, str, str], list[int]] = field(default_factory=dict)
    bars: dict[str, list[int]] = field(
        default_factory=lambda: {verdict: [0] * PLOT_BARS for verdict in ("torn", "damaged")}
    )
    ranges: dict[str, list[tuple[int, int, bool]]] = field(default_factory=dict)

    def add(self, batch: pa.RecordBatch) -> None:
        keys = ["format", "verdict", "reason", "file"]
        table = pa.Table.from_batches([batch])
        groups = table.group_by(keys).aggregate([("length", "count"), ("length", "sum")])
        for row in groups.to_pylist():
            count = self.counts.setdefault(tuple(row[key] for key in keys), [0, 0])
            count[0] += row["length_count"]
            count[1] += row["length_sum"]
        for verdict, bars in self.bars.items():
            of_verdict = table.filter(pc.equal(table["verdict"], verdict))
            offsets = of_verdict["offset"].to_numpy()
            sizes = np.maximum(of_verdict["file_size"].to_numpy(), 1)
            bar_numbers = np.minimum(offsets * PLOT_BARS // sizes, PLOT_BARS - 1)
            for bar in bar_numbers.tolist():
                bars[bar] += 1
        shown = table.filter(pc.is_in(table["file"], pa.array(self.shown_files, pa.string())))
        for row in shown.select(["file", "offset", "length", "verdict"]).to_pylist():
            end, is_torn = row["offset"] + row["length"], row["verdict"] == "torn"
            self.ranges.setdefault(row["file"], []).append((row["offset"], end, is_torn))

    def ranges_of(self, file: str) -> list[list[int]]:
        """Return the first ranges of a file: start, end, and true if it is torn."""
        return [
            list(lost_range) for lost_range in sorted(self.ranges.get(file, ()))[:MAX_SHOWN_RANGES]
        ]

    def reasons(self, rows: Iterable[Row]) -> list[dict[str, Any]]:
        """Return lost ranges, bytes and files by format and reason."""
        sums: dict[tuple[str, str, str], list[int]] = {}
        for (format_id, verdict, reason, _), (ranges, size) in self.counts.items():
            count = sums.setdefault((format_id, verdict, reason), [0, 0, 0])
            for n, value in enumerate((ranges, size, 1)):
                count[n] += value
        for row in rows:
            if row["log_verdict"] == "refused":
                key = (row["format"], "refused", row["log_reason"])
                sums.setdefault(key, [0, 0, 0])[2] += 1
        reasons = [
            {"format": f, "verdict": v, "reason": r, "ranges": n, "bytes": size, "files": files}
            for (f, v, r), (n, size, files) in sums.items()
        ]
        return sorted(
            reasons, key=lambda reason: (-reason["ranges"], -reason["files"], reason["reason"])
        )


def _listed(rows: Iterable[Row], chooses: Callable[[Row], object], column: str) -> dict[str, Any]:
    """Return the number of files, and the first of them."""
    chosen = [row for row in rows if chooses(row)]
    first = [{"file": row["file"], column: row[column]} for row in chosen[:MAX_LISTED_FILES]]
    return {"count": len(chosen), "first": first}
