"""Writes the archive of Spark's classes: ``python -m walproof.spark.write_archive``."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.saving import save
from walproof.spark.archive import OPTIONS, archive
from walproof.spark.session import SHORT_LIVED, session

SECONDS = 600


def make() -> Path:
    """Write the archive: the classes of a session that ran a job and read a log.

    Raises ``RuntimeError`` when Java writes none, with what it said.
    """
    path = archive()
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.stem}.{os.getpid()}.jsa")
    new.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "walproof.spark.write_archive", str(new), folder],
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    if done.returncode != 0 or not new.is_file():
        new.unlink(missing_ok=True)
        raise RuntimeError(f"no archive of Spark's classes was written: {done.stderr.strip()}")
    new.replace(path)
    return path


def _run(new: str, folder: str) -> None:
    """Do what a short session does, and wait until the JVM has written its classes."""
    import pyarrow as pa
    from pyspark import SparkContext
    from pyspark.sql.datasource import DataSource, DataSourceReader

    class Reader(DataSourceReader):
        def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
            yield pa.record_batch({"n": pa.array([1], pa.int64())})

    class One(DataSource):
        @classmethod
        def name(cls) -> str:
            return "one"

        def schema(self) -> str:
            return "n bigint"

        def reader(self, schema: Any) -> Reader:
            return Reader()

    options = f"{SHORT_LIVED[OPTIONS]} -XX:ArchiveClassesAtExit={new}"
    spark = session("classes", "local[1]", {**SHORT_LIVED, OPTIONS: options})
    spark.sparkContext.parallelize([1], 1).foreach(print)
    spark.dataSource.register(One)
    save(Path(folder, "a.txt"), "a\n")
    for source in (One.name(), "text"):
        frame = spark.read.format(source).load(folder)
        frame.groupBy(frame.columns[0]).count().collect()
        frame.write.format("noop").mode("overwrite").save()
    process = SparkContext._gateway.proc
    spark.stop()
    process.stdin.close()
    process.wait(SECONDS)


def main(words: list[str]) -> None:
    """Make the archive where there is none yet."""
    if words:
        _run(words[0], words[1])
    elif not archive().is_file():
        print(f"Keeping Spark's classes for quicker starts in {make()}")


if __name__ == "__main__":
    main(sys.argv[1:])
