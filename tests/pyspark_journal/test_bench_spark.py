"""The measurement of Spark runs, and what it measures is every record. No time is judged here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pyspark_journal import bench
from reference_impl.answer import NewRecord
from reference_impl.formats import named

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.xdist_group("spark")


def test_measure(spark: SparkSession, tmp_path: Path) -> None:
    log = tmp_path / "000001.log"
    named("leveldb-log").write(log, [NewRecord(b"x" * 100)] * 1000, {})
    found = bench.measure(log, spark, 1)
    assert set(found["mb_per_second"]) == {"scanner", "source", "spark"}
    assert found["spark_slot_to_scanner"] > 0 and len(found["seconds"]) == 1
