"""How fast logs come through Spark: ``python -m lab bench --only spark``.

First, the data source beside what Spark itself can do, for several sets of columns (``local[2]``,
sink ``noop``). Each round reads the same rows three ways, one after another: with the source, with
a Python source that yields the same batches from memory (``spark_ceiling.py``), and from Parquet.
The ratio to the ceiling can be compared between machines; it is taken within each round, and the
median over the rounds is shown. Then all columns in one plain process: the scanner with its
batches, and the source. The logs are the large ones of :mod:`lab.bench.formats`: small ones would
measure how long Spark plans.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.saving import save
from lab.bench.spark_ceiling import Batches, keep
from lab.bench.workloads import LARGE_WORKLOADS
from pyspark_journal.session import session
from pyspark_journal.source import JournalDataSource
from reference_impl.formats import detect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Way = Callable[[], None]
"""Reads a log once."""

SLOTS = 2
ROUNDS = 15
SETS: Mapping[str, Sequence[str]] = {
    "all columns": (),
    "offset, length, kind, payload": ("offset", "length", "kind", "payload"),
    "offset, kind": ("offset", "kind"),
}


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
    source = JournalDataSource({"path": str(log), "journalFormat": format_id})
    reader = source.reader(source.schema())
    for partition in reader.partitions():
        for _ in reader.read(partition):
            pass


def measure(log: Path, spark: SparkSession, rounds: int) -> dict[str, Any]:
    """Megabytes of log a second each way, and the source in units of the ceiling and the scanner.

    Raises ``UnknownFormat``, ``OSError``, and what Spark raises.
    """
    format_id = detect(log).id
    size = log.stat().st_size
    plain: dict[str, Way] = {
        "scanner": lambda: scanned(log, format_id),
        "source": lambda: sourced(log, format_id),
    }
    seconds = _rounds(plain, rounds)
    found: dict[str, Any] = {"log": log.name, "bytes": size, "plain": _told(seconds, size)}
    found["columns"] = {}
    for name, columns in SETS.items():
        with tempfile.TemporaryDirectory() as folder:
            seconds = _rounds(_ways(log, format_id, columns, spark, Path(folder)), rounds)
        told = _told(seconds, size)
        told["of_ceiling"] = _ratio(seconds, "ceiling", "journal")
        told["of_parquet"] = _ratio(seconds, "parquet", "journal")
        found["columns"][name] = told
    return found


def _ways(
    log: Path, format_id: str, columns: Sequence[str], spark: SparkSession, folder: Path
) -> dict[str, Way]:
    """The same rows through Spark: from the log, from memory, from Parquet."""
    source = JournalDataSource({"path": str(log), "journalFormat": format_id})
    schema = source.schema()
    if columns:
        schema = type(schema)([schema[name] for name in columns])
    reader = source.reader(schema)
    arrow, parquet = keep([reader.read(one) for one in reader.partitions()], folder)
    journal = spark.read.format("journal").option("journalFormat", format_id).schema(schema)
    frames = {
        "journal": journal.load(str(log)),
        "ceiling": spark.read.format(Batches.name()).load(str(arrow)),
        "parquet": spark.read.schema(schema).parquet(str(parquet)),
    }
    rows = {name: frame.count() for name, frame in frames.items()}
    assert len(set(rows.values())) == 1, rows
    return {name: partial(_through, frame) for name, frame in frames.items()}


def _through(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _rounds(ways: Mapping[str, Way], rounds: int) -> list[dict[str, float]]:
    """Seconds of each way in each round, after one that is not counted: it compiles and warms."""
    return [{name: _seconds(way) for name, way in ways.items()} for _ in range(rounds + 1)][1:]


def _told(seconds: Sequence[Mapping[str, float]], size: int) -> dict[str, Any]:
    speed = {
        name: round(size / 1e6 / statistics.median(one[name] for one in seconds), 1)
        for name in seconds[0]
    }
    return {"seconds": seconds, "mb_per_second": speed}


def _ratio(seconds: Sequence[Mapping[str, float]], one: str, other: str) -> float:
    """How many times as fast the other is, in the same round; the median."""
    return round(statistics.median(each[one] / each[other] for each in seconds), 3)


def _seconds(way: Way) -> float:
    started = time.perf_counter()
    way()
    return round(time.perf_counter() - started, 6)


def measure_all(report: Path) -> None:
    """Print a line for each log and set of columns, and write the numbers to ``report`` as JSON."""
    from walproof.spark.quiet import jvm_says_to

    logs = [workload.log() for workload in LARGE_WORKLOADS]
    with tempfile.TemporaryFile() as said, jvm_says_to(said):
        spark = session("bench", f"local[{SLOTS},4]")
    spark.dataSource.register(Batches)
    found = []
    for log in logs:
        one = measure(log, spark, ROUNDS)
        found.append(one)
        speed = one["plain"]["mb_per_second"]
        print(f"{one['log']}: scanner {speed['scanner']}, source {speed['source']} MB/s")
        for name, told in one["columns"].items():
            speed = told["mb_per_second"]
            print(
                f"  {name}: journal {speed['journal']}, ceiling {speed['ceiling']}, Parquet"
                f" {speed['parquet']} MB/s; {told['of_ceiling']} of the ceiling"
            )
    report.parent.mkdir(exist_ok=True)
    save(report, json.dumps(found, indent=1) + "\n")
