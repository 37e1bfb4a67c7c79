"""How fast LevelDB logs come through Spark: ``python -m pyspark_journal.bench LOG…``.

Three ways in one run, in turn: the scanner and its batches in one plain process, the data source in
one plain process, and the data source in Spark (``local[2]``, all columns, sink ``noop``). What
travels between machines is the ratio of medians, for each slot of Spark.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

SLOTS = 2
FORMAT = "leveldb-log"
ROUNDS = 5


def scanned(log: Path) -> None:
    """The scanner's runs as batches of all columns."""
    from pyspark_journal import rows
    from pyspark_journal.scan import scanner
    from pyspark_journal.scan.log import Log
    from pyspark_journal.scan.model import Wanted

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


def through_spark() -> Callable[[Path], None]:
    """The data source in a session of its own."""
    from pyspark_journal.session import session

    spark = session("bench", f"local[{SLOTS},4]")

    def read(log: Path) -> None:
        frame = spark.read.format("journal").option("journalFormat", FORMAT).load(str(log))
        frame.write.format("noop").mode("overwrite").save()

    return read


def seconds(read: Callable[[Path], None], log: Path) -> float:
    """Time of one pass."""
    started = time.perf_counter()
    read(log)
    return time.perf_counter() - started


def main(logs: list[str]) -> None:
    """Print a line for each log: megabytes a second, and ratios."""
    ways = (scanned, sourced, through_spark())
    for name in logs:
        log = Path(name)
        size = log.stat().st_size / 1e6
        for read in ways:  # compiles, starts workers, fills the page cache
            read(log)
        taken = [[seconds(read, log) for read in ways] for _ in range(ROUNDS)]
        plain, source, spark = (statistics.median(column) for column in zip(*taken, strict=True))
        ratio = statistics.median(row[0] / row[2] for row in taken) / SLOTS
        print(
            f"{name}: {size:.0f} MB · scanner {size / plain:.0f} · source {size / source:.0f}"
            f" · Spark {size / spark:.0f} MB/s · Spark to scanner, each slot: {ratio:.2f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
