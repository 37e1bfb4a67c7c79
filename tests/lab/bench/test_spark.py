"""The measurement of Spark runs, and what it measures is every record. No time is judged here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lab.bench import spark as bench
from pyspark_journal.source import JournalDataSource
from reference_impl.answer import NewRecord
from reference_impl.formats import named

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")


def test_measure(spark: SparkSession, tmp_path: Path) -> None:
    log = tmp_path / "000001.log"
    named("leveldb-log").write(log, [NewRecord(b"x" * 100)] * 1000, {})
    spark.dataSource.register(bench.Batches)
    (seconds,) = bench.measure(log, ("offset", "kind"), spark, 1)
    assert set(seconds) == {"journal", "ceiling", "parquet"}
    assert all(value > 0 for value in seconds.values())


def test_the_ceiling_has_the_same_rows(spark: SparkSession, tmp_path: Path) -> None:
    log = tmp_path / "000001.log"
    named("leveldb-log").write(log, [NewRecord(f"{n}".encode()) for n in range(1000)], {})
    source = JournalDataSource({"path": str(log), "journalFormat": "leveldb-log"})
    reader = source.reader(source.schema())
    arrow, parquet = bench.write_copies(
        [reader.read(part) for part in reader.partitions()], tmp_path / "copies"
    )
    spark.dataSource.register(bench.Batches)
    expected = sorted(spark.read.format("journal").load(str(log)).collect())
    assert len(expected) == 1000
    for frame in (
        spark.read.format("batches").load(str(arrow)),
        spark.read.parquet(str(parquet)),
    ):
        assert sorted(frame.collect()) == expected
