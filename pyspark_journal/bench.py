"""How fast logs come through Spark: ``python -m pyspark_journal.bench [LOG…]``.

Each round goes three ways, one after another: the scanner and its batches in one plain process, the
data source in one plain process, and the data source in Spark (``local[2]``, all columns, sink
``noop``). What travels between machines is the ratio of Spark to the scanner, taken within each
round and divided by Spark's slots; the median over the rounds is shown. Without a log, the large
ones of :mod:`walproof.bench.formats` are read: small ones would measure how long Spark plans.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance import ROOT
from conformance.saving import save
from reference_impl.formats import detect
from walproof.bench.workloads import LARGE_WORKLOADS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Read = Callable[[Path, str], None]
"""Reads a log of a format once."""

SLOTS = 2
ROUNDS = 5


def scanned(log: Path, format_id: str) -> None:
    """Turn the scanner's runs into batches of all columns."""
    from walproof.scan import scanner
    from walproof.scan.log import Log
    from walproof.scan.model import Wanted
    from walproof.tables import rows

    schema = rows.schema(format_id)
    for event in scanner(format_id).scan(Log(log), Wanted()):
        rows.batch(event, schema, str(log))


def sourced(log: Path, format_id: str) -> None:
    """Do what Spark's workers do, without Spark."""
    from pyspark_journal.source import JournalDataSource

    source = JournalDataSource({"path": str(log), "journalFormat": format_id})
    reader = source.reader(source.schema())
    for partition in reader.partitions():
        for _ in reader.read(partition):
            pass


def through(spark: SparkSession) -> Read:
    """Read with the data source in Spark."""

    def read(log: Path, format_id: str) -> None:
        frame = spark.read.format("journal").option("journalFormat", format_id).load(str(log))
        frame.write.format("noop").mode("overwrite").save()

    return read


def measure(log: Path, spark: SparkSession, rounds: int) -> dict[str, Any]:
    """Megabytes a second each way, and the speed of a slot of Spark in units of the scanner's.

    Raises ``UnknownFormat``, ``OSError``, and what Spark raises.
    """
    format_id = detect(log).id
    ways: dict[str, Read] = {
        "scanner": scanned,
        "source": sourced,
        "spark": through(spark),
    }
    for read in ways.values():  # compiles, starts workers, fills the page cache
        read(log, format_id)
    taken = [
        {name: _seconds(read, log, format_id) for name, read in ways.items()} for _ in range(rounds)
    ]
    size = log.stat().st_size
    return {
        "log": log.name,
        "bytes": size,
        "seconds": taken,
        "mb_per_second": {
            name: round(size / 1e6 / statistics.median(one[name] for one in taken), 1)
            for name in ways
        },
        "spark_slot_to_scanner": round(
            statistics.median(one["scanner"] / one["spark"] for one in taken) / SLOTS, 3
        ),
    }


def _seconds(read: Read, log: Path, format_id: str) -> float:
    started = time.perf_counter()
    read(log, format_id)
    return round(time.perf_counter() - started, 6)


def main(names: list[str]) -> None:
    """Print a line for each log, and keep the numbers in ``reports/bench-spark.json``."""
    from walproof.spark.session import session

    logs = [Path(name) for name in names] or [one.log() for one in LARGE_WORKLOADS]
    spark = session("bench", f"local[{SLOTS},4]")
    found = [measure(log, spark, ROUNDS) for log in logs]
    for one in found:
        speed = one["mb_per_second"]
        print(
            f"{one['log']}: scanner {speed['scanner']}, source {speed['source']}, Spark"
            f" {speed['spark']} MB/s; a slot of Spark is {one['spark_slot_to_scanner']}"
            " of the scanner"
        )
    report = ROOT / "reports" / "bench-spark.json"
    report.parent.mkdir(exist_ok=True)
    save(report, json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
