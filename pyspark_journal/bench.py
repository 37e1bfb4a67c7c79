"""How fast LevelDB logs come through Spark: ``python -m pyspark_journal.bench [LOG…]``.

Three ways in one run, in turn: the scanner and its batches in one plain process, the data source in
one plain process, and the data source in Spark (``local[2]``, all columns, sink ``noop``). What
travels between machines is the ratio, taken within each round, for each slot of Spark; the median
of the rounds is shown. Without a log, the workloads are 2,000,000 records of 100 bytes and 3,200 of
64 KiB: smaller ones would measure how long Spark plans.
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
from walproof.bench.workloads import Workload

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SLOTS = 2
FORMAT = "leveldb-log"
ROUNDS = 5
WORKLOADS = (
    Workload("100 B records, Spark", FORMAT, 2_000_000, 100),
    Workload("64 KiB records, Spark", FORMAT, 3_200, 65_536),
)


def scanned(log: Path) -> None:
    """The scanner's runs as batches of all columns."""
    from walproof.scan import scanner
    from walproof.scan.log import Log
    from walproof.scan.model import Wanted
    from walproof.tables import rows

    schema = rows.schema(FORMAT)
    for event in scanner(FORMAT).scan(Log(log), Wanted()):
        rows.batch(event, schema, str(log))


def sourced(log: Path) -> None:
    """What Spark's workers do, without Spark."""
    from pyspark_journal.source import JournalDataSource

    source = JournalDataSource({"path": str(log), "journalFormat": FORMAT})
    reader = source.reader(source.schema())
    for partition in reader.partitions():
        for _ in reader.read(partition):
            pass


def through(spark: SparkSession) -> Callable[[Path], None]:
    """The data source in Spark."""

    def read(log: Path) -> None:
        frame = spark.read.format("journal").option("journalFormat", FORMAT).load(str(log))
        frame.write.format("noop").mode("overwrite").save()

    return read


def measure(log: Path, spark: SparkSession, rounds: int) -> dict[str, Any]:
    """Megabytes a second of each way, and what a slot of Spark is beside the scanner."""
    ways: dict[str, Callable[[Path], None]] = {
        "scanner": scanned,
        "source": sourced,
        "spark": through(spark),
    }
    for read in ways.values():  # compiles, starts workers, fills the page cache
        read(log)
    taken = [{name: _seconds(read, log) for name, read in ways.items()} for _ in range(rounds)]
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


def _seconds(read: Callable[[Path], None], log: Path) -> float:
    started = time.perf_counter()
    read(log)
    return round(time.perf_counter() - started, 6)


def main(names: list[str]) -> None:
    """Print a line for each log, and keep the numbers in ``reports/bench-spark.json``."""
    from walproof.spark.session import session

    logs = [Path(name) for name in names] or [one.log() for one in WORKLOADS]
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
    report.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
